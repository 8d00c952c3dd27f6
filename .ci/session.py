"""Plays an agent's session that commits, in a new repository where git-traj is installed.

``ClaudeSession`` of the tests does it: it writes files, runs git with the agent's environment, and leaves the
log that Claude Code would leave. Repository, commit, hooks and what git-traj makes of them are real.
To each file named as an argument it writes README's picture of ``git traj why``.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from picture import picture

from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession

PROMPT = "Parse durations like 1h30m in durations.py, and commit it"
CHOICE = (
    "I'll use one regular expression rather than a hand-written scanner, because the grammar has three units "
    "and no nesting. I haven't tested fractions such as 1.5h."
)
CODE = r"""import re

_UNITS = {"h": 3600, "m": 60, "s": 1}


def seconds(text: str) -> int:
    found = re.findall(r"(\d+)([hms])", text)
    return sum(int(n) * _UNITS[unit] for n, unit in found)
"""
CLOSING = 'Committed: seconds("1h30m") gives 5400.'


def main() -> None:
    start = Path.cwd()
    place = Path(tempfile.mkdtemp(prefix="git-traj-try-")).resolve()
    folder = place / "durations"
    enter_empty_home(place / "home")

    run("git", "init", "--quiet", "--initial-branch=main", str(folder))
    os.chdir(folder)
    run("git", "config", "user.name", "Ann Lee")
    run("git", "config", "user.email", "author@example.com")
    run("git", "traj", "install", "--yes")

    say("\n# an agent's session writes durations.py and commits it")
    script = [
        turn(Write("durations.py", CODE), say=CHOICE),
        turn(Shell("git add durations.py && git commit -m 'Parse durations'")),
        turn(say=CLOSING),
    ]
    ClaudeSession(folder).run(script, prompt=PROMPT)

    run("git", "traj", "log", "--file", "durations.py")
    run("git", "traj", "why", "durations.py:7")
    run("git", "traj", "show")
    for path in sys.argv[1:]:
        draw(start / path)
    say(f"\nThe repository is {folder}; remove {place} when you have seen enough.")


def enter_empty_home(home: Path) -> None:
    """Use a home folder without git configuration and sessions, and the git-traj of this Python."""
    home.mkdir()
    for name in [n for n in os.environ if n.startswith(("GIT_", "CLAUDE", "CODEX", "XDG_"))]:
        del os.environ[name]
    os.environ["HOME"] = str(home)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def run(*command: str) -> None:
    say(f"\n$ {shlex.join(command)}")
    subprocess.run(command, check=True)


def draw(path: Path) -> None:
    command = ["git", "traj", "--color=always", "why", "durations.py:7"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    path.write_text(picture(f"$ git traj why durations.py:7\n{shown}"), "utf-8")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()  # before a process writes


if __name__ == "__main__":
    main()

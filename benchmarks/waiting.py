"""(t) How long people and agents wait for commands that read, compared with ``--version``, AgentNote and git.

``python -m benchmarks.waiting [--rounds N]``. ``AGENT_NOTE`` is the folder into which npm installed
``@wasabeef/agentnote``; without it, only our commands and git's run. A session makes 20 commits, which both
tools record as always; then nothing is left to drain, and every command runs once per round, in varying
order. Ratios are of the same round. Processor time counts git's processes too, and hardly changes when the
machine is busy.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.agent_note import PROGRAM, AgentNote
from benchmarks.m_index import traj_script
from benchmarks.place import home, repository, wait_for_worker
from benchmarks.table import Timing, rounds, timed
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.repository import Git

COMMITS = 20
_FILE = "src/work1.py"
OURS = {
    "--version": ["--version"],
    "-h": ["-h"],
    "status": ["status"],
    "log": ["log"],
    "show": ["show"],
    "why LINE": ["why", f"{_FILE}:3"],
    "why, no record": ["why", "src/file7.py:1"],
    "context": ["context", _FILE],
    "stats": ["stats"],
    "doctor": ["doctor"],
}
THEIRS = {"status": ["status"], "log": ["log"], "show": ["show"], "why LINE": ["why", f"{_FILE}:3"]}
GIT = {
    "status": ["status", "--short"],
    "log": ["log", "--notes=traj"],
    "show": ["show", "--notes=traj"],
    "why LINE": ["blame", "-w", "-C", "-L3,3", "--", _FILE],
}


def record(folder: Path) -> Git:
    """Make a repository with the commits of one session, recorded by both tools."""
    git = repository(folder, installed=True)
    session: ClaudeSession = ClaudeSession(folder, name="session")
    if PROGRAM.exists():
        recorder = AgentNote()
        recorder.install(folder)
        session = recorder.hire("claude", folder, "session")  # type: ignore[assignment]
    for number in range(COMMITS):
        text = "".join(f"value{line} = {100 * number + line}\n" for line in range(30))
        said = f"I'll use option {number} rather than a table, because it is simpler."
        steps = (
            turn(Write(f"src/work{number % 5}.py", text), say=said),
            turn(Shell(f"git add --all && git commit -qm 'Number {number}'")),
            turn(say="It is done. I haven't tested it."),
        )
        session.run(list(steps), prompt=f"Do work number {number}")
    wait_for_worker(git)
    return git


def measure(git: Git, count: int) -> dict[tuple[str, str], list[Timing]]:
    """Return by command and tool (``ours``, ``theirs``, ``git``) the times of each round."""
    program = traj_script(git.root)
    commands = {(name, "ours"): [program, *words] for name, words in OURS.items()}
    if PROGRAM.exists():
        commands |= {(name, "theirs"): ["node", str(PROGRAM), *words] for name, words in THEIRS.items()}
    commands |= {(name, "git"): ["git", *words] for name, words in GIT.items()}
    for command in commands.values():
        timed(command, git.root, check=False)  # warm up: bytecode, index, drain; doctor may exit with 1
    return rounds({key: lambda c=c: timed(c, git.root, check=False) for key, c in commands.items()}, count)  # type: ignore[misc]


def table(found: dict[tuple[str, str], list[Timing]]) -> str:
    head = (
        "ms: least, median",
        "by the clock",
        "processor",
        "of --version",
        "AgentNote",
        "ours / its",
        "git",
    )
    lines = [head, ("---", *("---:" for _ in head[1:]))]
    start = found["--version", "ours"]
    for name in OURS:
        ours, theirs, git = (found.get((name, who)) for who in ("ours", "theirs", "git"))
        assert ours is not None
        lines.append(
            (
                f"`{name}`",
                _span([took.clock for took in ours]),
                _span([took.processor for took in ours]),
                _ratio(ours, start),
                _span([took.clock for took in theirs]) if theirs else "",
                _ratio(ours, theirs) if theirs else "",
                _span([took.clock for took in git]) if git else "",
            )
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _span(taken: Sequence[float]) -> str:
    return f"{min(taken):.0f}, {statistics.median(taken):.0f}"


def _ratio(one: Sequence[Timing], other: Sequence[Timing]) -> str:
    """Ratio of elapsed time, then of processor time: the medians over the rounds."""
    pairs = list(zip(one, other, strict=True))
    clock = statistics.median(a.clock / b.clock for a, b in pairs)
    return f"{clock:.2f}, {statistics.median(a.processor / b.processor for a, b in pairs):.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the commands that read.")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="git-traj-benchmarks-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        with home(place / "home"):
            found = measure(record(place / "repo"), given.rounds)
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())

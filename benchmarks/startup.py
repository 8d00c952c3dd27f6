"""(e) The cost of a command that has nothing to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.place import home, repository, wait_for_worker
from benchmarks.table import Row, rounds, timed
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession

ROUNDS = 20
_COMMANDS = {
    "(e) `python -c pass`": ([sys.executable, "-c", "pass"], None),
    "`git traj --version`": (["git", "traj", "--version"], 60.0),
    "`git traj log`, nothing new": (["git", "traj", "log"], 150.0),
}


def measure(folder: Path) -> Iterator[Row]:
    with home(folder / "home"):
        git = repository(folder / "repo", installed=True)
        session = ClaudeSession(git.root)
        for number in range(5):
            session.run(
                [
                    turn(Write(f"work{number}.py", f"value = {number}\n")),
                    turn(Shell(f"git add -A && git commit -qm 'Number {number}'")),
                    turn(say="Done"),
                ],
                prompt="Do it",
            )
        wait_for_worker(git)
        git("traj", "log")
        found = rounds(
            {name: lambda c=command: timed(c, git.root).clock for name, (command, _) in _COMMANDS.items()},  # type: ignore[misc]
            ROUNDS,
        )
    for name, (_, target) in _COMMANDS.items():
        yield Row.of(name, found[name], target)

"""(d) One drain over many commits of a session, in a process that has loaded all modules."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.place import home, repository, state
from benchmarks.table import Row
from gittraj.config import Environ
from gittraj.git import open_repository
from gittraj.record.drain.composition import drain
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession

_FIRST = 150.0
_FURTHER = 5.0
_ROUNDS = {1: 7, 10: 3, 100: 1}


def measure(folder: Path) -> Iterator[Row]:
    durations: dict[int, float] = {}
    for commits, count in _ROUNDS.items():
        times = [_time(folder / f"{commits}-{n}", commits) for n in range(count)]
        durations[commits] = statistics.median(times)
        yield Row.of(f"(d) drain over {commits} commits", times, _FIRST if commits == 1 else None)
    yield Row.of("… per further commit", [(durations[100] - durations[1]) / 99], _FURTHER)


def _time(folder: Path, commits: int) -> float:
    with home(folder / "home"):
        git = repository(folder / "repo", installed=True)
        (state(git) / "drain.lock").touch()
        session = ClaudeSession(git.root)
        session.lag = 0.0
        for number in range(commits):
            commit = Shell(f"git add -A && git commit -qm 'Number {number}'")
            session.run(
                [
                    turn(Write(f"work{number}.py", f"value = {number}\n"), say=f"This is number {number}"),
                    turn(commit),
                    turn(say="Done"),
                ],
                prompt=f"Do number {number}",
            )
        with open_repository(git.root) as opened:
            begin = time.perf_counter()
            report = drain(opened, environ=Environ.of(os.environ), live={})
            duration = 1000 * (time.perf_counter() - begin)
        if report is None or len(report.commits) != commits:
            raise AssertionError(f"expected {commits} commits, but the drain reported {report}")
    return duration

"""(a) The time that the hooks add to ``git commit -qam``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.place import MB, home, lengthen, repository, state, wait_for_worker
from benchmarks.table import Row, Timing, rounds, timed
from tests.integration.claude_session import ClaudeSession
from tests.integration.repository import Git

ROUNDS = 40
_TARGET = 4.0
_COMMIT = ("git", "commit", "-qam", "change")
_OLD = 30 * 24 * 3600.0


def measure(folder: Path) -> Iterator[Row]:
    """Measure each kind of home folder in turn; in each, alternate commits with and without hooks."""
    for name, fill in {
        "no session": _none,
        "100 old sessions": _add_old_sessions,
        "a log of 100 MB": _add_long_log,
    }.items():
        place = folder / name.replace(" ", "-")
        with home(place / "home"):
            bare = repository(place / "plain", installed=False)
            hooked = repository(place / "hooked", installed=True)
            fill(hooked)
            _commit(hooked, wait=True)
            found = rounds(
                {
                    "plain": lambda git=bare: _commit(git, wait=False),  # type: ignore[misc]
                    "worker": lambda git=hooked: _commit(git, wait=True),  # type: ignore[misc]
                    "woken": lambda git=hooked: _commit_during_worker(git),  # type: ignore[misc]
                },
                ROUNDS,
            )
        clock = {name: [took.clock for took in all_took] for name, all_took in found.items()}
        work = {name: [took.processor for took in all_took] for name, all_took in found.items()}
        yield Row.of(f"(a) {name}: `git commit -qam`, no hooks", clock["plain"])
        yield Row.added("… added by hooks that start a worker", clock["plain"], clock["worker"], _TARGET)
        yield Row.added("… added when a worker is running already", clock["plain"], clock["woken"], _TARGET)
        yield Row.of("… no hooks, processor time", work["plain"])
        yield Row.added("… added, processor time", work["plain"], work["worker"], _TARGET)


def _commit(git: Git, *, wait: bool) -> Timing:
    _change(git)
    took = timed(_COMMIT, git.root)
    if wait:
        wait_for_worker(git)
    return took


def _commit_during_worker(git: Git) -> Timing:
    """Commit while a worker's lock exists: then the hooks only write their line."""
    lock = state(git) / "drain.lock"
    lock.touch()
    took = _commit(git, wait=False)
    lock.unlink()
    return took


def _change(git: Git) -> None:
    file = git.root / "src" / "file0.py"
    file.write_text(file.read_text() + "again = True\n")


def _none(git: Git) -> None:
    pass


def _add_old_sessions(git: Git) -> None:
    for number in range(100):
        session = ClaudeSession(git.root, name=f"old {number}")
        lengthen(session, 100_000)
        old = session.log.stat().st_mtime - _OLD
        os.utime(session.log, (old, old))


def _add_long_log(git: Git) -> None:
    lengthen(ClaudeSession(git.root), 100 * MB)

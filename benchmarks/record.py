"""(c) The time from a session's commit to its record, with a megabyte of new events."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.place import MB, home, lengthen, repository, state, wait_for_worker
from benchmarks.table import Row, timed
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.repository import Git

ROUNDS = 5
_TARGET = 1000.0
_PATIENCE = 180.0


def measure(folder: Path) -> Iterator[Row]:
    for name, above in {"1 MB of new events": 0, "1 MB below 100 MB": 100 * MB}.items():
        with home(folder / str(above) / "home"):
            git = repository(folder / str(above) / "repo", installed=True)
            session = ClaudeSession(git.root)
            if above:
                lengthen(session, above)
            _commit(session, 0)
            begin = time.perf_counter()
            _wait_for_note(git)
            first = 1000 * (time.perf_counter() - begin)
            wait_for_worker(git)
            by_worker = [_time(git, session, _wait_for_note, awake=True) for _ in range(ROUNDS)]
            by_command = [_time(git, session, _log, awake=False) for _ in range(ROUNDS)]
        if above:
            yield Row.of("(c) the first commit below 100 MB, to its note", [first])
        yield Row.of(f"(c) {name}: from commit to note, by the worker", by_worker, _TARGET)
        yield Row.of("… by `git traj log` right after it", by_command, _TARGET)


def _time(git: Git, session: ClaudeSession, until: Callable[[Git], None], *, awake: bool) -> float:
    """Milliseconds from the end of ``git commit`` until the record can be read. ``awake``: the hook wakes a
    worker, which drains; otherwise only ``until`` drains."""
    lengthen(session, MB)
    time.sleep(1.0)
    lock = state(git) / "drain.lock"
    if not awake:
        lock.touch()
    ended = _commit(session, session.responses)
    until(git)
    took = 1000 * (time.time() - ended)
    if awake:
        wait_for_worker(git)
        time.sleep(7.0)  # it may wait for the agent's message after the commit
    else:
        lock.unlink()
    return took


def _commit(session: ClaudeSession, number: int) -> float:
    """Let the session commit and continue. Returns when ``git commit`` ended, in seconds since the epoch."""
    file = session.folder / ".git" / "ended"
    session.prompt("And commit it")
    session.respond(turn(Write(f"work{number}.py", f"value = {number}\n")))
    session.respond(turn(Shell(f"git add -A; git commit -qm 'Work {number}'; date +%s.%N >.git/ended")))
    ended = float(file.read_text())
    session.respond(turn(say="It is done."), last=True)
    session.finish()
    return ended


def _wait_for_note(git: Git) -> None:
    end = time.monotonic() + _PATIENCE
    while not git.succeeds("notes", "--ref", "traj", "show"):
        if time.monotonic() > end:
            raise TimeoutError("the commit got no note")
        time.sleep(0.005)


def _log(git: Git) -> None:
    timed((sys.executable, "-m", "gittraj", "log", "-n1"), git.root)
    _wait_for_note(git)

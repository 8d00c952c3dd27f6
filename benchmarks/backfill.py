"""(h) A backfill of 200 MB of sessions in a repository where nothing is stored yet, and a second one.

There are 25 sessions of 8 MB; 100 ms/MB is 10 MB/s. Memory is that of the largest process. Finally, a
backfill is killed half-way and resumed.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.place import MB, home, lengthen, repository
from benchmarks.table import Row
from tests.integration.claude_session import ClaudeSession
from tests.integration.repository import Git

_SESSIONS = 25
_SIZE = 8 * MB
_TARGET = 100.0
_MEMORY = 300.0
_COMMAND = (sys.executable, "-m", "gittraj", "backfill", "--json")


def measure(folder: Path) -> Iterator[Row]:
    with home(folder / "home"):
        git = repository(folder / "repo", installed=False)
        size = sum(_session(git, number) for number in range(_SESSIONS)) / MB
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        took = _run(git)
        yield Row.of(f"(h) backfill of {size:.0f} MB", [1000 * took / size], _TARGET, "ms/MB")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        yield Row.of("… processor time", [1000 * (used.ru_utime - before) / size], 2 * _TARGET, "ms/MB")
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        yield Row.of("… memory of its largest process", [largest], _MEMORY, "MB")
        whole = _stored(git)
        yield Row.of("… again, nothing new", [1000 * _run(git) / size], None, "ms/MB")
        _forget(git)
        yield Row.of(
            "… killed half-way, and resumed",
            [1000 * _run_killed_and_resumed(git, took / 2) / size],
            None,
            "ms/MB",
        )
        if _stored(git) != whole:
            raise AssertionError("a backfill that was killed and resumed stored something else")


def _session(git: Git, number: int) -> int:
    session = ClaudeSession(git.root, name=f"past {number}")
    lengthen(session, _SIZE)
    old = time.time() - 3 * 24 * 3600
    os.utime(session.log, (old, old))
    return session.log.stat().st_size


def _run(git: Git) -> float:
    begin = time.perf_counter()
    subprocess.run(_COMMAND, cwd=git.root, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def _run_killed_and_resumed(git: Git, after: float) -> float:
    """Kill a run after ``after`` seconds and run again; returns the seconds of both runs together."""
    begin = time.perf_counter()
    with subprocess.Popen(_COMMAND, cwd=git.root, stdout=subprocess.DEVNULL, start_new_session=True) as run:
        time.sleep(after)
        os.killpg(run.pid, signal.SIGKILL)
    _run(git)
    return time.perf_counter() - begin


def _stored(git: Git) -> str:
    """The trees of all refs: what is stored, without the commits' dates."""
    refs = git("for-each-ref", "--format=%(refname)^{tree}", "refs/notes/traj*").split()
    return git("rev-parse", *refs)


def _forget(git: Git) -> None:
    for ref in git("for-each-ref", "--format=%(refname)", "refs/notes/traj*").split():
        git("update-ref", "-d", ref)
    for name in ("cursors.json",):
        (git.root / ".git" / "traj" / name).unlink(missing_ok=True)

"""A worker may be killed at any moment: the next drain loses nothing and records nothing twice.

``GIT_TRAJ_CRASHES`` says how often the worker is killed at random (default 3, 12 in the nightly run).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.scenario import Edit, Shell, Turn, Write, turn
from tests.integration.records import STATE, check, install, traj
from tests.integration.repository import Git
from tests.integration.session_writer import Writer
from tests.integration.waiting import LONG, wait_until
from tests.sizes import size

_SEED = 20261121
_CRASHES = size(2, 12, "GIT_TRAJ_CRASHES")

# A worker that starts at once, and prints when it begins to drain and to write. {patch}: where it dies.
_WORKER = """
import os, sys
import gittraj.record.drain.composition as capturing, gittraj.record.pipeline as pipeline
import gittraj.worker.__main__ as worker
def announced(word, function):
    def call(*args, **known):
        print(word, flush=True)
        return function(*args, **known)
    return call
worker.DEBOUNCE = 0
capturing.drain = announced("drain", capturing.drain)
pipeline.Pipeline.write = announced("write", pipeline.Pipeline.write)
{patch}
worker.main(sys.argv[1:])
"""
_PATCHES = {
    "before anything is written": "from gittraj.notes.store import DataRefs as it; it.add = die",
    "between data and records": "from gittraj.notes.store import NotesRef as it; it.write = die",
    "between records and cursors": "import gittraj.record.drain.run as it; it.save = die",
}
_DIE = "die = lambda *_, **__: os._exit(9)\n"

pytestmark = pytest.mark.usefixtures("real_clocks")


@pytest.fixture
def state(git: Git) -> Path:
    """Make a repository where git-traj is installed and no hook starts a worker; return git-traj's folder."""
    git.commit({"README": "here\n"})
    folder = install(git)
    (folder / "drain.lock").touch()
    return folder


def test_nothing_is_lost_if_a_worker_is_killed_at_random(git: Git, state: Path, writer: Writer) -> None:
    """A worker is killed a random time after its drain begins, or, in half of the runs, begins to write."""
    rng = random.Random(_SEED)
    session = writer(git.root)
    reached: Counter[str] = Counter()
    durations = {"drain": 0.0, "write": 0.0}  # seconds from the start of each to the worker's end
    for number in range(_CRASHES + 1):
        session.run(_story(number, rng), prompt=f"Please do number {number}")
        before = _marks(git, state)
        if number == 0:
            durations = _time_drain(state)
        else:
            since = rng.choice(list(durations))
            _kill(state, since=since, after=rng.uniform(0, durations[since]))
            reached[_reached(before, _marks(git, state))] += 1
        if rng.random() < 0.7 or number == _CRASHES:  # otherwise the next worker has two rounds to record
            traj(git, "log", "--json")
            check(git, session)
            assert {f.name for f in state.iterdir()} - {"drain.lock"} <= STATE | _unfinished(state)
    print(f"\n{session.agent}: killed {_CRASHES} times; the last thing written: {dict(reached)}")


@pytest.mark.nightly
def test_nothing_is_lost_if_a_worker_is_killed_between_two_writes(
    git: Git, state: Path, writer: Writer
) -> None:
    session = writer(git.root)
    for number, patch in enumerate([*_PATCHES.values(), *_PATCHES.values()]):
        session.run(_story(number, random.Random(number)), prompt=f"Please do number {number}")
        with _worker(state, _DIE + patch) as worker:
            assert worker.wait(LONG) == 9
    traj(git, "log", "--json")
    check(git, session)


@pytest.mark.nightly
def test_nothing_is_lost_without_cursors(git: Git, state: Path, writer: Writer) -> None:
    """The cursors' file is missing, empty, truncated, or of another version."""
    session = writer(git.root)
    cursors = state / "cursors.json"
    for number in range(5):
        session.run(_story(number, random.Random(number)), prompt=f"Please do number {number}")
        for _ in range(2):
            traj(git, "log", "--json")
            check(git, session)
            match number:
                case 0:
                    cursors.unlink()
                case 1:
                    cursors.write_bytes(b"")
                case 2:
                    cursors.write_bytes(cursors.read_bytes()[:-40])
                case 3:
                    cursors.write_text('{"version":999}')


def test_nothing_is_lost_without_the_spool(git: Git, state: Path, writer: Writer) -> None:
    """What the hooks knew from their environment is lost; the reflog and the logs contain enough."""
    session = writer(git.root)
    for number in range(3):
        session.run(_story(number, random.Random(number)), prompt=f"Please do number {number}")
        (state / "spool").unlink()
        traj(git, "log", "--json")
        check(git, session)


def test_files_that_killed_processes_left_are_deleted(git: Git, state: Path, writer: Writer) -> None:
    """The files are deleted only later: a process that made a file a moment ago may still be running."""
    session = writer(git.root)
    session.run(_story(0, random.Random(0)), prompt="Please do it")
    with _worker(state, "import os; os.fsync = lambda _: os._exit(9)") as worker:
        assert worker.wait(LONG) == 9
    (left,) = state.glob("*.json.[0-9]*")
    traj(git, "log", "--json")
    check(git, session)
    assert left.exists()
    os.utime(left, (0, 0))
    os.utime(state / "drain.lock", (0, 0))
    session.run(_story(1, random.Random(1)), prompt="And again")
    traj(git, "log", "--json")
    assert {f.name for f in state.iterdir()} <= STATE


def test_a_hook_notices_that_the_worker_was_killed(git: Git, state: Path, writer: Writer) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    (state / "drain.lock").write_text(f"{gone.pid}\n")
    session = writer(git.root)
    session.run(_story(0, random.Random(0)), prompt="Please do it")
    wait_until(lambda: git.succeeds("rev-parse", "--verify", "--quiet", "refs/notes/traj"), "a worker")
    traj(git, "log", "--json")
    check(git, session)


def _story(number: int, rng: random.Random) -> list[Turn]:
    """One to three commits in the ways in which agents make them."""
    path = f"file{number}.py"
    write = Write(path, f"value = {number}\n")
    commit = Shell(f"git add -A && git commit -m 'Number {number}'")
    edit = Edit(path, f"value = {number}", f"value = {number}\nother = {number}")
    again = Shell(f"git commit -qam 'Again {number}'")
    both = Shell(f"git commit -qam 'Both {number}'; git commit -q --allow-empty -m 'Empty {number}'")
    amend = Shell(f"git commit --amend -qam 'Amended {number}'")
    think = f"Let me think about number {number}."
    stories = (
        [turn(write, think=think), turn(commit)],
        [turn(write, say=f"I do {number}."), turn(commit), turn(edit, think=think), turn(again)],
        [turn(write, commit, think=think), turn(edit, say=f"More of {number}"), turn(both)],
        [turn(write), turn(commit, say=f"Now {number}"), turn(edit), turn(amend, think=think)],
    )
    return [*rng.choice(stories), turn(say=f"Number {number} is done.")]


# ------------------------------------------------------------ workers


@contextmanager
def _worker(state: Path, patch: str = "") -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _WORKER.format(patch=patch), str(state)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        yield worker
    (state / "drain.lock").touch()  # so that no hook starts another one


def _await(worker: subprocess.Popen[str], word: str) -> None:
    assert worker.stdout is not None
    assert word in (line.strip() for line in worker.stdout), f"the worker ended and did not {word}"


def _time_drain(state: Path) -> dict[str, float]:
    """Seconds from when a worker begins to drain, and to write, to its end."""
    with _worker(state) as worker:
        _await(worker, "drain")
        drain = time.monotonic()
        _await(worker, "write")
        write = time.monotonic()
        assert worker.wait(LONG) == 0
        end = time.monotonic()
    return {"drain": end - drain, "write": end - write}


def _kill(state: Path, *, since: str, after: float) -> None:
    """Start a worker and kill it, ``after`` seconds from when it begins to drain or to write."""
    with _worker(state) as worker:
        _await(worker, since)
        time.sleep(after)
        worker.send_signal(signal.SIGKILL)


def _unfinished(state: Path) -> set[str]:
    """The names of the files that a killed worker leaves for a minute."""
    return {f.name for f in state.glob("*.[0-9]*")}


def _marks(git: Git, state: Path) -> dict[str, str]:
    """The state of all that a drain writes, in the order in which it writes."""
    cursors = state / "cursors.json"
    return {
        "data": git("for-each-ref", "--format=%(objectname)", "refs/notes/traj-data-*"),
        "records": git("for-each-ref", "--format=%(objectname)", "refs/notes/traj"),
        "cursors": cursors.read_text() if cursors.exists() else "",
    }


def _reached(before: dict[str, str], after: dict[str, str]) -> str:
    """Return the last thing that a killed worker wrote."""
    return next((name for name in reversed(after) if before[name] != after[name]), "nothing")

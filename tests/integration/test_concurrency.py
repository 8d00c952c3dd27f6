"""Many processes write at once, and no record is lost: plain ``git notes add`` loses three of four here."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from gittraj.config import Environ, read_config
from gittraj.git import open_repository
from gittraj.model.session_items import trajectory_id
from gittraj.model.values import Chapter, Link, Message, Range, SessionInfo, Trajectory, Usage
from gittraj.record.draft import Draft, Target
from gittraj.record.drain.composition import make_pipeline
from tests.e2e import model_server
from tests.e2e.scenario import Edit, Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.records import check, install, read_records, traj
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter
from tests.integration.waiting import wait_until
from tests.sizes import size

WRITERS = size(3, 8)
EACH = size(4, 50)  # records of each writer
COMMITS = size(4, 20)  # few, so that every note is written by all processes

pytestmark = pytest.mark.usefixtures("real_clocks")


def test_writers_on_the_same_commits(git: Git) -> None:
    commits = [git.commit({"file": f"{n}\n"}, f"Number {n}") for n in range(COMMITS)]
    install(git)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(git.root, name, commits)) for name in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    found = read_records(git)
    assert found.keys() == {f"writer {name}" for name in range(WRITERS)}
    for name, stored in found.items():
        assert sorted(stored.ids) == sorted(f"{name} event {n}" for n in range(EACH))
        assert stored.usage == model_server.Usage(EACH, 0, 0)
    assert "missing" not in git("fsck", "--full", "--strict")


def _write(root: Path, name: int, commits: Sequence[str]) -> None:
    """Write, as one of the processes, a record at a time, each on the next commit."""
    session = f"writer {name}"
    with open_repository(root) as repository:
        environ = Environ.of(os.environ)
        pipeline = make_pipeline(repository, read_config(repository), environ, live={})
        for n in range(EACH):
            event = Message(id=f"{session} event {n}", content=f"Said {n}", usage=Usage(input_tokens=1))
            trajectory = Trajectory(
                id=trajectory_id("claude-code", session),
                whole=SessionInfo(agent="claude-code", session=session),
                chapters=(Chapter(id=event.id, title="", events=(event,)),),
                span=Range(first=event.id, last=event.id, n=1, at=n),
                prompt=None,
            )
            target = Target(commit=commits[n % len(commits)], link=Link(evidence="agent"))
            pipeline.write([Draft(trajectory=trajectory, positions=(n,), targets=(target,))])


@pytest.mark.nightly
def test_drains_in_two_worktrees(git: Git, tmp_path: Path) -> None:
    """Two agents commit at once, each in its worktree, while people run commands; both cause drains."""
    git.commit({"README": "here\n"})
    install(git)
    git("worktree", "add", "--quiet", str(tmp_path / "other"))
    other = Git(tmp_path / "other")
    sessions: list[SessionWriter] = [ClaudeSession(git.root), CodexSession(other.root)]
    with ThreadPoolExecutor(6) as pool:
        working = [pool.submit(_work, session) for session in sessions]
        looking = [pool.submit(_look, worktree) for worktree in (git, other, git, other)]
        for each in (*working, *looking):
            each.result()
    for worktree in (git, other):  # a worker may still be running, and keep a command waiting for too long
        wait_until(partial(_lists, worktree, 2 * ROUNDS))
    check(git, *sessions)


def _lists(worktree: Git, count: int) -> bool:
    return len(json.loads(command.traj(worktree.root, "log", "--json").stdout)["commits"]) == count


ROUNDS = size(2, 5)
_BUSY = "git-traj: not up to date: another git-traj is writing (try again in a moment)\n"
_ELSEWHERE = re.compile(
    r"no matching commits \((1 commit here has a record|records of \d+ commits are here)\)\n"
    r"hint: HEAD does not reach .*: git traj log .*; git traj status shows what is not recorded yet\n"
)
_NOTHING = (
    "no trajectories are recorded yet\n"
    "hint: git traj status shows what is not recorded yet, git traj backfill links earlier sessions\n"
)


def _work(session: SessionWriter) -> None:
    for number in range(ROUNDS):
        path = f"{session.agent}{number}.py"
        session.run(
            [
                turn(Write(path, "value = 1\n"), think=f"{session.agent} thinks of {number}"),
                turn(Shell(f"git add . && git commit -qm 'Begin {number}'")),
                turn(Edit(path, "value = 1", "value = 2"), say=f"{session.agent} goes on with {number}"),
                turn(Shell(f"git commit -am 'End {number}'")),
                turn(say=f"{session.agent} is done with {number}"),
            ],
            prompt=f"Number {number}",
        )


def _look(worktree: Git) -> None:
    seen = 0
    for _ in range(ROUNDS):
        log = [sys.executable, "-m", "gittraj", "log", "--json"]
        done = subprocess.run(log, cwd=worktree.root, capture_output=True, check=True)
        found = json.loads(done.stdout)["commits"]
        assert len(found) >= seen
        seen = len(found)
        said = done.stderr.decode().removeprefix(_BUSY)  # six at once can keep one waiting for long
        if found:
            assert said == ""
        else:  # nothing is recorded yet, or only on the other worktree's branch, which this log does not list
            assert said == _NOTHING or _ELSEWHERE.fullmatch(said)


_SLOW = """
import sys, time
import gittraj.worker.__main__ as worker
from gittraj.notes.store import NotesRef
worker.DEBOUNCE = 0
write = NotesRef.write
def slowly(*args, **known):
    print("writes", flush=True)
    time.sleep(1.5)
    return write(*args, **known)
NotesRef.write = slowly
worker.main(sys.argv[1:])
"""


def test_reading_during_a_drain(git: Git) -> None:
    """A command that reads meanwhile waits for the drain, and sees what it wrote."""
    git.commit({"README": "here\n"})
    state = install(git)
    (state / "drain.lock").touch()  # no hook starts a worker
    session = ClaudeSession(git.root)
    session.run(
        [turn(Write("a.py", "a = 1\n"), Shell("git add . && git commit -qm One")), turn(say="Done")],
        prompt="Do it",
    )
    command = [sys.executable, "-c", _SLOW, str(state)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "writes\n"
        (commit,) = json.loads(traj(git, "log", "--json"))["commits"]
        assert commit["subject"] == "One"
    check(git, session)


def test_a_command_that_waits_too_long_for_a_drain_says_so(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    install(git)
    made = git.commit({"file": "1\n"}, "One")
    monkeypatch.setattr("gittraj.state.folder.acquire", lambda *_: False)
    said = command.traj(git.root, "log")
    assert said.returncode == 0
    assert said.stderr.startswith(_BUSY)
    assert made[:7] not in said.stdout


_HOLDER = """
import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("had", flush=True)
time.sleep(11)
"""


def test_a_pause_waits_for_a_drain_that_takes_long(git: Git) -> None:
    """If ``pause`` gave up after ten seconds, as a reading command does, later work would be recorded."""
    git.commit({"README": "here\n"})
    state = install(git)
    holder = [sys.executable, "-c", _HOLDER, str(state / "lock")]
    with subprocess.Popen(holder, stdout=subprocess.PIPE) as held:
        assert held.stdout is not None
        held.stdout.readline()
        assert "nothing is read or stored" in traj(git, "pause")


@pytest.mark.nightly
def test_commands_that_write_at_once_wait_for_each_other(git: Git, tmp_path: Path) -> None:
    """When they did not wait, twelve of forty imports were refused, and one of two syncs."""
    git.commit({"README": "here\n"})
    install(git)
    Git.init(tmp_path / "server.git", "--bare")
    git("remote", "add", "origin", str(tmp_path / "server.git"))
    git("config", "traj.push", "auto")
    logs = [ClaudeSession(git.root) for _ in range(size(6, 40))]
    for session in logs:
        session.run([turn(say="Done")], prompt="Look around")
    words = [["import", str(session.log)] for session in logs] + [["sync"]] * 2
    started = [
        subprocess.Popen([sys.executable, "-m", "gittraj", *each], cwd=git.root, stdout=-1, stderr=-1)
        for each in words
    ]
    said = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0] * len(words), said

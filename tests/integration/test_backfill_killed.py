"""A backfill that is killed at any moment and started again ends with the same result as a single run."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.past import age, begin, refs, text
from tests.integration.records import STATE, check
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter
from tests.integration.waiting import wait_until
from tests.sizes import size, some

SESSIONS = size(14, 24)
KILLS = (0, 1, 1, 2, 1, 0, 1, 1)[: size(4, 8)]
"""The number of writes after which each run is killed."""
SMALL = """
import gittraj.commands.backfill.run as run, gittraj.commands.backfill.worker_pool as pool
run._BATCH, pool.WORTH = 20_000, {worth}
from gittraj.cli import main
main()
"""
"""A ``git traj`` that writes refs after every few sessions; from ``worth`` bytes, in several processes."""

pytestmark = pytest.mark.usefixtures("real_clocks")


def work(git: Git) -> list[SessionWriter]:
    """Make many short sessions of both agents."""
    sessions: list[SessionWriter] = []
    for n in range(SESSIONS):
        session = (ClaudeSession, CodexSession)[n % 2](git.root, name=f"session {n}")
        commit = f"git add -A && git commit {'-q' * (n % 3 == 0)} -m 'Add f{n}'"
        session.run(
            [turn(Write(f"f{n}", text(f"f{n}")), Shell(commit), think="How?"), turn(say="Done")],
            prompt=f"Write f{n}",
        )
        sessions.append(session)
    age(*sessions)
    return sessions


def start(git: Git, *, worth: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", SMALL.format(worth=worth), "backfill"],
        cwd=git.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def stored(git: Git) -> tuple[str, list[str]]:
    """The notes and the segments, by content."""
    names = [line.split()[0] for line in refs(git).splitlines()]
    assert names, "nothing is recorded"
    trees = [git("ls-tree", "-r", name) for name in names]
    return git("notes", "--ref=traj", "list"), trees


def tip(git: Git) -> bytes:
    path = git.root / ".git" / "refs" / "notes" / "traj"
    return path.read_bytes() if path.exists() else b""


def wait_for(git: Git, process: subprocess.Popen[bytes], writes: int) -> None:
    """Wait until the records were written ``writes`` times, or the process ended."""
    last = tip(git)
    while writes and process.poll() is None:
        now = tip(git)
        writes, last = writes - (now != last), now
        time.sleep(0.001)


def processes_of(group: int) -> list[int]:
    """The running processes of a process group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(group) and fields[0] != "Z":
            found.append(int(folder.name))
    return found


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc to find processes")
@pytest.mark.parametrize("worth", some([0, 1 << 30], 1), ids=["several", "one process"])
def test_backfills_killed_at_any_moment_end_like_a_single_run(git: Git, tmp_path: Path, worth: int) -> None:
    sessions = work(begin(git))
    kept = tmp_path / "kept"
    shutil.copytree(git.root, kept, symlinks=True)
    with start(git, worth=worth) as complete:
        assert complete.stderr is not None
        assert (complete.stderr.read(), complete.wait()) == (b"", 0)
    expected = stored(git)
    check(git, *sessions)

    rng = random.Random(worth)
    shutil.rmtree(git.root)
    shutil.copytree(kept, git.root, symlinks=True)
    tips = [tip(git)]
    for writes in KILLS:
        with start(git, worth=worth) as process:
            wait_for(git, process, writes)
            time.sleep(rng.uniform(0, 0.1))
            process.kill()  # not its child processes: they must notice by themselves
        wait_until(lambda: not processes_of(process.pid), "the end of the processes that it started")
        tips.append(tip(git))
    assert len({*tips}) > len(KILLS) / 3, "hardly any killed run had written records"
    for path in (git.root / ".git" / "traj").iterdir():
        os.utime(path, (1, 1))  # temporary files are removed after a minute
    with start(git, worth=worth) as last:
        assert last.stderr is not None
        assert (last.stderr.read(), last.wait()) == (b"", 0)
    assert stored(git) == expected
    check(git, *sessions)
    assert {path.name for path in (git.root / ".git" / "traj").iterdir()} <= STATE

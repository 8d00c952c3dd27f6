"""Whatever is in refs, trees, notes, settings and local files, no command crashes, takes long or needs
much memory."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.hostile import TRACKED, Hostile
from tests.integration.records import install
from tests.integration.repository import Git
from tests.sizes import size

INPUTS = size(30, 20_000, "GIT_TRAJ_HOSTILE")
SEEDS = range(size(2, 8))
COMMANDS = (
    *(["status"], ["log"], ["log", "--json", "--all"], ["show", "HEAD"], ["show", "HEAD", "--json"]),
    *(
        ["why", "a.py:1"],
        ["search", "needle"],
        ["search", "--similar", "write a"],
        ["stats"],
        ["context", "a.py"],
    ),
    *(
        ["doctor"],
        ["doctor", "--fix"],
        ["export", "HEAD", "--format", "json"],
        ["fetch"],
        ["push", "--dry-run"],
    ),
    *(
        ["repair"],
        ["repair", "--reread", "--dry-run"],
        ["pr", "--base", "HEAD~1", "--head", "HEAD"],
        ["backfill"],
    ),
    *(["redact", "--audit"], ["keys", "list"], ["rewrap"], ["log", "--file", "a.py"], ["pause"], ["resume"]),
)
CPU = 8.0
"""CPU seconds that a command may take: a few times what is needed, for slow machines."""
MEMORY = 100 * 1024 * 1024
"""The most bytes that a command may use."""
STATUS = Path("/proc/self/status")


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Git]:
    """A repository with two valid records, and a server that has them."""
    git = Git.init(tmp_path / "repo")
    git.commit({"README": "here\n"})
    install(git)
    session = ClaudeSession(git.root)
    for name in ("a.py", "b.py"):
        made = Shell(f"git add {name} && git commit -qm 'Write {name}'")
        session.run(
            [turn(Write(name, f"{name} = 1\n"), made, think="How?"), turn(say="Done")], prompt=f"Write {name}"
        )
    traj(git.root, "log")
    Git.init(tmp_path / "server.git", "--bare")
    git("remote", "add", "origin", str(tmp_path / "server.git"))
    git("push", "-q", "origin", "HEAD", "refs/notes/*:refs/notes/*")
    git("update-ref", TRACKED, "refs/notes/traj")
    yield git


def _memory(name: str) -> int:
    """The memory that this process uses (``VmRSS``) or used at most (``VmHWM``), in bytes, with SQLite and
    libgit2. The kernel counts it: ``tracemalloc`` makes each command three times as slow."""
    row = re.search(rf"^{name}:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)
    assert row
    return int(row[1]) * 1024


def _restart_peak() -> int:
    """Return the memory in use; from now on ``VmHWM`` is the maximum since this call."""
    STATUS.with_name("clear_refs").write_text("5")
    return _memory("VmRSS")


@pytest.mark.skipif(not STATUS.exists(), reason="memory is read from Linux's /proc")
@pytest.mark.parametrize("seed", SEEDS)
def test_no_input_makes_a_command_crash(recorded: Git, seed: int) -> None:
    rng = random.Random(seed)
    hostile = Hostile(recorded, rng)
    for number in range(INPUTS // len(SEEDS)):
        changed = hostile.change()
        words = rng.choice(COMMANDS)
        before = _restart_peak()
        began = time.process_time()
        done = traj(recorded.root, *words)
        took = time.process_time() - began
        used = _memory("VmHWM") - before
        what = f"{seed} {number}: {words} after {changed}: {done.stderr}"
        assert done.returncode in (0, 1, 2), what
        assert took < CPU, what
        assert used < MEMORY, what
        hostile.restore()

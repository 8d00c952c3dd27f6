"""(i) Sharing with many records: joining, pushing one more, fetching without the segments."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.place import MB, home, repository
from benchmarks.table import Row
from gittraj.git import Repository
from gittraj.model.codec import encode_note
from gittraj.model.values import Line
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.redact import RULESET
from gittraj.sync.join import join_records
from gittraj.sync.remote import find_remote
from gittraj.sync.transfer import fetch, push
from tests.integration.repository import Git
from tests.integration.story import Story, record

MANY = 50_000
_CHANGED = 200
_SEGMENTS = 30
_ROUNDS = 5
_PUSH = [sys.executable, "-m", "gittraj", "push"]


def measure(folder: Path) -> Iterator[Row]:
    with home(folder / "home"):
        git = repository(folder / "ann", installed=False)
        server = Git.init(folder / "server.git", "--bare")
        git("remote", "add", "origin", str(server.root))
        with git.open() as opened:
            Story(opened).notes(_notes(0, MANY))
            clock, processor = _join(git, opened)
            yield Row.of(f"(i) {_CHANGED} + {_CHANGED} notes joined at {MANY:,}", clock, 500.0)
            yield Row.of("… processor time, without git's", processor)
            remote = find_remote(opened, "origin")
            push(opened, remote)
            times = []
            for n in range(_ROUNDS):
                Story(opened).notes(_notes(2 * MANY + n, 1))
                begin = time.perf_counter()
                push(opened, remote)
                times.append(1000 * (time.perf_counter() - begin))
            yield Row.of("… pushed without the command line's start and checks", times)
            git("config", "traj.push", "auto")
            times = []
            for n in range(_ROUNDS):
                Story(opened).notes(_notes(4 * MANY + n, 1))
                begin = time.perf_counter()
                subprocess.run(_PUSH, cwd=git.root, check=True, capture_output=True)
                times.append(1000 * (time.perf_counter() - begin))
            yield Row.of(f"(i) one new record pushed at {MANY:,}", times, 1000.0)
            # incompressible, so that fetching them would show in the size
            segments = {f"s/00/t/{n}": os.urandom(MB) for n in range(_SEGMENTS)}
            DataRefs(opened).write("2020-03", segments)
            push(opened, remote)
        yield Row.of(
            f"(i) one record fetched beside {_SEGMENTS} MB of segments", _fetch(folder, git), 1.0, "MB"
        )


def _join(git: Git, opened: Repository) -> tuple[list[float], list[float]]:
    """Join two sides that changed notes of one base, a quarter of them the same; each round joins again."""
    base = git("rev-parse", RECORDS_REF)
    _add(opened, _notes(0, _CHANGED, "theirs"))
    theirs = git("rev-parse", RECORDS_REF)
    git("update-ref", RECORDS_REF, base)
    _add(opened, _notes(_CHANGED * 3 // 4, _CHANGED, "ours"))
    ours = git("rev-parse", RECORDS_REF)
    clock, processor = [], []
    for _ in range(_ROUNDS):
        git("update-ref", RECORDS_REF, ours)
        with git.open() as fresh:
            begin, processor_start = time.perf_counter(), time.process_time()
            assert join_records(fresh, theirs, "origin") == _CHANGED
            clock.append(1000 * (time.perf_counter() - begin))
            processor.append(1000 * (time.process_time() - processor_start))
    git("update-ref", RECORDS_REF, base)
    return clock, processor


def _add(opened: Repository, lines: Mapping[str, Line]) -> None:
    edits = {commit: lambda old, line=line: old + encode_note([line]) for commit, line in lines.items()}
    NotesRef(opened).write(edits, message="a test")


def _fetch(folder: Path, git: Git) -> list[float]:
    """Megabytes by which a clone with records grows when it fetches one more."""
    Git(folder)("clone", "-q", str(folder / "server.git"), "bob")
    bob = Git(folder / "bob")
    moved = []
    with bob.open() as opened:
        remote = find_remote(opened, "origin")
        fetch(opened, remote)
        for n in range(_ROUNDS):
            with git.open() as ann:
                Story(ann).notes(_notes(3 * MANY + n, 1))
                DataRefs(ann).write("2020-03", {f"s/00/t/more{n}": os.urandom(1000)})
                push(ann, find_remote(ann, "origin"))
            before = _size(bob)
            fetch(opened, remote)
            moved.append((_size(bob) - before) / MB)
        assert not bob("for-each-ref", f"{DATA_PREFIX}*")
    return moved


def _size(git: Git) -> int:
    return sum(path.stat().st_size for path in (git.root / ".git/objects").rglob("*") if path.is_file())


def _notes(first: int, count: int, who: str = "ann") -> Mapping[str, Line]:
    """Records of about 2 kB for commits that need not exist."""
    return {
        hashlib.sha1(b"%d" % n, usedforsecurity=False).hexdigest(): record(
            f"traj_{who}{n}", prompt=f"{n} " * 350, ruleset=RULESET
        )
        for n in range(first, first + count)
    }

"""Faults that occur on a working day, during one recording or before it: workers die, disks fill up, files
are damaged, logs are read while they are written, other tools write notes, git runs its housekeeping.

None of them may lose a record, or break a person's command.
"""

from __future__ import annotations

import errno
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from typing import NoReturn
from unittest.mock import patch

from gittraj.errors import TrajError
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.record.drain import run
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter

Rng = random.Random
Trouble = Callable[[Git, Sequence[SessionWriter], Rng], AbstractContextManager[None]]


class KilledError(BaseException):
    """Stands in for the death of a process: none of our code handles it."""


@contextmanager
def dies(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    """The worker dies before it writes, between segments and records, or before it stores cursors."""
    owner, name = rng.choice(((DataRefs, "add"), (NotesRef, "write"), (run, "save")))

    def die(*_: object, **__: object) -> NoReturn:
        raise KilledError

    with suppress(KilledError), patch.object(owner, name, die):
        yield


@contextmanager
def disk_is_full(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    with suppress(OSError, TrajError), patch("os.replace", refuse):
        yield


@contextmanager
def state_is_damaged(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    """A file of the local state is damaged, except the key and what install wrote, which are made once."""
    folder = git.root / ".git" / "traj"
    paths = [folder / name for name in ("cursors.json", "live.json", "index.db", "text.db", "precommit")]
    path = rng.choice([path for path in paths if path.exists()] or paths)
    if path.exists():
        match rng.randrange(3):
            case 0:
                path.unlink()
            case 1:
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
            case _:
                path.write_bytes(rng.randbytes(300))
    with (folder / "spool").open("ab") as spool:
        spool.write(rng.choice((b"commit\tnot an id\t\n", b"\xff\0\n", b"\n\n")))
    (folder / f"cursors.json.{rng.randrange(9999)}.tmp").write_bytes(b"{")
    yield


@contextmanager
def log_is_half_written(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    """The last record is cut in the middle."""
    logs = [session.log for session in sessions if session.log.suffix == ".jsonl" and session.log.exists()]
    if not logs:
        yield
        return
    log = rng.choice(logs)
    body = log.read_bytes()
    last = len(body) - body.rstrip(b"\n").rfind(b"\n") - 1
    with log.open("r+b") as stream:
        stream.truncate(len(body) - rng.randint(1, last - 1))
    yield
    with log.open("ab") as stream:
        stream.write(body[stream.tell() :])


@contextmanager
def database_is_locked(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    """The agent's database is locked while it writes."""
    logs = [session.log for session in sessions if session.log.suffix == ".db" and session.log.exists()]
    if not logs:
        yield
        return
    with closing(sqlite3.connect(logs[0])) as database:
        database.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def others_write_notes(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    """Other tools write notes and remove them again: the ref has moved."""
    noted = git("notes", "--ref=traj", "list").split()[1::2]
    commit = rng.choice([c for c in git("rev-list", "--all").split() if c not in noted] or [""])
    if commit:
        git("notes", "--ref=traj", "add", "-m", "a remark", commit)
        git("notes", "--ref=traj", "remove", commit)
    yield


@contextmanager
def git_tidies_up(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    git(*rng.choice((("gc", "-q"), ("pack-refs", "--all"), ("repack", "-adq"), ("commit-graph", "write"))))
    yield


@contextmanager
def hooks_are_overwritten(git: Git, sessions: Sequence[SessionWriter], rng: Rng) -> Iterator[None]:
    """Overwrite the hooks as a hook manager might; the walk's next git-traj command installs them again."""
    yield
    for name in ("post-commit", "post-rewrite"):
        hook = git.root / ".git" / "hooks" / name
        hook.write_text("#!/bin/sh\nexit 0\n")
        hook.chmod(0o755)


TROUBLES: Sequence[Trouble] = (
    dies,
    disk_is_full,
    state_is_damaged,
    log_is_half_written,
    database_is_locked,
    others_write_notes,
    git_tidies_up,
    hooks_are_overwritten,
)

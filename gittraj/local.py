"""The folder ``traj/`` in the common git directory: what this clone keeps for itself.

It holds the lock under which everything is drained, the key of the redactor's tags, keyed hashes of
secrets seen in environments, and what the installation found. No text of an agent.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gittraj.errors import StoreError, TrajError
from gittraj.git import Position, Repository, read_reflog

FOLDER = "traj"
_ABANDONED = 60.0
"""Seconds after which a file that lives for a moment belongs to a process that was killed."""


class LocalState:
    """The local state of one repository. ``exists`` is false until git-traj is installed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, repository: Repository) -> LocalState:
        return cls(repository.common_dir / FOLDER)

    @property
    def exists(self) -> bool:
        return self.folder.is_dir()

    def create(self) -> None:
        """Raises StoreError where nothing can be written."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.folder} cannot be made: {error.strerror}") from None

    @contextmanager
    def locked(self, *, wait: float) -> Iterator[bool]:
        """The drain's lock; yields whether it was had within ``wait`` seconds."""
        try:
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(f"{self.folder / 'lock'} cannot be opened: {error.strerror}") from None
        try:
            yield _acquire(descriptor, wait)
        finally:
            os.close(descriptor)

    def tidy(self) -> None:
        """Remove what killed processes left: unfinished files, and the lock that a hook made for its worker
        (with it there, no hook would wake one again)."""
        for path in (self.folder / "drain.lock", *self.folder.glob("*.[0-9]*")):
            try:
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
            except OSError:
                pass  # another one was faster

    def key(self) -> bytes:
        """32 random bytes that never leave this clone; made at first use."""
        path = self.folder / "redact.key"
        if not path.exists():
            fresh = path.with_name(f"redact.key.{os.getpid()}")
            try:
                descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                os.write(descriptor, os.urandom(32))
                os.close(descriptor)
                os.link(fresh, path)  # whole, and only the first of two processes
            except FileExistsError:
                pass
            except OSError as error:
                raise StoreError(f"{path} cannot be written: {error.strerror}") from None
            finally:
                fresh.unlink(missing_ok=True)
        return path.read_bytes()

    def read(self, name: str) -> Any:
        """A JSON file of ours; ``None`` when it is missing or damaged."""
        try:
            return json.loads((self.folder / name).read_bytes())
        except (OSError, ValueError):
            return None

    def write(self, name: str, value: Any) -> None:
        """Whole or not at all."""
        path = self.folder / name
        fresh = path.with_name(f"{name}.{os.getpid()}")
        try:
            fresh.write_text(json.dumps(value, indent=1, sort_keys=True), "utf-8")
            fresh.replace(path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None

    def add_hashes(self, hashes: frozenset[str]) -> frozenset[str]:
        """Remember keyed hashes of live secrets; returns all that are known."""
        known = frozenset(map(str, self.read("live.json") or ()))
        if not hashes <= known:
            self.write("live.json", sorted(known | hashes))
        return known | hashes


def reflog_positions(repository: Repository) -> Mapping[str, Position]:
    """How far each worktree's reflog is now, by its git directory."""
    return {str(t.git_dir): read_reflog(repository, t.git_dir, None)[1] for t in repository.worktrees()}


def _acquire(descriptor: int, wait: float) -> bool:
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        return _acquire_windows(descriptor, wait)
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.01)


def _acquire_windows(descriptor: int, wait: float) -> bool:
    import msvcrt  # noqa: PLC0415

    lock: Any = msvcrt
    end = time.monotonic() + wait
    while True:
        try:
            lock.locking(descriptor, lock.LK_NBLCK, 1)
            return True
        except OSError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.01)


def installed_positions(value: Any) -> tuple[float, dict[str, Position]]:
    """What ``installed.json`` says: when, and how far the reflogs were.

    Raises TrajError when it is damaged.
    """
    try:
        known = value["reflogs"].items()
        return float(value["time"]), {name: Position(int(size), str(mark)) for name, (size, mark) in known}
    except (TypeError, KeyError, ValueError, AttributeError):
        raise TrajError("traj/installed.json is damaged", "run git traj install again") from None

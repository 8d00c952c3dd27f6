"""Opens the folder ``traj/`` in the common git directory: what this clone keeps for itself.

The folder has the lock under which everything is drained, the key of the redactor's placeholders, keyed
hashes of secrets seen in environments and in sessions, and the state at the installation, but no text of an
agent.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from gittraj.errors import TrajError, unwritable
from gittraj.git import Position, Repository, read_reflog
from gittraj.state.lock import acquire, discard, is_older
from gittraj.state.sharing import own_folder, share

T = TypeVar("T")
FOLDER = "traj"
EXPOSED = "exposed.json"
SOON = 2.0
"""Seconds that a command waits for another git-traj before it prints a message."""
PATIENCE = 60.0
"""The maximum number of seconds that a command waits for another git-traj."""
_PRIVATE = ("live.json", EXPOSED)
_PURGING = "purging.json"
_MOMENTS = "at"
"""A folder of empty files named by commits: each has the time at which the commit's hook ran."""
_ABANDONED = 60.0
"""Seconds after which a temporary file must be that of a process that was killed."""


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
        """Create the folder. Raises StoreError if it cannot be written."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None
        moments, spool = self.folder / _MOMENTS, self.folder / "spool"
        try:
            moments.mkdir(exist_ok=True)
            if not spool.exists():
                spool.touch()
        except OSError:
            pass  # only hooks write these: a reader may have no permission to
        for path in (self.folder, moments, spool):
            share(path, like=self.folder.parent / "objects")

    @contextmanager
    def locked(self, *, wait: float) -> Iterator[bool]:
        """Acquire the drain's lock; yield whether that was possible within ``wait`` seconds."""
        try:
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
            share(self.folder / "lock", like=self.folder.parent / "objects")
        except OSError as error:
            raise unwritable(self.folder / "lock", error) from None
        try:
            yield acquire(descriptor, wait)
        finally:
            os.close(descriptor)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Create the folder and hold the drain's lock, for a command that writes. Raises StoreError, or
        TrajError if another process has the lock for a minute."""
        self.create()
        with self.locked(wait=SOON) as had:
            if had:
                yield
                return
        if sys.stderr.isatty():
            sys.stderr.write("waiting for another git-traj to finish ...\n")
        with self.locked(wait=PATIENCE - SOON) as had:
            if not had:
                raise busy()
            yield

    def scratch(self) -> AbstractContextManager[str]:
        """A new folder for texts that are not redacted yet: if the process is killed, ``tidy`` deletes it."""
        from tempfile import TemporaryDirectory  # noqa: PLC0415 - it loads all compressors

        return TemporaryDirectory(prefix="import.", suffix=f".{os.getpid()}", dir=self.folder)

    def tidy(self) -> None:
        """Remove what killed processes left: unfinished files, and the lock that a hook made for its worker
        (as long as it exists, no hook starts another worker)."""
        for path in (self.folder / "drain.lock", *self._unfinished()):
            try:
                if is_older(path, _ABANDONED):
                    import shutil  # noqa: PLC0415 - it loads all compressors

                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            except OSError:
                pass  # another process was faster

    def unfinished(self) -> list[Path]:
        """The unfinished files that killed processes left."""
        return sorted(path for path in self._unfinished() if is_older(path, _ABANDONED))

    def _unfinished(self) -> Iterator[Path]:
        yield from self.folder.glob("*.[0-9]*")
        yield from self.folder.glob("active/*.json.[0-9]*")
        yield from self.folder.glob("of-*/*.[0-9]*")  # also unfinished keys

    @property
    def is_purging(self) -> bool:
        """Whether a purge began and did not end: the next fetch or purge finishes the cleanup."""
        return (self.folder / _PURGING).exists()

    @contextmanager
    def purging(self) -> Iterator[None]:
        """Mark a purge while it moves refs: if it is killed meanwhile, the mark stays."""
        self.create()
        self.write(_PURGING, True)
        yield
        (self.folder / _PURGING).unlink(missing_ok=True)

    def moment(self, commit: str) -> float | None:
        """When a commit was made, in seconds since 1970 by this machine's clock, as long as its hook's file
        is still here; None if no hook ran."""
        try:
            return (self.folder / _MOMENTS / commit).stat().st_mtime
        except OSError:
            return None

    def drop_moments(self, commits: Iterable[str], *, before: float) -> None:
        """Drop the moments of these commits, and all that are older than ``before``."""
        named = {*commits}
        for path in (self.folder / _MOMENTS).glob("*"):
            try:
                if path.name in named or path.stat().st_mtime < before:
                    path.unlink()
            except OSError:
                pass  # another process was faster, or nothing can be written

    def key(self) -> bytes:
        """Return 32 random bytes that never leave this clone; they are made at first use."""
        path = self.own("redact.key")
        if not path.exists():
            fresh = _fresh(path)
            try:
                descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(descriptor, "wb") as stream:  # os.write makes \r\n of \n on Windows
                    stream.write(os.urandom(32))
                os.link(fresh, path)  # atomic, and only the first of two processes succeeds
            except FileExistsError:
                pass
            except OSError as error:
                raise unwritable(path, error) from None
            finally:
                discard(fresh)
        return path.read_bytes()

    def own(self, name: str) -> Path:
        """The path of one of this user's own files; its folder is created."""
        folder = own_folder(self.folder)
        try:
            if folder != self.folder:
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from None
        return folder / name

    def read(self, name: str) -> Any:
        """Read a JSON file of ours; return ``None`` if it is missing or damaged."""
        try:
            folder = own_folder(self.folder) if name in _PRIVATE else self.folder
            return json.loads((folder / name).read_bytes())
        except (OSError, ValueError):
            return None

    def write(self, name: str, value: Any) -> None:
        """Write a JSON file atomically. Raises StoreError."""
        path = self.own(name) if name in _PRIVATE else self.folder / name
        replace_file(path, json.dumps(value, indent=1, sort_keys=True).encode())

    def hashes(self) -> tuple[str, ...]:
        """The keyed hashes of known secrets, the latest last."""
        return tuple(map(str, self.read("live.json") or ()))

    def add_hashes(self, hashes: frozenset[str]) -> frozenset[str]:
        """Remember keyed hashes of secrets, the latest last; return all that are known."""
        self.key()
        if hashes <= frozenset(known := self.hashes()):  # this does not need write permission
            return frozenset(known)
        with self.own("redact.key").open("r+b") as key:
            acquire(key.fileno(), _ABANDONED)  # a hook's worker may add some while a drain does
            known = self.hashes()
            fresh = sorted(hashes - frozenset(known))
            if fresh:
                self.write("live.json", [*known, *fresh])
        return frozenset(known) | hashes

    def exposed(self) -> frozenset[str]:
        """The trajectories with a secret that became known after it was pushed."""
        return frozenset(map(str, self.read(EXPOSED) or ()))

    def add_exposed(self, trajectories: frozenset[str]) -> None:
        """Add trajectories to report until somebody has rotated the secret and removes the file."""
        if not trajectories <= self.exposed():
            self.write(EXPOSED, sorted(self.exposed() | trajectories))


def busy() -> TrajError:
    """Make the error for a drain's lock that another process has had for too long."""
    return TrajError("another git-traj is writing", "try again in a moment")


def replace_file(path: Path, body: bytes, *, make: bool = False, like: Path | None = None) -> None:
    """Write a file atomically. ``make``: create its folder, too; ``like``: give the file the sharing of this
    path. Raises StoreError."""
    fresh = _fresh(path)
    try:
        if make:
            path.parent.mkdir(exist_ok=True)
        with fresh.open("wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(stream.fileno())
        if like is not None:
            share(fresh, like=like)
        fresh.replace(path)
    except OSError as error:
        discard(fresh)
        raise unwritable(path, error) from None


def _fresh(path: Path) -> Path:
    """The path of one thread's temporary file; ``tidy`` recognizes it by its numbers."""
    return path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")


def reflog_positions(repository: Repository) -> Mapping[str, Position]:
    """The position of each worktree's reflog now, by the worktree's git directory."""
    return {
        reflog_name(t.git_dir, repository.common_dir): read_reflog(repository, t.git_dir, None)[1]
        for t in repository.worktrees()
    }


def reflog_name(git_dir: Path, common_dir: Path) -> str:
    """A worktree's git directory as local state names it: relative, because the repository may be moved."""
    return Path(os.path.relpath(git_dir, common_dir)).as_posix()


def relative_names(reflogs: Mapping[str, T]) -> dict[str, T]:
    """Make names relative that earlier versions wrote as absolute paths."""
    first = min(reflogs, key=len, default="")
    if not Path(first).is_absolute():
        return dict(reflogs)
    return {reflog_name(Path(name), Path(first)): value for name, value in reflogs.items()}


def installed_positions(value: Any) -> tuple[float, dict[str, Position]]:
    """Parse ``installed.json``: the time of the installation, and the reflogs' positions then.

    Raises TrajError if it is damaged.
    """
    try:
        known = relative_names(value["reflogs"]).items()
        return float(value["time"]), {name: Position(int(size), str(mark)) for name, (size, mark) in known}
    except (TypeError, KeyError, ValueError, AttributeError):
        raise TrajError(
            "traj/installed.json in the git directory is damaged", "run git traj install again"
        ) from None

"""Moves refs, and is the only code that does: ``tests/unit/test_imports.py`` finds any other.

``move_ref`` compares and swaps, and tries again on the newer tip when another process was faster. ``git notes
add`` and libgit2's ``create_note`` move the ref without comparing and lose three notes of four when eight
processes write at once. This module must not know what a commit on a ref contains.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gittraj.errors import StoreError, unwritable
from gittraj.git import Repository, is_oid, read_reflog
from gittraj.state.lock import acquire, discard, is_older

_TIMEOUT = 10.0  # seconds after which a write gives up
_TRIES = 10  # attempts before which a write does not give up: the machine may have slept
_STALE = 3.0  # seconds
_FULL_AFTER = 8  # attempts, after which the disk may be full
_ROOM = 64 * 1024  # bytes that must be free for a lock, a line of a reflog, and folders for both


class BrokenRefError(StoreError):
    pass


def move_ref(
    repository: Repository, ref: str, build: Callable[[str | None], str | None], *, message: str
) -> str | None:
    """Move ``ref`` to the commit that ``build`` makes on its tip (None: no ref yet); return that commit.

    ``build`` runs again on the new tip whenever another process moved the ref meanwhile; when it returns
    None, the ref stays. Raises StoreError when the ref could not be moved within ten seconds and 10 attempts,
    the disk is full, or its file is broken.
    """
    objects = repository.objects
    end = time.monotonic() + _TIMEOUT
    tries = 0
    with _turn(repository, end):
        while True:
            old = objects.resolve(ref)
            new = build(old)
            if new is None or objects.swap_ref(ref, new=new, old=old, message=message):
                return new
            if time.monotonic() > end and tries > _TRIES:
                raise _stuck(repository, ref)
            _break_stale_lock(repository, ref)
            tries += 1
            if tries == _FULL_AFTER:
                _check_disk(repository, ref)
                refuse_broken(repository, ref)
            _rest()


def is_broken(repository: Repository, ref: str) -> bool:
    """Whether the file of a ref exists but names nothing, as after a power failure, or is a symbolic ref to a
    ref that does not exist: git would write to that one, where nobody looks for records."""
    path = repository.common_dir / ref
    try:
        target = path.read_text("latin-1").strip()
    except OSError:
        return False
    if target.startswith("ref: "):
        return repository.objects.resolve(ref) is None
    return not is_oid(target)


def refuse_broken(repository: Repository, ref: str) -> None:
    """Raise BrokenRefError for a broken ref, which git would read as if nothing had been recorded."""
    if is_broken(repository, ref):
        raise BrokenRefError(f"{ref} is damaged: it names no commit", find_remedy(repository, ref))


def find_remedy(repository: Repository, ref: str) -> str:
    """Return the remedy for a broken ref; doctor can restore it only if its reflog has a commit."""
    path = repository.common_dir / ref
    if find_last(repository, ref):
        return "git traj doctor --fix"
    if path.read_bytes().startswith(b"ref: "):
        return f"git symbolic-ref -d {ref}, then git traj fetch"
    return f"remove {path}, then git traj fetch"


def find_last(repository: Repository, ref: str) -> str | None:
    """The last commit in the reflog of ``ref`` that this clone has."""
    moves = read_reflog(repository, repository.common_dir, None, ref=ref)[0]
    return next((m.new for m in reversed(moves) if repository.objects.kind(m.new) == "commit"), None)


def set_ref(
    repository: Repository, ref: str, commit: str, *, message: str, old: str | None = None, check: bool = True
) -> None:
    """Point ``ref`` to ``commit``, if it points to ``old`` (None: in any case). Only for a copy of a remote's
    ref, and for a ref that git cannot read. Raises GitError with ``check``."""
    _break_stale_lock(repository, ref)
    expected = [] if old is None else [old]
    repository.run("update-ref", "-m", message, ref, commit, *expected, check=check)


def delete_ref(repository: Repository, ref: str, *, check: bool = True) -> None:
    """Delete a copy of a remote's ref. Raises GitError with ``check``."""
    _break_stale_lock(repository, ref)
    repository.run("update-ref", "-d", ref, check=check)


def expire_reflog(repository: Repository, ref: str) -> None:
    """Empty the reflog of ``ref``, which would keep what was just removed reachable."""
    repository.run("reflog", "expire", "--expire=all", ref, check=False)


def stale_locks(repository: Repository) -> list[Path]:
    """The locks on git-traj's refs, and on its copies of remotes' refs, that a killed process left behind."""
    folders = (repository.common_dir / "refs" / name for name in ("notes", "notes-remote"))
    locks = (path for folder in folders for path in folder.rglob("traj*.lock"))
    return sorted(path for path in locks if is_older(path, _STALE))


def break_stale_locks(repository: Repository) -> None:
    """Remove stale locks before git itself moves git-traj's refs, because git never removes locks."""
    for path in stale_locks(repository):
        discard(path)


@contextmanager
def _turn(repository: Repository, end: float) -> Iterator[None]:
    """Make git-traj's processes write one after the other: of two dozen that only compare and swap, one
    starves. The lock is awaited until ``end`` (monotonic seconds) and then not needed: the swap alone is
    correct."""
    with ExitStack() as opened:
        try:
            folder = os.open(repository.common_dir, os.O_RDONLY)
            opened.callback(os.close, folder)
            acquire(folder, end - time.monotonic())
        except OSError:
            pass  # Windows cannot open a folder, and some file systems have no locks
        yield


def _rest() -> None:
    import random  # noqa: PLC0415 - few writers have to wait

    time.sleep(random.uniform(0.001, 0.008))  # noqa: S311 - keeps the writers apart, is not a secret


def _break_stale_lock(repository: Repository, ref: str) -> None:
    """Remove the lock of a killed writer, which git never does. A running one needs it for milliseconds."""
    lock = repository.common_dir / f"{ref}.lock"
    if is_older(lock, _STALE):
        discard(lock)


def _check_disk(repository: Repository, ref: str) -> None:
    """Raise StoreError when the disk is full: git only reports that the ref could not be locked."""
    folder = (repository.common_dir / ref).parent
    name = f"traj-{os.getpid()}.lock"  # not a valid ref name, so git ignores it
    probe = (folder if folder.is_dir() else repository.common_dir) / name
    try:
        probe.write_bytes(bytes(_ROOM))
    except OSError as error:
        raise unwritable(probe.parent, error) from None
    finally:
        discard(probe)


def _stuck(repository: Repository, ref: str) -> StoreError:
    lock = repository.common_dir / f"{ref}.lock"
    hint = f"if no git process runs, remove {lock}" if lock.exists() else "try again in a moment"
    return StoreError(f"{ref} could not be updated within {_TIMEOUT:g} seconds", hint=hint)

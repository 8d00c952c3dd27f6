"""Locks an open file or folder; the system releases the lock if the process is killed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

_PAUSE = 0.01
"""Seconds between two tries: a blocking call could not be interrupted in time."""


def acquire(descriptor: int, wait: float) -> bool:
    """Lock an open file; return whether that was possible within ``wait`` seconds. Closing it unlocks it.

    Raises OSError if the file system has no locks.
    """
    # counts tries instead of time: while the machine was suspended, the lock's owner did nothing either
    for left in range(round(max(wait, 0) / _PAUSE), -1, -1):
        if _try(descriptor):
            return True
        if left:
            time.sleep(_PAUSE)
    return False


def _try(descriptor: int) -> bool:
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        return _try_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_windows(descriptor: int) -> bool:
    import msvcrt  # noqa: PLC0415

    lock: Any = msvcrt
    try:
        lock.locking(descriptor, lock.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def is_older(path: Path, seconds: float) -> bool:
    """Whether a file was last changed more than ``seconds`` ago. False if it does not exist, or no longer."""
    try:
        return time.time() - path.stat().st_mtime > seconds
    except OSError:
        return False


def discard(fresh: Path) -> None:
    """Remove an unfinished file, if the disk lets us."""
    try:
        fresh.unlink(missing_ok=True)
    except OSError:
        pass  # read-only: then it was never created

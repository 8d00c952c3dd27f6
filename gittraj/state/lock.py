"""A lock on an open file or folder, which the system takes back from a process that is killed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

_PAUSE = 0.01
"""Seconds between two tries: a lock that is waited for blocking can't be given up in time."""


def acquire(descriptor: int, wait: float) -> bool:
    """Lock what is open; whether that was possible within ``wait`` seconds. It ends with the descriptor.

    Raises OSError where the file system has no locks.
    """
    # counted in tries: who has the lock did nothing either while the whole machine stood still
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


def discard(fresh: Path) -> None:
    """Take away what was not finished, where a disk lets us."""
    try:
        fresh.unlink(missing_ok=True)
    except OSError:
        pass  # read-only: then it was never made

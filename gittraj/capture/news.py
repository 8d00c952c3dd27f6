"""Whether a drain could find anything: a few stats, so that a command that only reads stays fast."""

from __future__ import annotations

import time
from pathlib import Path

from gittraj.capture.state import State
from gittraj.git import Repository

_RESTED = (3.0, 600.0)
"""Seconds since a log grew: by then its last turn may have ended; after that a drain has seen it."""


def has_news(repository: Repository, folder: Path, state: State | None) -> bool:
    """Whether the spool or a reflog has grown since ``state``, or a log of which more was to come."""
    if state is None or state.waiting or _size(folder / "spool") != state.spool:
        return True
    for tree in repository.worktrees():
        known = state.reflogs.get(str(tree.git_dir))
        if known is None or _size(tree.git_dir / "logs" / "HEAD") != int(known[0]):
            return True
    open_logs = [(Path(s.path), s.size) for s in state.sessions.values() if not s.settled]
    return any(_size(path) != size or _rests(path) for path, size in open_logs)


def _rests(path: Path) -> bool:
    try:
        age = time.time() - path.stat().st_mtime
    except OSError:
        return False
    return _RESTED[0] <= age <= _RESTED[1]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

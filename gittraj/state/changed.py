"""Whether a drain could find anything new: a few calls of stat, so that reading commands stay fast."""

from __future__ import annotations

import time
from pathlib import Path

from gittraj.git import Repository
from gittraj.state.cursors import State, size_of
from gittraj.state.folder import reflog_name

RESTED = (3.0, 600.0)
"""Seconds since a log grew: by then its last turn may have ended; after that a drain has seen it."""


def watched(repository: Repository, folder: Path, state: State) -> list[tuple[str, Path, int]] | None:
    """The files that ``has_news`` checks, as (kind, path, size); a ``log`` must also be idle.

    None where this is not enough to know.
    """
    logs = [Path(s.path) for s in state.sessions.values() if s.path and not s.settled]
    if any(path.with_name(f"{path.name}-wal").exists() for path in logs):
        return None
    reflogs = [tree.git_dir / "logs" / "HEAD" for tree in repository.worktrees()]
    return [
        *(("file", path, _size(path)) for path in (folder / "spool", *reflogs)),
        *(("log", path, size_of(path)) for path in logs),
    ]


def has_news(repository: Repository, folder: Path, state: State | None) -> bool:
    """Whether the spool, a reflog or an unfinished session's log has grown since ``state``, or another tool
    wrote notes, perhaps over some of ours."""
    if state is None or state.waiting or _size(folder / "spool") != state.spool:
        return True
    if _tip(repository) not in (None, state.whole):
        return True
    for tree in repository.worktrees():
        known = state.reflogs.get(reflog_name(tree.git_dir, repository.common_dir))
        if known is None or _size(tree.git_dir / "logs" / "HEAD") != int(known[0]):
            return True
    # a session that only the notes know has no log here
    open_logs = [(Path(s.path), s.size) for s in state.sessions.values() if s.path and not s.settled]
    return any(size_of(path) != size or _rests(path) for path, size in open_logs)


def _rests(path: Path) -> bool:
    try:
        age = time.time() - path.stat().st_mtime
    except OSError:
        return False
    return RESTED[0] <= age <= RESTED[1]


def _tip(repository: Repository) -> str | None:
    """The id of the records' ref, without running git; None where it is packed or not a file."""
    try:
        return (repository.common_dir / "refs" / "notes" / "traj").read_text("ascii").strip()
    except (OSError, ValueError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

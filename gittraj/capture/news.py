"""Whether a drain could find anything: a few stats, so that a command that only reads stays fast."""

from __future__ import annotations

import time
from pathlib import Path

from gittraj.git import Repository
from gittraj.state.cursors import State, size_of

RESTED = (3.0, 600.0)
"""Seconds since a log grew: by then its last turn may have ended; after that a drain has seen it."""


def watched(repository: Repository, folder: Path, state: State) -> list[tuple[str, Path, int]] | None:
    """What ``has_news`` looked at when it had none: files with their sizes. ``log``: it must also rest.

    None where it takes more than that to know.
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
    """Whether the spool or a reflog has grown since ``state``, or a log of which more was to come; or whether
    somebody wrote notes, who may have overwritten some."""
    if state is None or state.waiting or _size(folder / "spool") != state.spool:
        return True
    if _tip(repository) not in (None, state.whole):
        return True
    for tree in repository.worktrees():
        known = state.reflogs.get(str(tree.git_dir))
        if known is None or _size(tree.git_dir / "logs" / "HEAD") != int(known[0]):
            return True
    # a session that only the notes tell of has no log here
    open_logs = [(Path(s.path), s.size) for s in state.sessions.values() if s.path and not s.settled]
    return any(size_of(path) != size or _rests(path) for path, size in open_logs)


def _rests(path: Path) -> bool:
    try:
        age = time.time() - path.stat().st_mtime
    except OSError:
        return False
    return RESTED[0] <= age <= RESTED[1]


def _tip(repository: Repository) -> str | None:
    """Of the records, without a process; None where the ref is packed, or no file."""
    try:
        return (repository.common_dir / "refs" / "notes" / "traj").read_text("ascii").strip()
    except (OSError, ValueError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

"""Checks whether a drain could find anything new, by a few calls of stat on the files that it reads.

``read_watched`` makes a text with one line per file or folder: kind, number, path. The index stores the text,
so that ``is_quiet`` needs no state: it must import next to nothing, because every command runs it.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gittraj.git import Repository

IDLE = 24 * 3600.0
"""Seconds without growth after which a session counts as over."""
_RESTED = (3.0, 600.0)
"""If a log last grew so many seconds ago (from, to), its last turn may have ended, and no drain noted it."""
_LARGEST = 10**12
"""A larger size is a time in milliseconds since 1970 (see ``size_of``): no log has so many bytes."""
STATE, INSTALLED, WORKTREES, TIP = "cursors.json", "installed.json", "worktrees", "refs/notes/traj"


def has_news(repository: Repository) -> bool:
    """Whether, since the last drain, the spool, a reflog or an unfinished session's log has grown, a session
    with events that wait now counts as over, or another tool wrote notes, perhaps over some of ours."""
    return not is_quiet(read_watched(repository), str(repository.common_dir))


def read_watched(repository: Repository) -> str:
    """The text for ``is_quiet``; empty if the last drain's state is unknown, or if it left something to
    do."""
    from gittraj.state.cursors import load_state  # noqa: PLC0415 - see above
    from gittraj.state.folder import LocalState, reflog_name  # noqa: PLC0415
    from gittraj.state.sharing import own_folder  # noqa: PLC0415

    folder = LocalState.of(repository).folder
    cursors, worktrees = own_folder(folder) / STATE, repository.common_dir / WORKTREES
    written = _changed_at(cursors)  # before it is read
    state = load_state(folder)
    if state is None or state.waiting:
        return ""
    rows: list[tuple[str, int, str | Path]] = [
        ("time", written, cursors),
        ("count", _count(worktrees), worktrees),
        ("tip", 0, state.whole or ""),
        ("file", state.spool, folder / "spool"),
    ]
    for tree in repository.worktrees():
        size, _ = state.reflogs.get(reflog_name(tree.git_dir, repository.common_dir), (None, None))
        if size is None:
            return ""
        rows.append(("file", int(size), tree.git_dir / "logs" / "HEAD"))
    # a session that only the notes know has no log here
    rows += [("log", s.size, s.path) for s in state.sessions.values() if s.path and not s.settled]
    ends = [over_at(s.path, s.size) for s in state.sessions.values() if s.waiting]
    rows += [("until", int(end) + 1, "") for end in ends if end * 1e9 > written]
    lines = [f"{kind} {number} {path}" for kind, number, path in rows]
    return "" if any("\n" in line for line in lines) else "\n".join(lines)


def is_quiet(text: str, common_dir: str) -> bool:
    """Whether nothing has changed since ``text`` was made; also true if nothing is installed."""
    if not os.path.exists(f"{common_dir}/traj/{INSTALLED}"):  # noqa: PTH110
        return True
    return bool(text) and all(_is_unchanged(line, common_dir) for line in text.split("\n"))


def _is_unchanged(line: str, common_dir: str) -> bool:
    kind, number, path = line.split(" ", 2)
    if kind == "tip":
        return _loose_tip(common_dir) in ("", path)
    if kind == "log":
        rested = time.time() - _changed_at(path) / 1e9
        return size_of(path) == int(number) and not _RESTED[0] <= rested <= _RESTED[1]
    if kind == "until":
        return time.time() < int(number)
    measure = {"time": _changed_at, "count": _count, "file": _size}[kind]
    return measure(path) == int(number)


def size_of(path: str | Path) -> int:
    """The size of a log in bytes, -1 if it does not exist. For a database with a write-ahead log, whose size
    need not change, it is the time of its last change in milliseconds: callers only compare."""
    if wal := _changed_at(f"{path}-wal"):
        return max(_changed_at(path), wal) // 1_000_000
    return _size(path, -1)


def written_at(path: str | Path) -> float:
    """Return when a log last grew, in seconds since 1970. Raises OSError."""
    return max(os.stat(path).st_mtime, _changed_at(f"{path}-wal") / 1e9)  # noqa: PTH116


def over_at(path: str | Path, size: int) -> float:
    """Return when a session counts as over unless its log grows, in seconds since 1970; 0 if the log does not
    exist. ``size`` is the log's, or in a store the time of the session's last change."""
    changed = _changed_at(path) / 1e9
    return changed and IDLE + (size / 1000 if size > _LARGEST else changed)


def _size(path: str | Path, otherwise: int = 0) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return otherwise


def _changed_at(path: str | Path) -> int:
    """When a file last changed, in nanoseconds since 1970; 0 if it does not exist."""
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


def _count(folder: str | Path) -> int:
    try:
        return len(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return 0


def _loose_tip(common_dir: str) -> str:
    """The id of the records' ref, without running git; empty if it is packed or not a file."""
    try:
        with open(f"{common_dir}/{TIP}", encoding="utf-8") as stream:  # noqa: PTH123
            return stream.read().strip()
    except (OSError, ValueError):
        return ""

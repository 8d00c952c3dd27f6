"""Whether a drain would find anything, written down so that it can be seen without loading a drain's state.

A text file with a line for each thing to look at: its kind, a number, its path. ``is_quiet`` must import
next to nothing: see ``gittraj.index.fast_open``.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gittraj.git import Repository

_RESTED = (3.0, 600.0)
"""Those of ``gittraj.state.changed``, which asks the same."""
STATE, INSTALLED, WORKTREES, TIP = "cursors.json", "installed.json", "worktrees", "refs/notes/traj"


def read_quiet(repository: Repository) -> str:
    """How things are, where a drain has nothing to do; empty where it has."""
    from gittraj.state.changed import has_news, watched
    from gittraj.state.cursors import load_state
    from gittraj.state.folder import LocalState
    from gittraj.state.sharing import own_folder

    folder = LocalState.of(repository).folder
    if not (folder / INSTALLED).exists():
        return ""
    cursors = str(own_folder(folder) / STATE)
    rows = [("time", _changed_at(cursors), cursors)]
    state = load_state(folder)
    if state is None or has_news(repository, folder, state):
        return ""
    looked = watched(repository, folder, state)
    if looked is None:
        return ""
    rows += [(kind, size, str(path)) for kind, path, size in looked]
    rows.append(
        ("count", _count(str(repository.common_dir / WORKTREES)), str(repository.common_dir / WORKTREES))
    )
    rows.append(("tip", 0, state.whole or ""))
    if any("\n" in path for _, _, path in rows):
        return ""
    return "\n".join(f"{kind} {number} {path}" for kind, number, path in rows)


def rests(common_dir: Path) -> bool:
    """Whether the last command that looked found nothing to drain, and all is still so."""
    import sqlite3

    from gittraj.index import file

    if is_quiet("", str(common_dir)):
        return True
    try:
        with file.reading(common_dir) as connection:
            found = connection.execute("SELECT value FROM meta WHERE name = 'quiet'").fetchone()
    except (file.UnusableError, sqlite3.Error):
        return False
    return bool(found) and is_quiet(found[0], str(common_dir))


def is_quiet(text: str, common_dir: str) -> bool:
    """Whether all is still so; also where nothing is installed."""
    if not os.path.exists(f"{common_dir}/traj/{INSTALLED}"):  # noqa: PTH110
        return True
    return bool(text) and all(_holds(line, common_dir) for line in text.split("\n"))


def _holds(line: str, common_dir: str) -> bool:
    kind, number, path = line.split(" ", 2)
    if kind == "tip":
        return _loose_tip(common_dir) in ("", path)
    if kind == "time":
        return _changed_at(path) == int(number)
    if kind == "count":
        return _count(path) == int(number)
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return int(number) == (-1 if kind == "log" else 0)
    rests = _RESTED[0] <= time.time() - found.st_mtime <= _RESTED[1]
    return found.st_size == int(number) and not (kind == "log" and rests)


def _loose_tip(common_dir: str) -> str:
    try:
        with open(f"{common_dir}/{TIP}", encoding="utf-8") as stream:  # noqa: PTH123
            return stream.read().strip()
    except (OSError, ValueError):
        return ""


def _changed_at(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


def _count(folder: str) -> int:
    try:
        return len(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return 0

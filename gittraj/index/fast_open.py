"""Opens the index for reading, for all of its readers. It imports next to nothing, because a person would
notice the time in `git traj log --file`: a dataclass alone costs as much as the answer."""

from __future__ import annotations

import os
import time

from gittraj.index.schema import NUMBER

TYPE_CHECKING = False  # typing takes as long to import as the index to answer
if TYPE_CHECKING:
    import sqlite3

FOLDER = "traj-index"
NAME = "index.db"
_TRIES = 5
_EDGES = ("shallow", "info/grafts")
"""The files by which git uses other parents of some commits than those in the commit objects."""
_RENDERERS = (
    "limits.py",
    "model/codec.py",
    "model/json_form.py",
    "model/sides.py",
    "model/times.py",
    "model/unseen.py",
    "model/unseen_ranges.py",
    "model/values.py",
    "model/words.py",
    "notes/merge.py",
    "query/account.py",
    "query/header.py",
    "query/log/filters.py",
    "query/records.py",
    "query/stats/counts.py",
    "render/events.py",
    "render/properties.py",
    "render/text/log.py",
    "render/text/terminal.py",
    "seal/events.py",
)
"""The files that shape cached text; ``tests/unit/test_imports.py`` finds any that is missing."""


def rendered_by() -> str:
    """The version of the code that folds and renders cached text. Text that other code made is not shown."""
    package = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    return " ".join(read_stamp(f"{package}/{name}") or "" for name in _RENDERERS)


def uri(path: str, mode: str) -> str:
    for character in "%?#":
        path = path.replace(character, f"%{ord(character):02X}")
    return f"file:{path}?mode={mode}"


def begin_reading(
    connection: sqlite3.Connection, folder: str, name: str = NAME, number: int = NUMBER, prefix: str = ""
) -> bool:
    """Begin a transaction that reads. Return whether git-traj wrote the file with this version ``number``,
    and it is unchanged since: SQLite would accept a changed row. ``prefix`` begins the stamp's file name."""
    for _ in range(_TRIES):
        connection.execute("BEGIN")
        if not has_version(connection, number):  # this takes the lock: from now on nobody changes the file
            return False
        if read_stamp(f"{folder}/{name}") == read_text(f"{folder}/{prefix}stamp"):
            return True
        connection.execute("COMMIT")
        time.sleep(0.01)  # a writer is about to write the stamp
    return False


def has_version(connection: sqlite3.Connection, number: int = NUMBER) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute("SELECT 1 FROM meta").fetchone()
    return bool(version == number)


def read_stamp(path: str) -> str | None:
    """The file's size, time and inode; None if there is no file."""
    try:
        stat = os.stat(path)  # noqa: PTH116 - pathlib takes long to import
    except FileNotFoundError:
        return None
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def read_edges(common_dir: str) -> str:
    """The commits at which history is cut off or grafted; an index is valid only as long as they stay."""
    return "\n".join(read_text(f"{common_dir}/{name}") for name in _EDGES)


def read_text(path: str) -> str:
    """The file's text; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
            return stream.read()
    except OSError:
        return ""

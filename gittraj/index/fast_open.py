"""Opens the index for reading, with next to no imports: otherwise `git traj log --file` would not answer
before a person notices (a dataclass alone costs as much as the answer).

All readers of the index begin here.
"""

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
"""The files that list commits whose parents are not those in the commit object."""
_RENDERERS = (
    "model/codec.py",
    "model/json_form.py",
    "model/values.py",
    "notes/merge.py",
    "query/header.py",
    "query/account.py",
    "query/records.py",
    "query/stats/counts.py",
    "render/text/log.py",
    "render/properties.py",
    "model/sides.py",
    "model/words.py",
    "render/text/terminal.py",
    "model/times.py",
    "model/unseen.py",
    "model/unseen_ranges.py",
)


def rendered_by() -> str:
    """The version of the code that folds and renders what is cached. Text by other code is not shown."""
    package = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    return " ".join(read_stamp(f"{package}/{name}") or "" for name in _RENDERERS)


def uri(path: str, mode: str) -> str:
    for sign in "%?#":
        path = path.replace(sign, f"%{ord(sign):02X}")
    return f"file:{path}?mode={mode}"


def hold(
    connection: sqlite3.Connection, folder: str, name: str = NAME, number: int = NUMBER, prefix: str = ""
) -> bool:
    """Begin to read. Return whether the file is one of ours, and unchanged since we wrote it: SQLite would
    accept a changed row."""
    for _ in range(_TRIES):
        connection.execute("BEGIN")
        if not is_ours(connection, number):  # takes the lock: from here on no process changes the file
            return False
        if read_stamp(f"{folder}/{name}") == read_text(f"{folder}/{prefix}stamp"):
            return True
        connection.execute("COMMIT")
        time.sleep(0.01)  # a writer is about to write the stamp
    return False


def is_ours(connection: sqlite3.Connection, number: int = NUMBER) -> bool:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute("SELECT 1 FROM meta").fetchone()
    return bool(found == number)


def read_stamp(path: str) -> str | None:
    """The file's size, time and inode; None if there is no file."""
    try:
        found = os.stat(path)  # noqa: PTH116 - see above
    except FileNotFoundError:
        return None
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def read_edges(common_dir: str) -> str:
    """Where history is cut off or grafted: the index is valid only for the same edges."""
    return "\n".join(read_text(f"{common_dir}/{name}") for name in _EDGES)


def read_text(path: str) -> str:
    """The file's text; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
            return stream.read()
    except OSError:
        return ""

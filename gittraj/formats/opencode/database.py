"""Reads OpenCode's database, ``~/.local/share/opencode/opencode.db``: the tables ``session``, ``message`` and
``part``.

Ids and times are columns; all else of a message or part is JSON. OpenCode may write to the database at any
time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gittraj.errors import FormatError
from gittraj.formats.base import coerce
from gittraj.formats.base.sqlite import first_row, has_columns, open_database
from gittraj.formats.opencode.session import items
from gittraj.model.session_items import Damage, Item

if TYPE_CHECKING:
    from sqlite3 import Connection

name = "opencode-db"
agent = "opencode"

_TABLES = (
    "id, directory, title, version, time_created FROM session",
    "id, session_id, time_created, data FROM message",
    "id, message_id, session_id, data FROM part",
)


def detect(path: Path) -> bool:
    return has_columns(path, *_TABLES)


def sessions(path: Path) -> Iterator[str]:
    """Yield the ids of the sessions, the oldest first. Raises OSError, FormatError."""
    with open_database(path) as database:
        rows = database.execute("SELECT id FROM session ORDER BY time_created, id").fetchall()
    yield from (name for (name,) in rows if coerce.text(name))


def read(path: Path, session: str) -> Iterator[Item]:
    with open_database(path) as database:
        info = _session(database, session)
        if info is None:
            raise FormatError(f"{path}: no session '{session}' in it")
        rows = database.execute(
            "SELECT id, time_created, data FROM message WHERE session_id = ?", (session,)
        ).fetchall()
        messages: list[dict[str, Any]] = []
        for name, created, data in rows:
            value = coerce.parsed(data)
            if isinstance(value, dict):
                messages.append({"time": {"created": created}, **value, "id": name})
            else:
                yield Damage(at=0, why=f"message {name}: not JSON")
        names: dict[str, list[str]] = {}  # only the parts' ids at first: the data may be large
        for message, name in database.execute(
            "SELECT message_id, id FROM part WHERE session_id = ?", (session,)
        ):
            names.setdefault(message, []).append(name)
        yield from items(info, messages, lambda message: _parts(database, names.get(message, ())))


def _session(database: Connection, session: str) -> dict[str, Any] | None:
    record = first_row(database, "SELECT * FROM session WHERE id = ?", session)
    return record and {
        "id": session,
        "directory": record.get("directory"),
        "parentID": record.get("parent_id"),
        "title": record.get("title"),
        "version": record.get("version"),
        "revert": coerce.parsed(record.get("revert")),
        "time": {"created": record.get("time_created")},
    }


def _parts(database: Connection, names: Sequence[str]) -> Iterator[dict[str, Any] | Damage]:
    for name in names:
        row = database.execute("SELECT data FROM part WHERE id = ?", (name,)).fetchone()
        value = coerce.parsed(row[0]) if row is not None else None
        yield {**value, "id": name} if isinstance(value, dict) else Damage(at=0, why=f"part {name}: not JSON")

"""Opens other programs' SQLite databases to read them, also while those programs write; and makes new ones.

Reading must not change anything: neither the database nor the files next to it. ``sqlite3`` is imported only
in the functions that use it, since a hook waits for every import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gittraj.errors import FormatError
from gittraj.model.json_form import without_surrogates

if TYPE_CHECKING:
    from sqlite3 import Connection

_MAGIC = b"SQLite format 3\0"
_HEAD = 20
_WAL = 2
"""The value of bytes 18 and 19 of a database with a write-ahead log (https://sqlite.org/fileformat.html)."""
_PATIENCE = 2.0
"""Seconds to wait for a writer with an exclusive lock."""


@contextmanager
def open_database(path: Path) -> Iterator[Connection]:
    """Open a consistent snapshot of the database, whatever is written meanwhile.

    Raises OSError, or FormatError if the file is not a database, is damaged or stays locked, even if only a
    query shows that.
    """
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if not head.startswith(_MAGIC) or len(head) < _HEAD:
        raise FormatError(f"{path}: not an SQLite database")
    import sqlite3  # noqa: PLC0415

    # Opening a database with a write-ahead log would create the log's files if there are none; then no
    # program has it open, and it can be read as a file that does not change.
    unused = head[18] == _WAL and not path.with_name(f"{path.name}-wal").exists()
    uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if unused else ''}"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)) as connection:
            connection.text_factory = _decode
            connection.execute("PRAGMA trusted_schema = OFF")
            try:
                connection.execute("BEGIN")
                connection.execute("SELECT 1 FROM sqlite_master")  # sqlite_schema is new in 3.33
            except sqlite3.Error as error:
                if "unsafe use of json" not in str(error):
                    raise
                # an index over JSON, as in Kilo's database: an older SQLite considers JSON functions unsafe
                connection.execute("PRAGMA trusted_schema = ON")
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter for a damaged column's name
        raise FormatError(
            f"{path}: {error}", "another program may be writing to it, or it is damaged"
        ) from None


def has_columns(path: Path, *tables: str) -> bool:
    """Whether ``path`` is a database with these ``tables``, each written ``COLUMN, COLUMN FROM TABLE``."""
    if not path.is_file():
        return False
    try:
        with open_database(path) as database:
            for table in tables:
                database.execute(f"SELECT {table} LIMIT 0")
    except (OSError, FormatError):
        return False
    return True


def first_row(database: Connection, query: str, *values: str) -> dict[str, Any] | None:
    """The first row that the query returns, by column name; None without a row."""
    cursor = database.execute(query, values)
    row = cursor.fetchone()
    return dict(zip((column[0] for column in cursor.description), row, strict=True)) if row else None


def new_database(schema: Path, fill: Callable[[Connection], None]) -> bytes:
    """The bytes of a new database with ``schema``, a file of SQL, and the rows that ``fill`` inserts: the
    same for the same content."""
    import sqlite3  # noqa: PLC0415

    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(schema.read_text("utf-8"))
        fill(database)
        database.commit()
        return database.serialize()


def insert(
    database: Connection,
    table: str,
    row: Mapping[str, Any],
    store: Callable[[Any], Any],
    *,
    replace: bool = False,
) -> None:
    """Insert those fields of a row that the table has, each converted by ``store``. ``replace``: an old row
    with the same key is replaced; otherwise such a row raises IntegrityError. A lone surrogate, which JSON
    can contain and SQLite cannot, becomes U+FFFD."""
    columns = [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
    names = [name for name in columns if name in row]
    marks = ", ".join("?" * len(names))
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    values = tuple(_without_surrogates(store(row[name])) for name in names)
    database.execute(f"{verb} INTO {table} ({', '.join(names)}) VALUES ({marks})", values)


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _without_surrogates(value: Any) -> Any:
    return without_surrogates(value) if isinstance(value, str) else value

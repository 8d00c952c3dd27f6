"""A DuckDB file: the engine without a server.

Only one process can have the file open at a time, so connections are short and others wait. Deleted rows stay
in the file until it is written again (``sweep``).
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from gittraj.errors import TrajError
from gittraj.gather.schema import TABLES, VIEWS, Column, spell_columns
from gittraj.gather.store import LIST, Database, Row, Session, as_error

_BUSY = 600.0
"""Seconds for which another process may have the file open: a sweep of a large file takes minutes."""
_ARROW = {
    "text": pa.string(),
    "int": pa.int64(),
    "real": pa.float64(),
    "bool": pa.bool_(),
    "time": pa.timestamp("us"),
}
MEMORY = "128MB"
"""Memory limit of a connection that writes. The process needs as much again for Python, its libraries, the
rows of a batch, and what DuckDB allocates without counting it, such as a checkpoint's buffers."""
READING = "1GB"
"""Memory limit of a connection that only reads."""
_HINT = "is another program using the file?"


class DuckSession(Session):
    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def ask(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(statement, list(parameters)).fetchall()

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        batch = to_arrow(rows, TABLES[table])  # noqa: F841 - DuckDB finds it by its name
        self._connection.execute(f"INSERT INTO {table} SELECT * FROM batch")

    def among(self, ids: Collection[tuple[str, ...]], *columns: str) -> tuple[str, list[list[str]]]:
        """See ``Session``. DuckDB skips other projects' rows only if a separate list names the projects."""
        text, lists = super().among(ids, *columns)
        return f"{columns[0]} = ANY({LIST}) AND {text}", [[*dict.fromkeys(lists[0])], *lists]

    def has_stems(self, column: str, stems: Sequence[str], *, prefix: bool) -> tuple[str, list[Any]]:
        end = "" if prefix else " "
        return " AND ".join(f"contains({column}, ?)" for _ in stems), [f" {stem}{end}" for stem in stems]


class DuckStore(Database):
    def __init__(self, path: str) -> None:
        self._path = Path(os.path.realpath(path))  # otherwise a sweep would replace a link, and keep the file

    def prepare(self) -> None:
        with self._opened(make=True) as connection:
            connection.execute("BEGIN")
            _create_tables(connection)
            connection.execute("COMMIT")

    @contextmanager
    def writing(self, projects: Collection[str]) -> Iterator[Session]:
        """See ``Database``. No lock per project: only one process can have the file open."""
        with self._opened() as connection:
            connection.execute("BEGIN")
            yield DuckSession(connection)  # an exception closes the connection, which rolls back
            connection.execute("COMMIT")

    def sweep(self) -> None:
        with self._opened() as connection:
            if not connection.execute("SELECT 1 FROM meta WHERE name = 'went'").fetchone():
                return
            for left in (self._fresh, self._fresh.with_name(f"{self._fresh.name}.wal")):
                left.unlink(missing_ok=True)  # left by a sweep that was killed
            connection.execute("CHECKPOINT")  # else the old file's log would be replayed into the new file
            (name,) = connection.execute("SELECT current_database()").fetchone() or ("",)
            connection.execute(f"ATTACH '{quote(str(self._fresh))}' AS fresh")
            connection.execute(f'COPY FROM DATABASE "{name}" TO fresh')
            connection.execute("DELETE FROM fresh.meta WHERE name = 'went'")
            connection.execute("DETACH fresh")
            self._fresh.chmod(self._path.stat().st_mode & 0o777)
            self._fresh.replace(self._path)

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._opened(read_only=True) as connection:
            yield DuckSession(connection)

    @property
    def _fresh(self) -> Path:
        return self._path.with_name(f"{self._path.name}.sweep")

    @contextmanager
    def _alike(self) -> Iterator[None]:
        """Give the files that DuckDB creates (a log, a temporary folder) the database's own permissions."""
        mode = self._path.stat().st_mode if self._path.exists() else 0o600
        before = os.umask(0o777 & ~(mode | 0o711))  # keeps the owner's bits, and x, which a folder needs
        try:
            yield
        finally:
            os.umask(before)

    @contextmanager
    def _opened(self, *, make: bool = False, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        if not make and not self._path.exists():
            raise TrajError(f"{self._path} is not here", "git traj gather REMOTE --into it makes it")
        with (
            nullcontext() if read_only else self._alike(),
            closing(self._connect(read_only=read_only)) as connection,
        ):
            try:
                yield connection
            except duckdb.Error as error:
                raise as_error("DuckDB", error, _HINT) from None

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        end = time.monotonic() + _BUSY
        config: dict[str, Any] = {"memory_limit": READING if read_only else MEMORY, "threads": 2}
        while True:
            before = self._inode()
            try:
                connection = duckdb.connect(str(self._path), read_only=read_only, config=config)
                if before in (None, self._inode()):
                    return connection
                connection.close()  # a sweep has replaced the file
            except duckdb.Error as error:
                if "lock" not in str(error).lower() or time.monotonic() > end:
                    raise as_error("DuckDB", error, _HINT) from None
                time.sleep(random.uniform(0.05, 0.2))  # noqa: S311 - spreads the retries, not a secret

    def _inode(self) -> int | None:
        return self._path.stat().st_ino if self._path.exists() else None


def _create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS meta (name VARCHAR PRIMARY KEY, value VARCHAR)")
    for table in TABLES:
        columns = spell_columns(table)
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(columns)})")
        for column in columns:  # an earlier version's table may lack some
            connection.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column}")
    for view, query in VIEWS.items():
        connection.execute(f"CREATE OR REPLACE VIEW {view} AS {query}")


def to_arrow(rows: Sequence[Row], columns: Sequence[Column]) -> pa.Table:
    fields = [pa.field(column.name, _ARROW[column.type]) for column in columns]
    values: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [() for _ in columns]
    arrays = [pa.array(found, field.type) for found, field in zip(values, fields, strict=True)]
    return pa.table(arrays, schema=pa.schema(fields))


def quote(text: str) -> str:
    return text.replace("'", "''")

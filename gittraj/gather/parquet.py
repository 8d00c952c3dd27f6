"""Parquet files in a folder or an object store: ``TABLE/project_id=…/month=…/data.parquet``.

A file is replaced by one of the same name, and the one with a repository's tip is written last: a run that
is killed leaves no duplicate rows, and the next gather completes it. DuckDB queries the files.
"""

from __future__ import annotations

import os
import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import duckdb
import fsspec
import pyarrow.parquet as pq

from gittraj.errors import TrajError
from gittraj.gather.collect import Gathered
from gittraj.gather.duck import READING, DuckSession, quote, to_arrow
from gittraj.gather.schema import MONTHLY, TABLES, VIEWS, names, spell_columns
from gittraj.gather.store import Row, Session, Store, as_error

_FILE = "data.parquet"


class ParquetStore(Store):
    def __init__(self, root: str) -> None:
        try:
            self._files, self._root = fsspec.core.url_to_fs(root)
        except (ImportError, ValueError) as error:
            raise TrajError(
                f"{root}: {error}",
                "install fsspec's package for it next to git-traj; for s3: pip install s3fs",
            ) from None
        self._is_local = "file" in self._files.protocol

    def prepare(self) -> None:
        with _failing():
            self._files.makedirs(self._root, exist_ok=True)

    def replace(self, found: Sequence[Gathered]) -> None:
        with _failing():
            for each in found:
                for table in reversed(TABLES):  # the first has the repository's tip
                    self._replace_table(table, each.source.project_id, each.rows[table])

    def _replace_table(self, table: str, project: str, rows: Sequence[Row]) -> None:
        folder = self._folder(table, project)
        before = self._files.find(folder) if self._files.exists(folder) else []
        files: dict[str, list[Row]] = defaultdict(list)
        at = names(table).index("month") if table in MONTHLY else None
        for row in rows:
            name = _FILE if at is None else f"month={row[at]}/{_FILE}"
            files[posixpath.join(folder, name)].append(row)
        for path, some in files.items():
            whole = to_arrow(some, TABLES[table])  # the folders' names have the project and the month
            self._write(path, whole.drop_columns(["project_id", *["month"] * (table in MONTHLY)]))
        for path in {*before} - {*files}:
            self._files.rm_file(path)

    def _write(self, path: str, table: Any) -> None:
        """Write a file atomically: an object store does that itself; in a folder, the new file is renamed."""
        self._files.makedirs(posixpath.dirname(path), exist_ok=True)
        fresh = posixpath.join(posixpath.dirname(path), f".{os.getpid()}.{_FILE}") if self._is_local else path
        with self._files.open(fresh, "wb") as stream:
            pq.write_table(table, stream, compression="zstd")
        if self._is_local:
            os.replace(fresh, path)  # noqa: PTH105 - the path is fsspec's

    def forget(self, projects: Collection[str]) -> None:
        with _failing():
            for project in projects:
                for table in TABLES:  # the tip first: then leftovers are gathered again, or forgotten again
                    folder = self._folder(table, project)
                    if self._files.exists(folder):
                        self._files.rm(folder, recursive=True)

    def sweep(self) -> None:
        """Does nothing: replaced files are deleted already."""

    @contextmanager
    def session(self) -> Iterator[Session]:
        with (
            _failing(),
            closing(duckdb.connect(config={"memory_limit": READING, "threads": 2})) as connection,
        ):
            if not self._is_local:
                connection.register_filesystem(self._files)
            for table in TABLES:
                self._make_view(connection, table)
            for view, query in VIEWS.items():
                connection.execute(f"CREATE VIEW {view} AS {query}")
            yield DuckSession(connection)

    def _make_view(self, connection: duckdb.DuckDBPyConnection, table: str) -> None:
        pattern = posixpath.join(self._root, table, *["*"] * (1 + (table in MONTHLY)), _FILE)
        if not self._files.glob(pattern):
            connection.execute(f"CREATE TABLE {table} ({', '.join(spell_columns(table))})")
            return
        where = quote(pattern if self._is_local else self._files.unstrip_protocol(pattern))
        read = f"read_parquet('{where}', hive_partitioning = true, hive_types_autocast = false)"
        connection.execute(f"CREATE VIEW {table} AS SELECT {', '.join(names(table))} FROM {read}")

    def _folder(self, table: str, project: str) -> str:
        return posixpath.join(self._root, table, f"project_id={project}")


@contextmanager
def _failing() -> Iterator[None]:
    try:
        yield
    except (OSError, duckdb.Error) as error:
        raise as_error("Parquet", error, "check the permissions there") from None

"""The interface of an engine, and the choice of one by its address. Must not depend on what the rows mean."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from gittraj.errors import TrajError, UsageError
from gittraj.frozen import dataclass
from gittraj.gather.schema import TABLES, names
from gittraj.sync.remote import without_password

if TYPE_CHECKING:
    from gittraj.gather.collect import Gathered

_PASSWORD = re.compile(r"//[^/@\s]*:[^/@\s]*@|[?&\s]password\s*=", re.I)
Row = tuple[Any, ...]
LIST = "CAST(? AS varchar[])"
"""A parameter that is a list. DuckDB reads all rows for a longer ``IN (?, ?)``, and skips them for this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The row of ``repositories`` that was written when this repository was gathered last."""

    name: str
    remote: str
    tips: str
    contents: str
    ruleset: str
    version: int
    epoch: str


class Session(ABC):
    """A connection, which only the ``with`` statement that opened it may use: that statement turns the errors
    of the engine into TrajErrors. Statements have ``?`` for each parameter, and tables without a schema."""

    has_text_index = False
    """Whether an index finds words in ``texts``; if not, queries read the table ``words`` first."""

    @abstractmethod
    def ask(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Run a statement, and return its rows, if it has any."""

    @abstractmethod
    def has_stems(self, column: str, stems: Sequence[str], *, prefix: bool) -> tuple[str, list[Any]]:
        """The condition that ``column`` has all of these stems, or (``prefix``) words that begin with them,
        and its parameters."""

    def among(self, ids: Collection[tuple[str, ...]], *columns: str) -> tuple[str, list[list[str]]]:
        """The condition that these columns, the first a project's, are one of ``ids``, and its parameters."""
        unnested = ", ".join(f"unnest({LIST})" for _ in columns)
        lists = [[each[at] for each in ids] for at in range(len(columns))]
        return f"({', '.join(columns)}) IN (SELECT {unnested})", lists

    @abstractmethod
    def insert(self, table: str, rows: Sequence[Row]) -> None: ...


class Store(ABC):
    """An engine. All methods raise TrajError."""

    @abstractmethod
    def prepare(self) -> None:
        """Create the missing tables, columns and views."""

    @abstractmethod
    def replace(self, found: Sequence[Gathered]) -> None:
        """Replace all rows of these repositories, all or none."""

    @abstractmethod
    def forget(self, projects: Collection[str]) -> None:
        """Delete all rows of repositories."""

    @abstractmethod
    def sweep(self) -> None:
        """Remove deleted text from the engine's files, if some is left."""

    @abstractmethod
    def session(self) -> AbstractContextManager[Session]: ...

    def known(self) -> dict[str, Known]:
        """The repositories, by id."""
        with self.session() as session:
            return read_known(session)


_REDACTIONS = "SELECT trajectory_id, part_id, redactions FROM parts WHERE project_id = ?"


class Database(Store):
    """An engine with transactions. ``meta`` records whether text was deleted since the last ``sweep``."""

    @abstractmethod
    def writing(self, projects: Collection[str]) -> AbstractContextManager[Session]:
        """A transaction that changes the rows of these repositories, and excludes others that do."""

    def replace(self, found: Sequence[Gathered]) -> None:
        with self.writing(sorted(each.source.project_id for each in found)) as session:
            known = read_known(session)  # read again, as another gather may have been faster
            for each in found:
                project = each.source.project_id
                if project in known:
                    before = session.ask(_REDACTIONS, [project])
                    if takes_text(known[project], before, each):
                        _note_deletion(session)
                    _delete(session, project)
            for table in TABLES:
                if rows := [row for each in found for row in each.rows[table]]:
                    session.insert(table, rows)

    def forget(self, projects: Collection[str]) -> None:
        with self.writing(sorted(projects)) as session:
            for project in projects:
                _delete(session, project)
            _note_deletion(session)


def as_error(engine: str, error: Exception, hint: str) -> TrajError:
    """Turn an engine's error into ours, with its first line."""
    lines = str(error).strip().splitlines() or ["it failed"]
    return TrajError(f"{engine}: {lines[0]}", hint)


def _delete(session: Session, project: str) -> None:
    for table in TABLES:
        session.ask(f"DELETE FROM {table} WHERE project_id = ?", [project])


def _note_deletion(session: Session) -> None:
    session.ask("INSERT INTO meta VALUES ('went', 'yes') ON CONFLICT DO NOTHING")


def read_known(session: Session) -> dict[str, Known]:
    columns = [field.name for field in fields(Known)]
    rows = session.ask(f"SELECT project_id, {', '.join(columns)} FROM repositories")
    return {project: Known(**dict(zip(columns, row, strict=True))) for project, *row in rows}


def open_store(url: str, environ: Mapping[str, str]) -> Store:
    """Open ``postgresql://…`` or ``parquet:…``; anything else is a DuckDB file. Raises TrajError."""
    if _PASSWORD.search(url):
        raise UsageError(
            f"{without_password(url)} contains a password, which every process could see",
            "leave it out: PGPASSFILE or a service file has it (man psql)",
        )
    try:
        if url.startswith(("postgresql://", "postgres://")):
            from gittraj.gather.postgres import PostgresStore  # noqa: PLC0415 - each engine has its library

            return PostgresStore(url)
        if url.startswith("parquet:"):
            from gittraj.gather.parquet import ParquetStore  # noqa: PLC0415

            return ParquetStore(url.removeprefix("parquet:"))
        from gittraj.gather.duck import DuckStore  # noqa: PLC0415

        return DuckStore(url.removeprefix("duckdb:"))
    except ImportError as error:
        raise TrajError(
            f"{error.name} is not installed", "pip install 'git-traj[gather]' brings the engines"
        ) from None


def takes_text(known: Known, before: Iterable[Row], gathered: Gathered) -> bool:
    """Whether the engine has text that is no longer in ``gathered``: a part was deleted, its secrets were
    replaced, the rules changed, or less is wanted. ``before``: rows (trajectory, part, redactions)."""
    (row,) = gathered.rows["repositories"]
    new = dict(zip(names("repositories"), row, strict=True))
    if any(getattr(known, name) != new[name] for name in ("ruleset", "contents", "epoch", "version")):
        return True
    at = names("parts").index("redactions")
    now = {(row[1], row[2]): row[at] for row in gathered.rows["parts"]}
    return any(now.get((trajectory, part), -1) != redactions for trajectory, part, redactions in before)

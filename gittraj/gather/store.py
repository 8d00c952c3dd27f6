"""The interface of an engine, and the choice of one by its address. Must not depend on what the rows mean."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gittraj.errors import TrajError, UsageError
from gittraj.frozen import dataclass
from gittraj.gather.schema import TABLES, VERSION, names
from gittraj.gather.terms import unite
from gittraj.sync.remote import without_password

if TYPE_CHECKING:
    from gittraj.gather.collect import Gathered

_PASSWORD = re.compile(r"//[^/@\s]*:[^/@\s]*@|[?&\s]password\s*=", re.I)
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A repository as it was gathered last; ``version`` is the schema's; ``tips`` as by ``spell_tips``."""

    name: str
    remote: str
    tips: str
    contents: str
    ruleset: str
    version: int
    gathered_at: datetime
    epoch: str
    parts: int


class Session(ABC):
    """A connection. Parameters are ``?`` in every engine; names of tables are without a schema.
    ``has_words``: no index knows the words of ``texts``, so that ``words`` is to be asked first."""

    has_words = False

    @abstractmethod
    def ask(self, question: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Raises TrajError."""

    @abstractmethod
    def has_stems(self, column: str, stems: Sequence[str], *, prefix: bool) -> tuple[str, list[Any]]:
        """The condition that ``column`` has all of these stems, or (``prefix``) words that begin with them,
        and its parameters."""

    @abstractmethod
    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> None: ...

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


class Database(Store):
    """An engine with transactions. ``meta`` records whether text was deleted since the last ``sweep``."""

    @abstractmethod
    def writing(self, projects: Collection[str]) -> AbstractContextManager[Session]:
        """A transaction that changes the rows of these repositories, and excludes others that do."""

    def replace(self, found: Sequence[Gathered]) -> None:
        with self.writing(sorted(each.source.project_id for each in found)) as session:
            known = read_known(session)  # read again, as another gather may have been faster
            old = [each for each in found if each.source.project_id in known]
            question = "SELECT trajectory_id, part_id, redactions FROM parts WHERE project_id = ?"
            for each in old:
                project = each.source.project_id
                if takes_text(known[project], session.ask(question, [project]), each):
                    _note_deletion(session)
                _delete(session, project)
            now = datetime.now(UTC).replace(tzinfo=None)
            for table in TABLES:
                rows = [row for each in found for row in each.rows[table]]
                if table == "repositories":
                    rows = [repository_row(each, now) for each in found]
                if rows:
                    session.insert(table, rows)

    def forget(self, projects: Collection[str]) -> None:
        with self.writing(sorted(projects)) as session:
            for project in projects:
                _delete(session, project)
            _note_deletion(session)


def migrate(session: Session) -> None:
    """Make ``words``, which version 4 brought, of the texts that are here. A repository with tests is
    gathered again, as of these there is more to know. Earlier ones delete no words."""
    projects = "SELECT project_id FROM repositories UNION SELECT project_id FROM words"
    current = "SELECT project_id FROM repositories WHERE version >= 4"
    for (project,) in session.ask(f"SELECT * FROM ({projects}) p WHERE project_id NOT IN ({current})"):
        said = unite(session.ask("SELECT kind, terms FROM texts WHERE project_id = ?", [project]))
        before = session.ask("SELECT kind, terms FROM words WHERE project_id = ?", [project])
        if sorted(before) == sorted(said):
            continue
        if before:
            session.execute("DELETE FROM words WHERE project_id = ?", [project])
            _note_deletion(session)
        session.insert("words", [(project, *words) for words in said])
    session.execute(
        "UPDATE repositories SET version = 4 WHERE version = 3 AND project_id NOT IN"
        " (SELECT project_id FROM tests)"
    )


def _delete(session: Session, project: str) -> None:
    for table in TABLES:
        session.execute(f"DELETE FROM {table} WHERE project_id = ?", [project])


def _note_deletion(session: Session) -> None:
    session.execute("INSERT INTO meta VALUES ('went', 'yes') ON CONFLICT DO NOTHING")


def read_known(session: Session) -> dict[str, Known]:
    columns = [name for name in names("repositories") if name != "project_id"]
    rows = session.ask(f"SELECT project_id, {', '.join(columns)} FROM repositories")
    return {row[0]: Known(**dict(zip(columns, row[1:], strict=True))) for row in rows}


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
            f"{error.name} is not installed", "install the engines with pip install 'git-traj[gather]'"
        ) from None


def repository_row(gathered: Gathered, now: datetime) -> Row:
    return (
        gathered.source.project_id,
        gathered.source.name,
        gathered.source.address,
        spell_tips(gathered.tips),
        gathered.contents,
        gathered.ruleset,
        VERSION,
        now,
        gathered.epoch,
        len(gathered.rows["parts"]),
    )


def spell_tips(tips: Mapping[str, str]) -> str:
    return " ".join(f"{ref}={tip}" for ref, tip in sorted(tips.items()))


def takes_text(known: Known, before: Iterable[Row], gathered: Gathered) -> bool:
    """Whether the engine has text that is no longer in ``gathered``: a part was deleted, its secrets were
    replaced, the rules changed, or less is wanted. ``before``: rows (trajectory, part, redactions)."""
    now_is = (gathered.ruleset, gathered.contents, gathered.epoch, VERSION)
    if (known.ruleset, known.contents, known.epoch, known.version) != now_is:
        return True
    at = names("parts").index("redactions")
    now = {(row[1], row[2]): row[at] for row in gathered.rows["parts"]}
    return any(now.get((trajectory, part), -1) != redactions for trajectory, part, redactions in before)

"""PostgreSQL, by psycopg: rows by COPY, partitions by repository, words by tsvector, readers by its roles.

Everything is in the schema ``traj``. Who is in ``traj.readers`` reads the repositories that it names there; a
member of ``traj_figures`` reads the views ``traj.figures_…`` alone, which have no text. The owner reads all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

import psycopg
from psycopg import sql

from gittraj.errors import TrajError
from gittraj.gather.collect import Gathered
from gittraj.gather.schema import TABLES, VERSION, VIEWS, figures, names, spell_columns
from gittraj.gather.store import Known, Row, Session, Store, read_known, repository_row, takes_text

_PARTS = 16
"""Partitions of a table, by the hash of ``project_id``: what a cluster can spread. One for each of 3,000
repositories would take a lock for each in every question."""
_LOCK = 0x7472616A
"""Of the transaction that makes the tables."""
_READABLE = """
CREATE TABLE IF NOT EXISTS traj.readers (reader text NOT NULL, project_id text NOT NULL,
    PRIMARY KEY (reader, project_id));
CREATE OR REPLACE FUNCTION traj.readable() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog AS $$
    SELECT coalesce(array_agg(project_id), '{}') FROM traj.readers WHERE pg_has_role(
        CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role') END,
        to_regrole(quote_ident(reader)), 'USAGE')
$$;
"""
"""A reader is a role; so is a group. The function's answer is about whoever asks, and nobody else."""
_ROLES = ("traj_reader", "traj_figures")


class PostgresSession(Session):
    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def ask(self, question: str, parameters: Sequence[Any] = ()) -> list[Row]:
        spelt = question.replace("%", "%%").replace("?", "%s")
        try:
            return self._connection.execute(cast(Any, spelt), parameters).fetchall()
        except psycopg.Error as error:
            raise _failed(error) from None

    def has_stems(self, column: str, stems: Sequence[str], *, prefix: bool) -> tuple[str, list[Any]]:
        # what is beside a quote needs no other escape in a tsquery
        quoted = ["'" + stem.replace("\\", "\\\\").replace("'", "''") + "'" for stem in stems]
        return f"{column}_words @@ ?::tsquery", [" & ".join(q + ":*" * prefix for q in quoted)]


class PostgresStore(Store):
    def __init__(self, url: str) -> None:
        self._url = url

    def prepare(self) -> None:
        with self._opened() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            connection.execute("CREATE SCHEMA IF NOT EXISTS traj")
            connection.execute("CREATE TABLE IF NOT EXISTS traj.meta (name text PRIMARY KEY, value text)")
            made = connection.execute("SELECT value FROM traj.meta WHERE name = 'version'").fetchone()
            if made != (str(VERSION),):
                _make(connection)
            _grant(connection)

    def replace(self, found: Sequence[Gathered]) -> None:
        with self._opened() as connection:
            for each in sorted(found, key=lambda each: each.source.project_id):
                connection.execute(
                    "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK, each.source.project_id]
                )
            known = read_known(PostgresSession(connection))  # now: another gather may have been faster
            old = [each for each in found if each.source.project_id in known]
            if any(_takes_text(connection, known[each.source.project_id], each) for each in old):
                _note_deletion(connection)
            _delete(connection, [each.source.project_id for each in old])
            now = datetime.now(UTC).replace(tzinfo=None)
            for table in TABLES:
                rows = [row for each in found for row in each.rows[table]]
                if table == "repositories":
                    rows = [repository_row(each, now) for each in found]
                _copy(connection, table, rows)

    def forget(self, projects: Collection[str]) -> None:
        with self._opened() as connection:
            _delete(connection, projects)
            connection.execute("DELETE FROM traj.readers WHERE project_id = ANY(%s)", [[*projects]])
            _note_deletion(connection)

    def sweep(self) -> None:
        with self._opened(autocommit=True) as connection:
            if connection.execute("DELETE FROM traj.meta WHERE name = 'went' RETURNING 1").fetchone():
                for table in TABLES:
                    connection.execute(sql.SQL("VACUUM FULL traj.{}").format(sql.Identifier(table)))

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._opened() as connection:
            yield PostgresSession(connection)

    @contextmanager
    def _opened(self, *, autocommit: bool = False) -> Iterator[psycopg.Connection[Row]]:
        """One transaction. Passwords are libpq's business: PGPASSFILE, service files."""
        try:
            with psycopg.connect(self._url, autocommit=autocommit, application_name="git-traj") as connection:
                connection.execute("SET search_path = traj, pg_catalog")
                connection.execute("SET timezone = 'UTC'")
                yield connection
        except psycopg.Error as error:
            raise _failed(error) from None


def _make(connection: psycopg.Connection[Row]) -> None:
    _run(connection, _READABLE)
    for table in TABLES:
        _make_table(connection, table)
    for view, query in VIEWS.items():
        _make_view(connection, view, query.format(s="traj."), "security_invoker")
    for view, query in figures("traj."):
        _make_view(connection, view, query, "security_barrier")
    _run(connection, "REVOKE ALL ON FUNCTION traj.readable() FROM PUBLIC")
    _run(connection, "DELETE FROM traj.meta WHERE name = 'version'")
    connection.execute("INSERT INTO traj.meta VALUES ('version', %s)", [str(VERSION)])


def _make_table(connection: psycopg.Connection[Row], table: str) -> None:
    stemmed = ", terms_words tsvector" if table == "texts" else ""
    columns = spell_columns(table, "postgresql") + stemmed
    if _has(connection, table):
        for column in columns.split(", "):  # of a later version
            _run(connection, f"ALTER TABLE traj.{table} ADD COLUMN IF NOT EXISTS {column}")
        return
    _run(connection, f"CREATE TABLE traj.{table} ({columns}) PARTITION BY HASH (project_id)")
    for number in range(_PARTS):
        _run(
            connection,
            f"CREATE TABLE traj.{table}_{number} PARTITION OF traj.{table}"
            f" FOR VALUES WITH (MODULUS {_PARTS}, REMAINDER {number})",
        )
    second = next((n for n in ("trajectory_id", "commit_id") if n in names(table)), None)
    _run(connection, f"CREATE INDEX ON traj.{table} (project_id{f', {second}' if second else ''})")
    if stemmed:
        _run(connection, f"CREATE INDEX ON traj.{table} USING gin (terms_words)")
    _run(connection, f"ALTER TABLE traj.{table} ENABLE ROW LEVEL SECURITY")
    _run(
        connection,
        # asked once for each question, not for each row
        f"CREATE POLICY readers ON traj.{table} FOR SELECT"
        " USING (project_id = ANY ((SELECT traj.readable())::text[]))",
    )


def _make_view(connection: psycopg.Connection[Row], view: str, query: str, how: str) -> None:
    _run(connection, f"CREATE OR REPLACE VIEW traj.{view} WITH ({how} = true) AS {query}")


def _grant(connection: psycopg.Connection[Row]) -> None:
    """Make the two groups where we may, and let them in: readers to what their rows say, figures to views."""
    for role in _ROLES:
        (there,) = connection.execute("SELECT to_regrole(%s) IS NOT NULL", [role]).fetchone() or (False,)
        if not there:
            try:
                with connection.transaction():
                    _run(connection, f"CREATE ROLE {role} NOLOGIN")
            except psycopg.errors.InsufficientPrivilege:
                continue  # an administrator makes it, and the next gather grants
        _run(connection, f"GRANT USAGE ON SCHEMA traj TO {role}")
    for table in [*TABLES, *VIEWS]:
        _grant_select(connection, table, "traj_reader")
    for view, _ in figures(""):
        _grant_select(connection, view, "traj_figures")
    if _is_role(connection, "traj_reader"):
        _run(connection, "GRANT EXECUTE ON FUNCTION traj.readable() TO traj_reader")


def _grant_select(connection: psycopg.Connection[Row], table: str, role: str) -> None:
    if _is_role(connection, role):
        _run(connection, f"GRANT SELECT ON traj.{table} TO {role}")


def _is_role(connection: psycopg.Connection[Row], role: str) -> bool:
    return connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone() is not None


def _has(connection: psycopg.Connection[Row], table: str) -> bool:
    return connection.execute("SELECT to_regclass(%s)", [f"traj.{table}"]).fetchone() != (None,)


def _copy(connection: psycopg.Connection[Row], table: str, rows: Sequence[Row]) -> None:
    columns = names(table)
    if table == "texts":  # stems are one word each, so that a tsvector of them needs no parser
        columns = [*columns, "terms_words"]
        rows = [(*row, _spell_words(row[-1])) for row in rows]
    with (
        connection.cursor() as cursor,
        cursor.copy(cast(Any, f"COPY traj.{table} ({', '.join(columns)}) FROM STDIN")) as copy,
    ):
        for row in rows:
            copy.write_row(row)


def _spell_words(terms: str) -> str:
    quoted = (word.replace("\\", "\\\\").replace("'", "''") for word in terms.split())
    return " ".join(f"'{word}'" for word in quoted)


def _delete(connection: psycopg.Connection[Row], projects: Collection[str]) -> None:
    for table in TABLES if projects else ():
        connection.execute(cast(Any, f"DELETE FROM traj.{table} WHERE project_id = ANY(%s)"), [[*projects]])


def _takes_text(connection: psycopg.Connection[Row], known: Known, gathered: Gathered) -> bool:
    question = "SELECT trajectory_id, part_id, redactions FROM traj.parts WHERE project_id = %s"
    return takes_text(known, connection.execute(question, [gathered.source.project_id]).fetchall(), gathered)


def _note_deletion(connection: psycopg.Connection[Row]) -> None:
    connection.execute("INSERT INTO traj.meta VALUES ('went', 'yes') ON CONFLICT DO NOTHING")


def _run(connection: psycopg.Connection[Row], statement: str) -> None:
    connection.execute(cast(Any, statement))


def _failed(error: psycopg.Error) -> TrajError:
    lines = str(error).strip().splitlines() or ["it failed"]
    return TrajError(f"PostgreSQL: {lines[0]}", "psql with the same URL asks it, too")

"""PostgreSQL, by psycopg: rows by COPY, partitions by repository, words by tsvector, readers by its roles.

Everything is in the schema ``traj``. A role in ``traj.readers`` can read the repositories listed for it; a
member of ``traj_figures`` only the views ``traj.figures_…``, which have no text. The owner can read all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg

from gittraj.gather.schema import TABLES, VERSION, VIEWS, figures, names, spell_columns
from gittraj.gather.store import Database, Row, Session, as_error

_PARTS = 16
"""Partitions of a table, by the hash of ``project_id``, which a cluster can distribute. With one for each of
3,000 repositories, every query would take 3,000 locks."""
_LOCK = 0x7472616A
"""The advisory lock of the transaction that makes the tables."""
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
"""Readers and groups are roles. The function returns only the repositories of the role that calls it."""


class PostgresSession(Session):
    has_text_index = True

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def ask(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        spelt = cast(Any, statement.replace("%", "%%").replace("?", "%s"))
        cursor = self._connection.execute(spelt, parameters)
        return cursor.fetchall() if cursor.description else []

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        columns = names(table)
        if table == "texts":  # stems are one word each: a tsvector of them needs no parser
            columns = [*columns, "terms_words"]
            rows = [(*row, " ".join(map(_quote, row[-1].split()))) for row in rows]
        copied = cast(Any, f"COPY traj.{table} ({', '.join(columns)}) FROM STDIN")
        with self._connection.cursor() as cursor, cursor.copy(copied) as copy:
            for row in rows:
                copy.write_row(row)

    def has_stems(self, column: str, stems: Sequence[str], *, prefix: bool) -> tuple[str, list[Any]]:
        asked = " & ".join(_quote(stem) + ":*" * prefix for stem in stems)
        return f"{column}_words @@ ?::tsquery", [asked]


class PostgresStore(Database):
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

    @contextmanager
    def writing(self, projects: Collection[str]) -> Iterator[Session]:
        with self._opened() as connection:
            for project in projects:  # in order, so that two gathers never wait for each other
                connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK, project])
            yield PostgresSession(connection)

    def sweep(self) -> None:
        with self._opened(autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM traj.meta WHERE name = 'went'").fetchone():
                for table in TABLES:
                    _run(connection, f"VACUUM FULL traj.{table}")
                _run(connection, "DELETE FROM traj.meta WHERE name = 'went'")

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._opened() as connection:
            yield PostgresSession(connection)

    @contextmanager
    def _opened(self, *, autocommit: bool = False) -> Iterator[psycopg.Connection[Row]]:
        """Open one transaction. Passwords are left to libpq: PGPASSFILE, service files."""
        try:
            with psycopg.connect(self._url, autocommit=autocommit, application_name="git-traj") as connection:
                connection.execute("SET search_path = traj, pg_catalog")
                connection.execute("SET timezone = 'UTC'")
                yield connection
        except psycopg.Error as error:
            raise as_error("PostgreSQL", error, "psql with the same URL asks it, too") from None


def _make(connection: psycopg.Connection[Row]) -> None:
    _run(connection, _READABLE)
    for table in TABLES:
        _make_table(connection, table)
    for view, query in VIEWS.items():
        _make_view(connection, view, query, "security_invoker")
    for view, query in figures():
        _run(connection, f"DROP VIEW IF EXISTS traj.{view}")  # replacing a view cannot remove columns
        _make_view(connection, view, query, "security_barrier")
    _run(connection, "REVOKE ALL ON FUNCTION traj.readable() FROM PUBLIC")
    _run(connection, "DELETE FROM traj.meta WHERE name = 'version'")
    connection.execute("INSERT INTO traj.meta VALUES ('version', %s)", [str(VERSION)])


def _make_table(connection: psycopg.Connection[Row], table: str) -> None:
    if connection.execute("SELECT to_regclass(%s)", [f"traj.{table}"]).fetchone() == (None,):
        _create_table(connection, table)
    for column in spell_columns(table):  # an earlier version's table may lack some
        _run(connection, f"ALTER TABLE traj.{table} ADD COLUMN IF NOT EXISTS {column}")
    for column in [c.name for c in TABLES[table] if c.is_text] + ["terms_words"] * (table == "texts"):
        # ANALYZE would store values in statistics, where no VACUUM deletes them
        _run(connection, f"ALTER TABLE traj.{table} ALTER COLUMN {column} SET STATISTICS 0")


def _create_table(connection: psycopg.Connection[Row], table: str) -> None:
    columns = spell_columns(table) + ["terms_words tsvector"] * (table == "texts")
    _run(connection, f"CREATE TABLE traj.{table} ({', '.join(columns)}) PARTITION BY HASH (project_id)")
    for number in range(_PARTS):
        _run(
            connection,
            f"CREATE TABLE traj.{table}_{number} PARTITION OF traj.{table}"
            f" FOR VALUES WITH (MODULUS {_PARTS}, REMAINDER {number})",
        )
    second = next((n for n in ("trajectory_id", "commit_id") if n in names(table)), None)
    _run(connection, f"CREATE INDEX ON traj.{table} (project_id{f', {second}' if second else ''})")
    if table == "texts":
        _run(connection, "CREATE INDEX ON traj.texts USING gin (terms_words)")
        _run(connection, "CREATE INDEX ON traj.texts (ended_at)")
    _run(connection, f"ALTER TABLE traj.{table} ENABLE ROW LEVEL SECURITY")
    _run(
        connection,
        # evaluated once per query, not per row
        f"CREATE POLICY readers ON traj.{table} FOR SELECT"
        " USING (project_id = ANY ((SELECT traj.readable())::text[]))",
    )


def _make_view(connection: psycopg.Connection[Row], view: str, query: str, how: str) -> None:
    _run(connection, f"CREATE OR REPLACE VIEW traj.{view} WITH ({how} = true) AS {query}")


def _grant(connection: psycopg.Connection[Row]) -> None:
    """Create the two groups if we may, and grant access: readers to tables, figures to the figures views."""
    groups = {"traj_reader": [*TABLES, *VIEWS], "traj_figures": [view for view, _ in figures()]}
    for role, relations in groups.items():
        (there,) = connection.execute("SELECT to_regrole(%s) IS NOT NULL", [role]).fetchone() or (False,)
        if not there:
            try:
                with connection.transaction():
                    _run(connection, f"CREATE ROLE {role} NOLOGIN")
            except psycopg.errors.InsufficientPrivilege:
                continue  # an administrator can create it, then the next gather grants access
        _run(connection, f"GRANT USAGE ON SCHEMA traj TO {role}")
        _run(connection, f"GRANT SELECT ON {', '.join(f'traj.{name}' for name in relations)} TO {role}")
        if role == "traj_reader":
            _run(connection, f"GRANT EXECUTE ON FUNCTION traj.readable() TO {role}")


def _quote(stem: str) -> str:
    """Quote a word for a tsvector or tsquery."""
    return "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"


def _run(connection: psycopg.Connection[Row], statement: str) -> None:
    connection.execute(cast(Any, statement))

"""Gathering into PostgreSQL, and which role sees what there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gittraj.gather.schema import TABLES, VIEWS, figures
from gittraj.model.values import Tombstone
from tests.integration.gather.cluster import find_programs
from tests.integration.gather.team import Team, full_record
from tests.integration.story import Story

psycopg = pytest.importorskip("psycopg")


@pytest.fixture
def team(tmp_path: Path, postgres: str) -> Team:
    return Team(tmp_path, postgres)


def rows(team: Team, question: str, *, role: str = "owner") -> list[Any]:
    url = team.url.replace("user=owner", f"user={role}")
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(question).fetchall()


def dump(team: Team) -> str:
    programs = find_programs()
    assert programs is not None
    done = subprocess.run([programs / "pg_dump", "-d", team.url], capture_output=True, check=True, text=True)
    return done.stdout


def test_rows_are_added_changed_and_deleted(team: Team) -> None:
    git = team.repository("api", [[full_record("one", chosen="the cormorant")], [full_record("two", 1)]])
    team.repository("web", [[full_record("one")]])
    assert team.gather()["gathered"] == 2
    assert team.gather()["unchanged"] == 2
    assert rows(team, "SELECT count(*), sum(input_tokens)::int FROM traj.costs") == [(3, 301)]
    assert team.differences() == []
    with git.open() as repository:
        Story(repository).note(git("rev-parse", "HEAD~1"), Tombstone(id="one", deleted="x", scope="all"))
    team.gather()
    assert "cormorant" not in dump(team)
    assert rows(team, "SELECT count(*) FROM traj.parts") == [(2,)]
    team.traj("gather", "--forget", "acme/web", "--into", team.url)
    assert rows(team, "SELECT name FROM traj.repositories") == [("acme/api",)]
    assert team.differences() == []


def test_views_of_an_earlier_version_are_recreated(team: Team) -> None:
    team.repository("api", [[full_record("one")]])
    team.gather()
    with psycopg.connect(team.url, autocommit=True) as connection:
        connection.execute("UPDATE traj.meta SET value = '1' WHERE name = 'version'")
        connection.execute("DROP VIEW traj.figures_links")
        connection.execute("CREATE VIEW traj.figures_links AS SELECT link, project_id FROM traj.links")
    team.gather()
    with pytest.raises(psycopg.errors.UndefinedColumn):
        rows(team, "SELECT link FROM traj.figures_links")
    assert rows(team, "SELECT role FROM traj.figures_links") == [("produced",)]


def test_two_gathers_at_once_duplicate_nothing(team: Team) -> None:
    for name in ("a", "b", "c"):
        team.repository(name, [[full_record(f"t{n}", n)] for n in range(3)])
    start = [sys.executable, "-m", "gittraj", "gather", "clones", "--into", team.url, "--jobs", "1"]
    both = [subprocess.Popen(start, cwd=team.root, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert rows(team, "SELECT count(*) FROM traj.parts") == [(9,)]
    assert team.differences() == []


_SECRET = "cormorant"  # in the repository that no role may read
_ATTEMPTS = (
    "SELECT * FROM {t}",
    "SELECT count(*) FROM {t}",
    "SELECT * FROM {t} WHERE {t}::text LIKE '%cormoran_%'",
    "SELECT * FROM traj.texts WHERE terms_words @@ 'cormor'::tsquery",
    "SELECT * FROM ts_stat('SELECT terms_words FROM traj.texts')",
    "SELECT * FROM traj.texts_0",
    "SELECT leak(terms) FROM traj.texts",
    "SELECT * FROM traj.texts WHERE leak(terms)",
    "SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE schemaname = 'traj'",
    "EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM traj.decisions WHERE chosen < 'the corn'",
    "SELECT traj.readable()",
    "SELECT * FROM traj.readers",
    # functions, operators, views and copies of the role's own
    "SELECT * FROM {t} WHERE pg_temp.leak({t}::text)",
    "SELECT * FROM {t} WHERE {t}::text OPERATOR(pg_temp.~~~) ''",
    "SELECT ({t}::text)::int FROM {t}",  # the error shows the value
    "CREATE TEMP VIEW mine AS SELECT * FROM traj.texts; SELECT * FROM mine",
    "CREATE TEMP TABLE copied AS SELECT * FROM traj.texts; SELECT * FROM copied",
    "PREPARE again AS SELECT * FROM traj.texts; EXECUTE again",
    "SELECT query_to_xml('SELECT * FROM traj.texts', true, true, '')",
    "SELECT schema_to_xml('traj', true, true, '')",
    "SELECT ts_headline(text, 'crow'::tsquery) FROM traj.texts",
    # more rights
    "SET row_security = off; SELECT * FROM traj.texts",
    "SET row_security = on",
    "SET ROLE zoe; SELECT * FROM traj.texts",
    "SET SESSION AUTHORIZATION owner; SELECT * FROM traj.texts",
    "SELECT set_config('role', 'zoe', false); SELECT * FROM traj.texts",
    "SET search_path = pg_temp, pg_catalog; SELECT * FROM traj.texts",
    "GRANT zoe TO current_user",
    "ALTER TABLE traj.texts DISABLE ROW LEVEL SECURITY",
    "CREATE POLICY mine ON traj.texts USING (true)",
    "CREATE OR REPLACE FUNCTION traj.readable() RETURNS text[] LANGUAGE sql AS $$ SELECT '{}'::text[] $$",
    "INSERT INTO traj.readers SELECT current_user, project_id FROM traj.repositories",
    "UPDATE traj.parts SET counted = counted RETURNING *",
    "DELETE FROM traj.decisions RETURNING *",
    # what PostgreSQL knows about its tables and connections
    "SELECT * FROM pg_statistic",
    "SELECT * FROM pg_stats_ext",
    "SELECT query FROM pg_stat_activity",
    "SELECT pg_get_viewdef(oid) FROM pg_class WHERE relkind = 'v' AND relnamespace = 'traj'::regnamespace",
)
_OPERATOR = (
    "CREATE FUNCTION pg_temp.leaks(said text, _ text) RETURNS bool LANGUAGE sql AS"
    " $$ SELECT pg_temp.leak(said) $$;"
    " CREATE OPERATOR pg_temp.~~~ (FUNCTION = pg_temp.leaks, LEFTARG = text, RIGHTARG = text,"
    " RESTRICT = scalarltsel)"
)
_LEAK = (
    "CREATE FUNCTION {schema}.leak(said text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS"
    " $$ BEGIN RAISE NOTICE '%', said; RETURN true; END $$"
)


def _seen_by(team: Team, role: str) -> str:
    """Everything that a role sees in all its attempts: rows, notices and errors."""
    found: list[str] = []
    url = team.url.replace("user=owner", f"user={role}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.add_notice_handler(lambda notice: found.append(str(notice.message_primary)))
        connection.execute("SET search_path = public, pg_catalog")
        connection.execute(_LEAK.format(schema="pg_temp"))
        connection.execute(_OPERATOR)
        names = [
            *TABLES,
            *VIEWS,
            *(view for view, _ in figures()),
            *(f"{table}_{number}" for table in ("parts", "texts") for number in (0, 15)),
        ]
        for attempt in _ATTEMPTS:
            for name in names if "{t}" in attempt else [""]:
                try:
                    answer = connection.execute(
                        attempt.replace("{t}::text", "t::text").replace("{t}", f"traj.{name} t")
                    )
                    while answer.nextset():  # the last of several statements asks
                        pass
                    found.append(f"{attempt} {name}: {answer.fetchall() if answer.description else ''}")
                except psycopg.Error as error:
                    found.append(str(error))
    return "\n".join(found)


def test_a_role_sees_only_what_it_was_granted(team: Team) -> None:
    team.repository("api", [[full_record("one", chosen="the egret")]])
    team.repository("secret", [[full_record("two", chosen=f"the {_SECRET}")]])
    team.gather("--prompts")
    ids = dict(rows(team, "SELECT name, project_id FROM traj.repositories"))
    with psycopg.connect(team.url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        connection.execute(_LEAK.format(schema="public"))
        for role, group in _ROLES.items():
            connection.execute(f"CREATE ROLE {role} LOGIN")
            for each in group:
                connection.execute(f"GRANT {each} TO {role}")
        connection.execute("CREATE ROLE readers_of_api NOLOGIN")
        connection.execute("GRANT readers_of_api TO grace")
        api, secret = ids["acme/api"], ids["acme/secret"]
        reading = [("ann", api), ("readers_of_api", api), ("zoe", api), ("zoe", secret), ("gone", secret)]
        for reader, project in reading:
            connection.execute("INSERT INTO traj.readers VALUES (%s, %s)", [reader, project])
    try:
        seen = {role: _seen_by(team, role) for role in _ROLES}
        assert {role for role, text in seen.items() if "the egret" in text} == {"ann", "grace", "zoe"}
        assert {role for role, text in seen.items() if _SECRET in text} == {"zoe"}
        for role in ("ann", "grace"):
            assert secret not in seen[role]
            assert "cormor" not in seen[role].replace("'cormor'", "").replace("cormoran_", "")
        assert not [name for name in ("acme", api, secret, "egret") if name in seen["eve"]]
        assert rows(team, "SELECT count(*), sum(cost_usd) FROM traj.figures_parts", role="fred") == [(2, 0.5)]
        numbers = [
            str(rows(team, f"SELECT * FROM traj.figures_{t}", role="fred")) for t in TABLES if t not in _TEXT
        ]
        for text in (*numbers, seen["fred"]):
            assert not [said for said in ("egret", "A U Thor", "src/limit", "sliding") if said in text]
        assert rows(team, "SELECT count(*) FROM traj.readers") == [(len(reading),)]  # nobody changed anything
        assert rows(team, "SELECT count(*) FROM traj.decisions") == [(2,)]
    finally:
        with psycopg.connect(team.url, autocommit=True) as connection:
            for role in (*_ROLES, "readers_of_api"):
                connection.execute(f"DROP OWNED BY {role}")
                connection.execute(f"DROP ROLE {role}")


_TEXT = ("texts", "words", "events")
_ROLES = {
    "ann": ["traj_reader"],  # may read one repository
    "grace": ["traj_reader"],  # may read the same through a group
    "zoe": ["traj_reader"],  # may read both
    "fred": ["traj_figures"],  # may read numbers alone
    "eve": ["traj_reader"],  # may read nothing
}

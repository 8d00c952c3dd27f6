"""What was purged or forgotten in ten repositories is gone everywhere after one gather, byte by byte; and a
hostile repository can change only its own rows."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from gittraj.gather.schema import TABLES
from gittraj.model.values import Message, Tombstone
from tests.integration import command
from tests.integration.gather.cluster import find_programs
from tests.integration.gather.team import Team, full_record
from tests.integration.repository import Git
from tests.integration.story import Story
from tests.sizes import size

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

_REPOSITORIES = size(3, 10)
_GONE = ("cormor", "egret", "heron", "bittern")  # words of deleted texts, or their stems
_STAYS = "goldfinch"


def _read_files(folder: Path) -> Iterator[bytes]:
    yield from (path.read_bytes() for path in folder.rglob("*") if path.is_file())


def _in_duckdb(team: Team) -> Iterator[bytes]:
    yield from (path.read_bytes() for path in team.root.glob("team.duckdb*"))
    with closing(duckdb.connect(str(team.root / team.url), read_only=True)) as connection:
        for table in TABLES:
            yield str(connection.execute(f"SELECT * FROM {table}").fetchall()).encode()


def _in_parquet(team: Team) -> Iterator[bytes]:
    lake = team.root / "lake"
    yield from _read_files(lake)
    for file in lake.rglob("*.parquet"):
        yield str(duckdb.sql(f"SELECT * FROM read_parquet('{file}')").fetchall()).encode()


def _in_postgresql(team: Team) -> Iterator[bytes]:
    """The dump, the planner's statistics of values, and the files of the database once they are written."""
    import psycopg

    programs = find_programs()
    assert programs is not None
    yield subprocess.run([programs / "pg_dump", "-d", team.url], capture_output=True, check=True).stdout
    with psycopg.connect(team.url, autocommit=True) as connection:
        seen = "most_common_vals::text, most_common_elems::text, histogram_bounds::text"
        yield str(connection.execute(f"SELECT {seen} FROM pg_stats").fetchall()).encode()
        connection.execute("CHECKPOINT")
        question = "SELECT oid FROM pg_database WHERE datname = current_database()"
        ((oid,),) = connection.execute(question).fetchall()
    (folder,) = parse_qs(urlsplit(team.url).query)["host"]
    yield from _read_files(Path(folder) / "data" / "base" / str(oid))


_ENGINES: dict[str, Callable[[Team], Iterator[bytes]]] = {  # functions that read all that is stored
    "team.duckdb": _in_duckdb,
    "parquet:lake": _in_parquet,
    "postgresql": _in_postgresql,
}


def _fill(team: Team, number: int) -> Git:
    git = team.repository(f"repository{number}", [[full_record("stays", chosen=f"the {_STAYS}")], [], []])
    with git.open() as repository:
        story = Story(repository)
        said = Message(id="e1", ts="2026-01-02T03:04:01.000Z", content="a heron was seen")
        segment = story.segment("purged", 1, [said])
        story.note(
            git("rev-parse", "HEAD~1"), full_record("purged", 1, chosen="the cormorant", segments=[segment])
        )
        story.note(
            git.head(), full_record("forgotten", 2, chosen="the egret", prompt="where is the bittern?")
        )
    return git


def _analyze(team: Team) -> None:
    """Collect statistics, as PostgreSQL does by itself."""
    if team.url.startswith("postgresql"):
        import psycopg

        with psycopg.connect(team.url, autocommit=True) as connection:
            connection.execute("ANALYZE")


def test_deleted_data_is_nowhere_and_a_hostile_repository_changes_nothing(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    teams = {Team(tmp_path, url): read for url, read in _ENGINES.items() if url != "postgresql"}
    if find_programs() is not None:
        teams[Team(tmp_path, request.getfixturevalue("postgres"))] = _in_postgresql
    (first, *_) = teams
    gits = [_fill(first, number) for number in range(_REPOSITORIES)]
    hostile = first.repository(
        "hostile", [[full_record("stays", 7, chosen="<script>'); DROP TABLE parts; --")]]
    )
    for team, read in teams.items():
        team.gather("--prompts", "--events")
        _analyze(team)
        assert all(any(each in found for found in read(team)) for each in (b"cormorant", b" cormor "))
    with hostile.open() as repository:
        stones = [Tombstone(id=name, deleted="x", scope="all", rev=9) for name in ("stays", "purged")]
        Story(repository).note(hostile.head(), *stones, full_record("forgotten", 8, chosen="x" * 100_000))
    for git in gits:
        for args in (["purged", "--purge"], ["forgotten"]):
            said = command.traj(git.root, "forget", *args)
            assert said.returncode == 0, said
    for team, read in teams.items():
        assert team.gather("--prompts", "--events")["gathered"] == _REPOSITORIES + 1
        _analyze(team)
        for found in read(team):
            assert not [word for word in _GONE if word.encode() in found], team.url
        hits = team.ask("search", _STAYS, "-n", "50")["results"]
        assert len({hit["repository"] for hit in hits}) == len(hits) == _REPOSITORIES
        assert team.differences() == []

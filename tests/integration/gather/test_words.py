"""The ``words`` table: which texts a search reads, and how a store of an older version gets its words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gittraj.gather import ask_search
from gittraj.gather.schema import TABLES
from gittraj.gather.store import Session, open_store, read_known
from gittraj.model.values import TestRuns
from tests.integration.gather.team import Team, told
from tests.integration.story import record

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

_QUESTIONS = (
    ["cormorant"],
    ["heron"],
    ["bucket"],
    ["cormorant", "bucket"],
    ["cormorant", "OR", "egret"],
    ["bucket", "NOT", "cormorant"],
    ["buck*", "--since", "2026-01-01"],
    ["cormorant", "--in", "decision"],
    ["cormorant", "--in", "file"],
)
_WAYS = {
    "by repository": {"_FEW": 500},
    "the newest": {"_FEW": 0},
    "the newest are enough": {"_FEW": 0, "_NEWEST": 2, "CANDIDATES": 2},
    "the newest are too few": {"_FEW": 0, "_NEWEST": 1, "CANDIDATES": 2},
}


@pytest.mark.parametrize("way", _WAYS)
def test_every_way_of_reading_gives_the_same_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    team = Team(tmp_path, "team.duckdb")
    for number, chosen in enumerate(("a cormorant in a bucket", "a bucket", "a bucket")):
        team.repository(f"r{number}", [[told(f"t{number}", number, chosen=chosen), told("same", 5)]])
    team.gather()
    for name, value in _WAYS[way].items():
        monkeypatch.setattr(ask_search, name, value)
    found = [team.ask("search", *question) for question in _QUESTIONS]
    with open_store(str(tmp_path / team.url), os.environ).writing(()) as session:  # type: ignore[attr-defined]
        session.execute("DROP TABLE words")
    assert [team.ask("search", *question) for question in _QUESTIONS] == found
    assert [bool(each["results"]) for each in found] == [*[True, False], *[True] * 6, False]


@pytest.fixture(params=["team.duckdb", "postgresql"])
def team(request: pytest.FixtureRequest, tmp_path: Path) -> Team:
    url = request.param
    return Team(tmp_path, request.getfixturevalue("postgres") if url == "postgresql" else url)


def _make_version_3(session: Session) -> None:
    session.execute("UPDATE repositories SET version = 3")
    session.execute("DELETE FROM words")
    session.execute("ALTER TABLE tests DROP COLUMN failed_before CASCADE")


def test_a_store_of_the_previous_version_derives_words_from_its_texts(team: Team) -> None:
    team.repository("api", [[record("one", summary=told("one").figures.summary), record("two")]])
    team.repository("web", [[told("one", chosen="the cormorant")]])
    runs = TestRuns(runs=3, ran=True, kind="test", outcome="passed", failed_before=2)
    team.repository("app", [[record("three", tests=runs)]])
    team.gather()
    url = team.url if team.url.startswith("postgresql") else str(team.root / team.url)
    store = open_store(url, os.environ)
    with store.session() as session:
        words = session.ask("SELECT * FROM words ORDER BY 1, 2")
    with store.writing(()) as session:  # type: ignore[attr-defined]
        _make_version_3(session)
        if team.url.startswith("postgresql"):
            session.execute("UPDATE meta SET value = '3' WHERE name = 'version'")
    again = team.gather()
    assert (again["gathered"], again["unchanged"]) == (2, 1), "the one with tests is read again"
    with store.session() as session:
        assert session.ask("SELECT * FROM words ORDER BY 1, 2") == words
        assert session.ask("SELECT failed_before FROM tests ORDER BY 1") == [(2,), (None,)]
    assert team.differences() == []


def test_words_left_behind_by_an_older_version_are_deleted(tmp_path: Path) -> None:
    """The older version purged one repository and forgot another, but did not know the ``words`` table."""
    team = Team(tmp_path, "team.duckdb")
    for name, bird in (("purged", "cormorant"), ("forgotten", "bittern"), ("kept", "heron")):
        team.repository(name, [[record("t", decisions=told("t", chosen=bird).figures.decisions)]])
    team.gather()
    (tmp_path / "clones" / "forgotten").rename(tmp_path / "gone")
    store = open_store(str(tmp_path / team.url), os.environ)
    with store.writing(()) as session:  # type: ignore[attr-defined]
        ids = {known.name.rpartition("/")[2]: project for project, known in read_known(session).items()}
        session.execute("DELETE FROM repositories WHERE project_id = ?", [ids["forgotten"]])
        for table in TABLES:
            if table not in ("words", "repositories"):
                session.execute(
                    f"DELETE FROM {table} WHERE project_id IN (?, ?)", [ids["purged"], ids["forgotten"]]
                )
        session.execute("UPDATE repositories SET version = 3")
        session.execute("INSERT INTO meta VALUES ('went', 'yes')")
    store.sweep()
    assert team.gather()["unchanged"] == 2
    with store.session() as session:
        found = [session.ask(f"SELECT * FROM {table}") for table in TABLES]
    content = f"{(tmp_path / team.url).read_bytes()!r} {found}"
    assert [bird for bird in ("cormor", "bittern", "heron") if bird in content] == ["heron"]

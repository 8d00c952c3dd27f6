"""Which texts a search reads, and what becomes of the rows of an older version."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gittraj.gather import ask_search
from gittraj.gather.duck import DuckSession
from gittraj.gather.store import open_store
from gittraj.model.values import TestRuns
from tests.integration.gather.team import Team, full_record
from tests.integration.story import record
from tests.sizes import some

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
_WAYS = {  # the limits in ``ask_search`` that lead to each way of reading
    "by repository": {"_FEW": 500},
    "the newest": {"_FEW": 0},
    "the newest are enough": {"_FEW": 0, "_NEWEST": 2, "CANDIDATES": 2},
    "the newest are too few": {"_FEW": 0, "_NEWEST": 1, "CANDIDATES": 2},
}


@pytest.mark.parametrize("way", some(_WAYS, 2))
def test_every_way_of_reading_gives_the_answer_of_reading_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    team = Team(tmp_path, "team.duckdb")
    for number, chosen in enumerate(("a cormorant in a bucket", "a bucket", "a bucket")):
        team.repository(
            f"r{number}", [[full_record(f"t{number}", number, chosen=chosen), full_record("same", 5)]]
        )
    team.gather()
    for name, value in _WAYS[way].items():
        monkeypatch.setattr(ask_search, name, value)
    found = [team.ask("search", *question) for question in _QUESTIONS]
    monkeypatch.setattr(DuckSession, "has_text_index", True)
    monkeypatch.setattr(ask_search, "_NEWEST", 1_000)
    assert [team.ask("search", *question) for question in _QUESTIONS] == found
    assert [bool(each["results"]) for each in found] == [*[True, False], *[True] * 6, False]


@pytest.fixture(params=["team.duckdb", "postgresql"])
def team(request: pytest.FixtureRequest, tmp_path: Path) -> Team:
    url = request.param
    return Team(tmp_path, request.getfixturevalue("postgres") if url == "postgresql" else url)


def test_what_an_older_version_gathered_is_gathered_again(team: Team) -> None:
    runs = TestRuns(runs=3, ran=True, kind="test", outcome="passed", failed_before=2)
    team.repository("api", [[record("one", tests=runs)], [full_record("two")]])
    team.gather()
    url = team.url if team.url.startswith("postgresql") else str(team.root / team.url)
    with open_store(url, os.environ).writing(()) as session:  # type: ignore[attr-defined]
        session.ask("UPDATE repositories SET version = 3")
        session.ask("DELETE FROM words")
        session.ask("ALTER TABLE tests DROP COLUMN failed_before CASCADE")
        session.ask("DELETE FROM meta WHERE name = 'version'")
    assert team.gather()["gathered"] == 1
    assert team.differences() == []

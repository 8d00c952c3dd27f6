"""Gathering into Parquet files, which DuckDB and pyarrow read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gittraj.model.values import Tombstone
from tests.integration.gather.team import Team, full_record
from tests.integration.story import Story

duckdb = pytest.importorskip("duckdb")
dataset = pytest.importorskip("pyarrow.dataset")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path, "parquet:lake")


def test_files_are_added_changed_and_deleted(team: Team) -> None:
    git = team.repository("api", [[full_record("one", chosen="the cormorant")], [full_record("two", 1)]])
    team.repository("web", [[full_record("one")]])
    assert team.gather()["gathered"] == 2
    assert team.gather()["unchanged"] == 2
    assert team.differences() == []
    (found,) = duckdb.sql(
        f"SELECT sum(input_tokens), count(*), min(month) FROM '{team.root}/lake/parts/*/*/data.parquet'"
    ).fetchall()
    parts = dataset.dataset(team.root / "lake" / "parts", partitioning="hive").to_table()
    assert found == (sum(parts["input_tokens"].to_pylist()), 3, "2026-01") == (301, 3, "2026-01")
    with git.open() as repository:
        Story(repository).note(git("rev-parse", "HEAD~1"), Tombstone(id="one", deleted="x", scope="all"))
    team.gather()
    values = [
        dataset.dataset(folder, partitioning="hive").to_table() for folder in (team.root / "lake").iterdir()
    ]
    assert "cormorant" not in str([value.to_pylist() for value in values])
    team.traj("gather", "--forget", "acme/web", "--into", team.url)
    assert team.differences() == []
    assert len(list((team.root / "lake" / "parts").iterdir())) == 1


def test_the_next_gather_completes_one_that_was_killed_between_files(team: Team) -> None:
    git = team.repository("api", [[full_record("one")]])
    team.gather()
    written_last = (team.root / "lake").glob("repositories/*/data.parquet")
    old = {path: path.read_bytes() for path in written_last}
    with git.open() as repository:
        Story(repository).note(git.head(), full_record("two", 1))
    team.gather()
    for path, body in old.items():  # the state that a kill before the last file leaves
        path.write_bytes(body)
    assert team.gather()["gathered"] == 1
    assert team.differences() == []

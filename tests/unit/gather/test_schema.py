"""The views that show only statistics, without texts."""

from __future__ import annotations

import importlib
import pkgutil
from contextlib import closing

import pytest

import gittraj.formats
from gittraj.agents import all_agents
from gittraj.gather.schema import TABLES, figures, spell_columns
from gittraj.model.signs import SIGNS

duckdb = pytest.importorskip("duckdb")


def test_statistics_show_no_text_of_a_record() -> None:
    """Only ids are shown, and texts that git-traj or git itself writes."""
    harmless = {"name", "tips", "contents", "ruleset", "month", "date"}
    seen = {}
    with closing(duckdb.connect()) as connection:
        for view, query in figures():
            table = view.removeprefix("figures_")
            connection.execute(f"CREATE TABLE {table} ({', '.join(spell_columns(table))})")
            values = ["see the heron" if column.type == "text" else None for column in TABLES[table]]
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
            found = connection.execute(query).fetchone()
            seen[view] = dict(zip([name for name, *_ in connection.description], found, strict=True))
    leaking = {
        name
        for row in seen.values()
        for name, value in row.items()
        if value == "see the heron" and not name.endswith("_id") and name not in harmless
    }
    assert leaking == set()
    assert "remote" not in seen["figures_repositories"]
    assert seen["figures_parts"]["summary_by"] == "other"


def test_statistics_keep_known_words() -> None:
    known = ("claude-code", "gpt-5, o3", "produced", "model:secret name")
    columns = ("agent", "models", "role", "summary_by")
    with closing(duckdb.connect()) as connection:
        connection.execute(f"CREATE TABLE parts ({', '.join(spell_columns('parts'))})")
        connection.execute(f"INSERT INTO parts ({', '.join(columns)}) VALUES (?, ?, ?, ?)", known)
        query = dict(figures())["figures_parts"]
        row = connection.execute(f"SELECT {', '.join(columns)}, cost_source FROM ({query})").fetchone()
    assert row == (*known[:3], "model", None)


def test_statistics_know_every_agent() -> None:
    query = dict(figures())["figures_parts"]
    names = [module.name for module in pkgutil.walk_packages(gittraj.formats.__path__, "gittraj.formats.")]
    agents = {getattr(importlib.import_module(name), "agent", None) for name in names}
    agents = {each for each in agents if isinstance(each, str)} | all_agents().keys() | {*SIGNS.values()}
    assert len(agents) > 15
    assert [agent for agent in agents if f"'{agent}'" not in query] == []

"""Any trajectory can be written into OpenAgents' database: as one row, with a readable document and a
searchable text."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats.base.exported import Exported
from gittraj.formats.openagents.write import write
from gittraj.model.values import AnyEvent, Message, Prompt, Retrospective, RetrospectiveEvent
from tests.unit.formats.interchange.trajectories import build_trajectory, some_events

ROW = st.dictionaries(
    st.sampled_from(["task_id", "tests", "total_tests", "created_at", "environment", "other"]),
    st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2),
    min_size=1,
)


def rows(table: str, *trajectories: dict[str, Any]) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(b"".join(write(Exported(trajectories=trajectories))))
        return database.execute(f"SELECT * FROM {table}").fetchall()


@given(events=some_events())
def test_every_trajectory_is_a_row(events: list[AnyEvent]) -> None:
    (row,) = rows("trajectories", build_trajectory(events))
    document = json.loads(row[10])
    assert (row[0], row[2], row[5]) == (document["session_id"], "claude-code", len(document["steps"]))
    assert len(rows("trajectories_fts", build_trajectory(events))) == 1


@given(row=ROW)
def test_any_record_of_generated_tests_is_a_row(row: dict[str, Any]) -> None:
    reflected = RetrospectiveEvent(id="r", retrospective=Retrospective(by="agent"), raw={"testgen": row})
    made = rows("testgen_trajectories", build_trajectory([Prompt(id="p", content="Test it"), reflected]))
    assert [each[0] for each in made] == ["S"]


def test_subagents_are_in_the_document_of_the_session_that_started_them() -> None:
    above = build_trajectory([Message(id="a", content="above")])
    below = build_trajectory(
        [Message(id="b", content="below")], id="traj_b", parent={"id": above["id"], "event": None}
    )
    fork = build_trajectory(
        [Message(id="c", content="fork")], id="traj_c", session="T", parent={"id": above["id"]}
    )
    twin = build_trajectory([Message(id="d", content="twin")], id="traj_d", agent="codex")
    written_rows = rows("trajectories", above, below, fork, twin)
    assert [row[0] for row in written_rows] == ["S", "T", "traj_d"]
    nested = [json.loads(row[10]).get("subagent_trajectories", []) for row in written_rows]
    assert [[each["trajectory_id"] for each in some] for some in nested] == [["traj_b"], [], []]
    assert ["below" in str(row[2]) for row in rows("trajectories_fts", above, below)] == [False]

"""OpenAgents' database: sessions as ATIF, and sessions that generated tests."""

from __future__ import annotations

import contextlib
import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats import detect_store
from gittraj.formats.openagents import database
from gittraj.model.session_items import Damage, Entry, Item, Spent
from gittraj.model.values import (
    Foreign,
    Message,
    NoteEvent,
    Prompt,
    RetrospectiveEvent,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.conftest import SHARING
from tests.unit.formats import openagents_database as db
from tests.unit.formats.reading import JSON, facts, list_slots

SESSION, GENERATED = db.ATIF["session_id"], db.TESTGEN["session_id"]


def events(items: list[Item]) -> list[Any]:
    return [item.event for item in items if isinstance(item, Entry)]


def test_sessions_of_both_kinds_are_listed(tmp_path: Path) -> None:
    path = db.make(tmp_path / "openagents.db")
    store = detect_store(path)
    assert store is not None
    assert (store.name, list(store.sessions(path))) == ("openagents", [SESSION, GENERATED])
    with pytest.raises(FormatError, match="no session"):
        list(database.read(path, "other"))


def test_a_sessions_document_is_read_as_atif(tmp_path: Path) -> None:
    items = list(database.read(db.make(tmp_path / "a.db"), SESSION))
    read_events = [e for e in events(items) if not (isinstance(e, NoteEvent) and e.kind == "checkpoint")]
    assert [type(e) for e in read_events] == [Prompt, Thinking, Message, ToolCall, ToolResult]
    assert (facts(items)["agent"], facts(items)["model"]) == ("mechacoder-orchestrator", "grok-4.1-fast")
    spent = [item for item in items if isinstance(item, Spent)]
    assert [(s.usage, s.cost) for s in spent] == [
        (Usage(input_tokens=60, cache_read_tokens=40, output_tokens=9), 0.5)
    ]


def test_a_session_of_generated_tests_is_read(tmp_path: Path) -> None:
    items = list(database.read(db.make(tmp_path / "a.db"), GENERATED))
    read_events = events(items)
    assert [(type(e), getattr(e, "kind", None) or getattr(e, "type", None)) for e in read_events] == [
        (Prompt, None),
        (Foreign, "artifact"),
        (NoteEvent, "chapter"),
        (NoteEvent, "verification"),
        (Foreign, "reflection"),
        (NoteEvent, "chapter"),
        (NoteEvent, "verification"),
        (Foreign, "reflection"),
        (RetrospectiveEvent, None),
    ]
    assert [e.content for e in read_events if isinstance(e, NoteEvent) and e.kind == "chapter"] == [
        "existence",
        "correctness, 2 rounds",
    ]
    assert read_events[3].content == (
        "existence: needs_review\n- ls /app/regex.txt → a file: It must be there"
    )
    assert [check["status"] for check in read_events[6].raw["checks"]] == ["needs_review", "needs_review"]
    assert read_events[4].content == "Enough"
    assert read_events[8].retrospective.challenges == ("Are leap years wanted?",)
    assert read_events[8].retrospective.confidence == 0.8
    assert facts(items) == {
        "agent": "testgen",
        "session": GENERATED,
        "model": "local-fm",
        "task": "openagents:regex-log",
        "task_title": "regex-log",
        "status": "completed",
    }


def test_the_cost_of_generating_tests_is_kept(tmp_path: Path) -> None:
    final = {"total_prompt_tokens": 1200, "total_cached_tokens": 200, "total_completion_tokens": 300}
    document = {**db.GENERATED["trajectory"], "final_metrics": final}
    row = {**db.GENERATED, "total_cost_usd": 0.25, "trajectory": document}
    path = db.make(tmp_path / "a.db", ("trajectories", row), ("testgen_trajectories", db.TESTGEN))
    items = list(database.read(path, GENERATED))
    (spent,) = (item for item in items if isinstance(item, Spent))
    assert facts(items)["cost_usd"] == 0.25
    assert spent.usage == Usage(input_tokens=1000, cache_read_tokens=200, output_tokens=300)
    closing = next(e for e in events(items) if isinstance(e, RetrospectiveEvent))
    assert (closing.response, closing.duration_ms) == (spent.response, db.TESTGEN["duration_ms"])


def test_a_row_that_cannot_be_read_is_a_damage(tmp_path: Path) -> None:
    other = {**db.GENERATED, "session_id": "s", "agent_name": "hillclimber", "trajectory": "{torn"}
    items = list(database.read(db.make(tmp_path / "a.db", ("trajectories", other)), "s"))
    assert facts(items) == {"agent": "hillclimber", "session": "s"}
    assert [type(item) for item in items if isinstance(item, Damage)] == [Damage]
    (tmp_path / "b.db").write_bytes(b"SQLite format 3\0" + b"\1" * 600)
    for path in (tmp_path, tmp_path / "b.db", tmp_path / "gone"):
        assert not database.detect(path)


@settings(SHARING, max_examples=25)
@given(data=st.data())
def test_a_damaged_database_raises_only_our_own_error(tmp_path: Path, data: st.DataObject) -> None:
    whole = tmp_path / "whole.db"
    if not whole.exists():
        db.make(whole)
    body = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 20))):
        body[data.draw(st.integers(16, len(body) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / f"{data.draw(st.uuids())}.db"
    path.write_bytes(body[: data.draw(st.integers(16, len(body)))])
    database.detect(path)
    with contextlib.suppress(FormatError):
        for session in database.sessions(path):
            list(database.read(path, session))
    path.unlink()


@settings(SHARING, max_examples=25)
@given(data=st.data())
def test_no_content_of_a_row_raises(tmp_path: Path, data: st.DataObject) -> None:
    rows = copy.deepcopy([db.ATIF, db.GENERATED, db.TESTGEN])
    wanted = ("trajectory", *(name for name, value in db.TESTGEN.items() if isinstance(value, dict | list)))
    for _ in range(data.draw(st.integers(0, 4))):
        row = data.draw(st.sampled_from(rows))
        name = data.draw(st.sampled_from([each for each in wanted if each in row]))
        within = list_slots(row[name]) if isinstance(row[name], dict | list) else []
        container, key = data.draw(st.sampled_from([(row, name), *within]))
        container[key] = data.draw(JSON.filter(lambda value: value is not None and not _is_huge(value)))
    path = tmp_path / f"{data.draw(st.uuids())}.db"
    names = ("trajectories", "trajectories", "testgen_trajectories")
    db.make(path, *zip(names, rows, strict=True))
    for session in database.sessions(path):
        assert isinstance(list(database.read(path, session)), list)
    path.unlink()


def _is_huge(value: Any) -> bool:
    """Whether a number is too large for a column of SQLite."""
    return isinstance(value, int) and abs(value) >= 1 << 63

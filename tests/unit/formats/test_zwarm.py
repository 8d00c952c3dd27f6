"""zwarm's folders: prompts from ``meta.json``, the rest from its agent's output, turn by turn."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats import detect_store, zwarm
from gittraj.model.session_items import Damage, Entry, Fact, Item, Spent
from gittraj.model.values import Message, NoteEvent, Prompt, Thinking, ToolCall, ToolResult, Usage
from tests.conftest import SHARING
from tests.unit.formats.reading import JSON, facts, list_slots

SESSION = "2f3c9a54-6a43-4e4e-8f6e-0f1f6a3d9b11"
META: dict[str, Any] = {
    "id": SESSION,
    "task": "Write a parser",
    "status": "completed",
    "working_dir": "/w/repo",
    "created_at": "2026-01-05T10:11:12.5",
    "updated_at": "2026-01-05T10:20:00",
    "pid": 4711,
    "exit_code": 0,
    "model": "gpt-5.1-codex-mini",
    "turn": 2,
    "messages": [
        {"role": "user", "content": "Write a parser", "timestamp": "2026-01-05T10:11:12", "metadata": {}},
        {"role": "assistant", "content": "Parsed.", "timestamp": "2026-01-05T10:15:00", "metadata": {}},
        {"role": "user", "content": "Now test it", "timestamp": "2026-01-05T10:16:00", "metadata": {}},
    ],
    "token_usage": {"input_tokens": 30, "output_tokens": 7, "total_tokens": 37},
    "error": None,
    "source": "orchestrator:orc-1",
    "adapter": "codex",
}


def turn(thread: str, text: str, tokens: tuple[int, int]) -> list[dict[str, Any]]:
    run = {"id": "item_1", "type": "command_execution", "command": "bash -lc 'pytest -q'"}
    return [
        {"type": "thread.started", "thread_id": thread},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "**Look**"}},
        {"type": "item.started", "item": {**run, "status": "in_progress"}},
        {
            "type": "item.completed",
            "item": {**run, "aggregated_output": "1 passed\n", "exit_code": 0, "status": "completed"},
        },
        {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]}},
    ]


ONE, TWO = "0199a213-81c0-7800-8aa1-bbab2a035a53", "0199a213-81c0-7800-8aa1-bbab2a035a54"
TURNS = {1: turn(ONE, "Parsed.", (10, 3)), 2: turn(TWO, "Tested.", (20, 4))}


def keep(root: Path, meta: Any = META, turns: dict[int, list[dict[str, Any]]] = TURNS) -> Path:
    """Create a project's folder with a session, in zwarm's layout."""
    folder = root / ".zwarm" / "sessions" / SESSION
    (folder / "turns").mkdir(parents=True, exist_ok=True)
    (folder / "meta.json").write_text(meta if isinstance(meta, str) else json.dumps(meta))
    for number, records in turns.items():
        text = "".join(f"{json.dumps(record)}\n" for record in records)
        (folder / "turns" / f"turn_{number}.jsonl").write_text(text)
    return root


def events(items: list[Item]) -> list[Any]:
    return [item.event for item in items if isinstance(item, Entry)]


def test_a_session_of_two_turns_is_read(tmp_path: Path) -> None:
    items = list(zwarm.read(keep(tmp_path), SESSION))
    found = events(items)
    answer = [Thinking, ToolCall, ToolResult, Message]
    assert [type(e) for e in found] == [Prompt, *answer, Prompt, *answer]
    assert [e.content for e in found if isinstance(e, Prompt)] == ["Write a parser", "Now test it"]
    assert found[5].ts == "2026-01-05T10:16:00.000Z"
    assert len({e.id for e in found}) == len(found)  # both turns have an item_0
    assert found[2].call_id == found[3].call_id != found[7].call_id
    assert found[3].exit_code == 0
    calls = [item for item in items if isinstance(item, Entry) and isinstance(item.event, ToolCall)]
    assert [entry.folder for entry in calls] == ["/w/repo", "/w/repo"]
    spent = [item.usage for item in items if isinstance(item, Spent)]
    assert sum(spent, Usage()) == Usage(input_tokens=30, output_tokens=7)
    assert {item.value for item in items if isinstance(item, Fact) and item.name == "alias"} == {ONE, TWO}
    assert facts(items) == {
        "session": SESSION,
        "started_at": "2026-01-05T10:11:12.500Z",
        "folder": "/w/repo",
        "model": "gpt-5.1-codex-mini",
        "entrypoint": "codex",
        "alias": TWO,
        "status": "completed",
        "participant": "orc-1:orchestrator",
        "exit_status": "completed",
    }


def test_the_usage_of_a_continued_thread_is_counted_once(tmp_path: Path) -> None:
    turns = {1: turn(ONE, "a", (10, 3)), 2: turn(ONE, "b", (25, 8))}
    items = zwarm.read(keep(tmp_path, turns=turns), SESSION)
    spent = [item.usage for item in items if isinstance(item, Spent)]
    assert spent == [Usage(input_tokens=10, output_tokens=3), Usage(input_tokens=15, output_tokens=5)]


@pytest.mark.parametrize(
    ("status", "last", "expected"),
    [
        ("killed", {"type": "turn.completed"}, "abandoned"),
        ("failed", {"type": "turn.completed"}, "failed"),
        ("running", {"type": "turn.completed", "usage": {"input_tokens": 1}}, "completed"),
        ("running", {"type": "task.completed"}, "completed"),
        ("running", {"type": "item.started", "item": {}}, "abandoned"),
    ],
)
def test_the_status_is_read_from_its_file_or_the_output(
    tmp_path: Path, status: str, last: dict[str, Any], expected: str
) -> None:
    meta = {**META, "status": status, "error": "exit 1"}
    found = list(zwarm.read(keep(tmp_path, meta, {1: [*TURNS[1][:-1], last]}), SESSION))
    assert facts(found)["status"] == expected
    assert [e.content for e in events(found) if isinstance(e, NoteEvent)] == ["exit 1"]


def test_missing_files_leave_the_rest_readable(tmp_path: Path) -> None:
    found = list(zwarm.read(keep(tmp_path / "a", META, {}), SESSION))
    assert [type(e) for e in events(found)] == [Prompt, Message, Prompt]
    assert [i.usage for i in found if isinstance(i, Spent)] == [Usage(input_tokens=30, output_tokens=7)]
    other = {1: [{"type": "system", "subtype": "init", "session_id": "s"}], 2: []}
    found = list(zwarm.read(keep(tmp_path / "o", META, other), SESSION))
    assert [type(e) for e in events(found)] == [Prompt, Message, Prompt]
    bare = {name: META[name] for name in ("id", "task", "status", "working_dir")}
    found = list(zwarm.read(keep(tmp_path / "b", bare), SESSION))
    assert [type(e) for e in events(found)][:2] == [Prompt, Thinking]
    found = list(zwarm.read(keep(tmp_path / "c", '{"id": "x", "ta'), SESSION))
    assert [type(e) for e in events(found)][:1] == [Thinking]
    assert [type(i) for i in found if isinstance(i, Damage)] == [Damage]


def test_sessions_are_found_in_the_projects_folder(tmp_path: Path) -> None:
    keep(tmp_path)
    for place in (".", ".zwarm", ".zwarm/sessions", f".zwarm/sessions/{SESSION}"):
        store = detect_store(tmp_path / place)
        assert store is not None
        assert (store.name, list(store.sessions(tmp_path / place))) == ("zwarm", [SESSION])
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "meta.json").write_text('{"id": 1}')
    for other in (tmp_path / "package", tmp_path / "package" / "meta.json", tmp_path / "gone"):
        assert not zwarm.detect(other)
    with pytest.raises(FormatError, match="no session"):
        list(zwarm.read(tmp_path, "other"))


@settings(SHARING, max_examples=40)
@given(data=st.data())
def test_no_content_of_a_folder_raises(tmp_path: Path, data: st.DataObject) -> None:
    strange = copy.deepcopy([META, *TURNS[1]])
    for _ in range(data.draw(st.integers(0, 3))):
        holder, key = data.draw(st.sampled_from(list_slots(strange)))
        holder[key] = data.draw(JSON)
    text = json.dumps(strange[0])
    keep(tmp_path, text[: data.draw(st.integers(0, len(text)))], {1: strange[1:]})
    found = events(list(zwarm.read(tmp_path, SESSION)))
    assert len({e.id for e in found}) == len(found)

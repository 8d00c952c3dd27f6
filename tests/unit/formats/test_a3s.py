"""Reading A3S Code's file store in both of its layouts."""

from __future__ import annotations

import base64
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats import detect_store
from gittraj.formats.a3s import store
from gittraj.model.session_items import Damage, Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import Foreign, Message, NoteEvent, Prompt, Thinking, ToolCall, ToolResult, Usage
from tests.conftest import SHARING
from tests.unit.formats.reading import JSON, list_slots

URI = "a3s://tool-output/bash/t1"
ASKED = {"role": "user", "content": [{"type": "text", "text": "Fix the parser"}]}
CALLED = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "I write it."},
        {
            "type": "tool_use",
            "id": "c1",
            "name": "write",
            "input": {"file_path": "/w/a.py", "content": "a\n"},
        },
        {"type": "tool_use", "id": "c2", "name": "bash", "input": {"command": "pytest"}},
    ],
    "reasoning_content": "Look first.",
}
ANSWERED = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": "written", "is_error": False},
        {
            "type": "tool_result",
            "tool_use_id": "c2",
            "content": [{"type": "text", "text": f"1 failed; all of it: {URI}"}],
            "is_error": True,
            "trust": "external",
        },
    ],
}
DONE = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
SESSION: dict[str, Any] = {
    "id": "s/1",
    "config": {"name": "Parser", "workspace": "/w", "max_context_length": 1, "auto_compact": False},
    "state": "Active",
    "messages": [ASKED, CALLED, ANSWERED, DONE],
    "context_usage": {"used_tokens": 1, "max_tokens": 2, "percent": 0.5, "turns": 2},
    "total_usage": {
        "prompt_tokens": 100,
        "completion_tokens": 9,
        "total_tokens": 109,
        "cache_read_tokens": 60,
        "cache_write_tokens": None,
    },
    "total_cost": 0.25,
    "model_name": "kimi-k2.5",
    "cost_records": [],
    "tool_names": ["bash"],
    "thinking_enabled": True,
    "thinking_budget": None,
    "created_at": 1_767_225_600,
    "updated_at": 1_767_225_700,
    "tasks": [{"id": "1", "content": "Test it", "status": "pending"}],
}
ARTIFACT = {
    "artifact_id": "t1",
    "artifact_uri": URI,
    "tool_name": "bash",
    "content": "the whole output",
    "original_bytes": 16,
    "shown_bytes": 8,
}
REPORT = {
    "schema": "a3s.verification_report.v1",
    "subject": "tests",
    "status": "failed",
    "checks": [
        {"id": "k1", "kind": "test", "description": "Run pytest", "status": "failed", "required": True},
        {"id": "k2", "kind": "lint", "description": "Lint", "status": "passed", "residual_risk": "old rules"},
    ],
    "residual_risks": ["flaky"],
}
CHILD = {
    "task_id": "task-1",
    "parent_session_id": "s/1",
    "child_session_id": "child-1",
    "agent": "explore",
    "description": "Find the parser",
    "status": "completed",
    "started_ms": 1_767_225_601_000,
    "updated_ms": 1_767_225_602_000,
    "finished_ms": 1_767_225_602_000,
    "output": "It is in a.py",
    "success": True,
    "progress": [],
}


def tool(kind: str, ms: int, **more: Any) -> dict[str, Any]:
    return {"sequence": 1, "timestamp_ms": ms, "event": {"type": kind, **more}}


def run(run_id: str, prompt: str, *events: dict[str, Any], **more: Any) -> dict[str, Any]:
    snapshot = {"id": run_id, "session_id": "s/1", "status": "completed", "prompt": prompt, "event_count": 2}
    times = {"created_at_ms": 1_767_225_600_000, "updated_at_ms": 1_767_225_610_000}
    return {"snapshot": {**snapshot, **times, **more}, "events": list(events)}


CHANGES = {
    "base_tree": "1" * 40,
    "result_tree": "3" * 40,
    "patch_digest": "2" * 64,
    "patch_bytes": 1,
    "patch_base64": "eA==",
    "observed_at_ms": 1_767_225_610_000,
}
RUNS = [
    run("run-0", "Before", created_at_ms=1_767_225_000_000, result_text="Was compacted", status="completed"),
    run(
        "run-1",
        "Fix the parser",
        tool("tool_start", 1_767_225_603_000, id="c2", name="bash"),
        tool("tool_end", 1_767_225_604_000, id="c2", name="bash", output="", exit_code=1),
        status="failed",
        error="budget exhausted",
        workspace_change_set=CHANGES,
    ),
]
CHECKPOINT = {
    "schema_version": 1,
    "run_id": "run-1",
    "session_id": "s/1",
    "turn": 2,
    "messages": [ASKED],
    "total_usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    "tool_calls_count": 2,
    "verification_reports": [REPORT],
    "checkpoint_ms": 1_767_225_605_000,
}
OUT = {"schema": "a3s.trace_event.v1", "output_bytes": 7}
TRACES = [
    {"kind": "tool_execution", "name": "write", "success": True, "exit_code": 0, "duration_ms": 3, **OUT},
    {"kind": "program_execution", "name": "lint", "success": False, "exit_code": 2, "duration_ms": 5, **OUT},
]
OLDER: dict[str, Any] = {
    "s_1.json": SESSION,
    "artifacts/s_1/artifacts.json": {"artifacts": [ARTIFACT], "retained_uris": []},
    "traces/s_1.json": TRACES,
    "verification/s_1.json": [REPORT],
    "runs/s_1.json": RUNS,
    "subagent_tasks/s_1.json": [CHILD, {**CHILD, "task_id": "x", "parent_session_id": "s\\1"}],
    "loop_checkpoints/run-1.json": CHECKPOINT,
}
NEWER: dict[str, Any] = {
    f"v1/sessions/id_{base64.urlsafe_b64encode(b's/1').decode().rstrip('=')}.json": {
        "schema_version": 1,
        "session": SESSION,
        "artifacts": [ARTIFACT],
        "trace_events": TRACES,
        "run_records": RUNS,
        "verification_reports": [REPORT],
        "subagent_tasks": [CHILD],
    },
    "v1/loop_checkpoints/id_cnVuLTE.json": CHECKPOINT,
}


def keep(root: Path, files: dict[str, Any]) -> Path:
    for name, value in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return root


def events(items: list[Item]) -> list[Any]:
    return [item.event for item in items if isinstance(item, Entry)]


@pytest.mark.parametrize("files", [OLDER, NEWER], ids=["older", "newer"])
def test_a_whole_session_is_read(tmp_path: Path, files: dict[str, Any]) -> None:
    detected = detect_store(keep(tmp_path, files))
    assert detected is not None
    assert (detected.name, list(detected.sessions(tmp_path))) == ("a3s", ["s/1"])
    items = list(store.read(tmp_path, "s/1"))
    read_events = events(items)
    assert [(type(e).__name__, e.content) for e in read_events] == [
        ("Prompt", "Before"),
        ("NoteEvent", "Run run-0: completed, 2 events"),
        ("Message", "Was compacted"),
        ("Prompt", "Fix the parser"),
        ("NoteEvent", "Run run-1: failed, 2 events"),
        ("Thinking", "Look first."),
        ("Message", "I write it."),
        ("ToolCall", ""),
        ("ToolCall", ""),
        ("ToolResult", "written"),
        ("ToolResult", f"1 failed; all of it: {URI}"),
        ("Foreign", "the whole output"),
        ("Message", "Done."),
        ("NoteEvent", "budget exhausted"),
        ("Foreign", "lint failed, exit 2"),
        ("ToolCall", ""),
        ("ToolResult", "It is in a.py\n[session child-1]"),
        (
            "NoteEvent",
            "tests: failed\n- failed: Run pytest\n- passed: Lint (old rules)\n- risk: flaky",
        ),
        ("NoteEvent", "Round 2 of run-1, after 2 tool calls"),
        ("NoteEvent", "[pending] Test it"),
    ]
    assert len({e.id for e in read_events}) == len(read_events)
    results = {e.call_id: e for e in read_events if isinstance(e, ToolResult)}
    assert (results["c1"].exit_code, results["c1"].duration_ms, results["c1"].is_error) == (0, 3, False)
    assert (results["c2"].exit_code, results["c2"].is_error) == (1, True)
    assert results["c2"].ts == "2026-01-01T00:00:04.000Z"
    kinds = [e.kind for e in read_events if isinstance(e, NoteEvent)]
    assert kinds == ["note", "note", "error", "verification", "checkpoint", "note"]
    assert sum(isinstance(item, TurnEnd) for item in items) == 2
    (spent,) = (item for item in items if isinstance(item, Spent))
    assert spent.usage == Usage(input_tokens=40, cache_read_tokens=60, output_tokens=9)
    assert "digest" not in json.dumps([e.raw for e in read_events])
    assert "eA==" not in json.dumps([e.raw for e in read_events])


def test_a_written_file_belongs_to_the_call_that_wrote_it(tmp_path: Path) -> None:
    items = list(store.read(keep(tmp_path, {"s.json": {**SESSION, "id": "s"}}), "s"))
    calls = [item for item in items if isinstance(item, Entry) and isinstance(item.event, ToolCall)]
    assert [[(e.path, e.whole) for e in entry.edits] for entry in calls] == [[("/w/a.py", "a\n")], []]
    assert [(entry.command, entry.folder) for entry in calls] == [(None, "/w"), ("pytest", "/w")]
    facts = {item.name: item.value for item in items if isinstance(item, Fact)}
    assert facts == {
        "session": "s",
        "started_at": "2026-01-01T00:00:00.000Z",
        "folder": "/w",
        "model": "kimi-k2.5",
        "title": "Parser",
        "cost_usd": 0.25,
    }


def test_a_task_that_a_call_names_is_not_a_second_call(tmp_path: Path) -> None:
    asked = {"type": "tool_use", "id": "c9", "name": "task", "input": {"description": "Find the parser"}}
    messages = [ASKED, {"role": "assistant", "content": [asked]}]
    kept = {"s_1.json": {**SESSION, "messages": messages}, "subagent_tasks/s_1.json": [CHILD]}
    read_events = events(list(store.read(keep(tmp_path, kept), "s/1")))
    assert [e.name for e in read_events if isinstance(e, ToolCall)] == ["task"]


def test_a_child_names_its_parent(tmp_path: Path) -> None:
    child = {**SESSION, "id": "child-1", "parent_id": "s/1", "state": "Completed"}
    items = store.read(keep(tmp_path, {"child-1.json": child}), "child-1")
    facts = {item.name: item.value for item in items if isinstance(item, Fact)}
    assert (facts["parent_session"], facts["parent_kind"], facts["status"]) == (
        "s/1",
        "subagent",
        "completed",
    )


def test_the_remains_of_a_crash_continue_the_session(tmp_path: Path) -> None:
    kept = {
        "s_1.json": {**SESSION, "messages": [ASKED]},
        "loop_checkpoints/run-1.json": {**CHECKPOINT, "messages": [ASKED, CALLED]},
        "loop_checkpoints/run-2.json": {**CHECKPOINT, "run_id": "run-2", "schema_version": 2},
        "s_1.json.17.4711.tmp": "half",
    }
    items = list(store.read(keep(tmp_path, kept), "s/1"))
    assert [type(e) for e in events(items)][:4] == [Prompt, Thinking, Message, ToolCall]
    assert Fact(name="status", value="abandoned") in items
    assert [i.why for i in items if isinstance(i, Damage)] == ["run-2.json: a checkpoint of a later version"]


def test_two_ids_with_the_same_file_name_are_distinguished(tmp_path: Path) -> None:
    keep(tmp_path, {"s_1.json": {**SESSION, "id": "s\\1"}, "runs/s_1.json": RUNS})
    assert list(store.sessions(tmp_path)) == ["s\\1"]
    read_events = events(list(store.read(tmp_path, "s\\1")))
    assert not [e for e in read_events if "run" in e.tags]
    with pytest.raises(FormatError, match="no session"):
        list(store.read(tmp_path, "s/1"))


def test_a_damaged_file_leaves_the_rest_readable(tmp_path: Path) -> None:
    keep(tmp_path, {**OLDER, "runs/s_1.json": "[{", "verification/s_1.json": '[{"subject": "x"}, {"su'})
    items = list(store.read(tmp_path, "s/1"))
    assert {i.why.partition(":")[0] for i in items if isinstance(i, Damage)} == {"s_1.json"}
    assert [e.kind for e in events(items) if isinstance(e, NoteEvent)].count("verification") == 2
    assert any(isinstance(e, Foreign) for e in events(items))
    assert [type(e) for e in events(items)][:2] == [Prompt, Thinking]


def test_other_folders_are_not_stores(tmp_path: Path) -> None:
    keep(tmp_path, {"package.json": {"id": "x", "config": {}, "state": "y"}, "list.json": []})
    for path in (tmp_path, tmp_path / "package.json", tmp_path / "gone"):
        assert not store.detect(path)


@settings(SHARING, max_examples=40)
@given(data=st.data())
def test_no_content_of_a_store_raises(tmp_path: Path, data: st.DataObject) -> None:
    kept = copy.deepcopy(data.draw(st.sampled_from([OLDER, NEWER])))
    for _ in range(data.draw(st.integers(0, 4))):
        container, key = data.draw(st.sampled_from([p for p in list_slots(kept) if p[0] is not kept]))
        container[key] = data.draw(JSON)
    cut = data.draw(st.sampled_from([*kept]))
    kept[cut] = json.dumps(kept[cut])[: data.draw(st.integers(0, 4000))]
    keep(tmp_path, kept)
    for session in store.sessions(tmp_path):
        assert isinstance(list(store.read(tmp_path, session)), list)

"""Recognizing a file's format by its beginning. Any file near a log is examined, so nothing may raise."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import STORES, detect, detect_store, formats, reader_of, store_of
from tests.conftest import SHARING
from tests.unit.formats.reading import spoiled
from tests.unit.formats.test_formats import CLAUDE_LOG, CODEX_LOG

TIME = "2026-01-02T03:04:05Z"
CHAT = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
EVENT = {"id": 0, "timestamp": TIME, "source": "user", "action": "message", "args": {"content": "x"}}
HEADS: dict[str, list[Any]] = {
    "claude-code": CLAUDE_LOG,
    "claude-stream-json": [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m"},
        {"type": "user", "message": {}, "parent_tool_use_id": None, "session_id": "s"},
        {"type": "result", "subtype": "success", "total_cost_usd": 1, "session_id": "s"},
    ],
    "codex-rollout": CODEX_LOG,
    "codex-exec": [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "x"}},
    ],
    "gemini-cli": [
        {"sessionId": "s", "projectHash": "p", "startTime": TIME},
        {"id": "a", "timestamp": TIME, "type": "gemini", "content": "x"},
        {"$set": {"messages": [{"type": "user"}]}},
    ],
    "gemini-stream-json": [
        {"type": "init", "timestamp": TIME, "session_id": "s"},
        {"type": "tool_use", "tool_name": "t", "tool_id": "i"},
        {"type": "message", "role": "user", "timestamp": TIME, "content": "x"},
    ],
    "opencode-stream": [{"type": "text", "sessionID": "ses_1", "part": {"text": "x"}}],
    "mini-swe-agent": [{"info": {"config": {}}, "messages": CHAT, "trajectory_format": "mini-swe-agent-1"}],
    "swe-agent": [{"trajectory": [{"action": "a"}], "history": [{"role": "user", "agent": "main"}]}],
    "copilot-cli": [{"type": "session.start", "data": {"sessionId": "s"}, "id": "1", "timestamp": TIME}],
    "copilot-vscode-log": [{"kind": 0, "v": {"requests": []}}],
    "cursor": [{"role": "user", "message": {"content": [{"type": "text", "text": "x"}]}}],
    "pi": [{"type": "session", "id": "s", "timestamp": TIME, "cwd": "/w"}],
    "hook-capture": [{"hook_event_name": "Stop", "session_id": "s"}],
    "codex-notify": [{"type": "agent-turn-complete", "thread-id": "t"}],
    "openhands": [[EVENT]],
    "agent-trajectories": [{"id": "traj_1", "task": {"title": "x"}, "startedAt": TIME, "chapters": []}],
    "atif": [{"schema_version": "ATIF-v1.4", "agent": {"name": "a"}, "steps": []}],
    "agent-trace": [{"version": "0.1.0", "timestamp": TIME, "files": [{"path": "a", "conversations": []}]}],
    "openai-messages": [CHAT],
    "openai-dataset": [{"messages": CHAT}],
}


_FILES = [HEADS[name][0] for name in ("openai-dataset", "atif", "agent-trace")]


def written(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize("name", [name for name in HEADS if name not in STORES])
def test_a_logs_beginning_is_claimed_by_its_own_reader(name: str) -> None:
    found = detect(written(HEADS[name]))
    assert found is not None
    assert found.name == name


def strange(data: st.DataObject, head: list[Any]) -> list[Any]:
    return spoiled(data, head, 3)  # type: ignore[no-any-return]


@given(data=st.data())
def test_no_value_of_an_unexpected_type_makes_a_reader_raise(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(HEADS)))
    head = written(strange(data, HEADS[name]))
    for each in (head, head[: data.draw(st.integers(0, len(head)))]):
        assert {type(reader_of(n).detect(each)) for n in formats() if n not in STORES} <= {bool}


@SHARING
@given(data=st.data())
def test_no_value_of_an_unexpected_type_makes_a_store_raise(tmp_path: Path, data: st.DataObject) -> None:
    message = {"role": "user", "time": {"created": 1}}
    (first,) = strange(data, [data.draw(st.sampled_from([message, EVENT, *_FILES]))])
    places_of_files = ("f", "message/ses_1/msg_1.json", "part/msg_1/prt_1.json", "events/0.json")
    for path in (tmp_path / name for name in places_of_files):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(first))
    for path in (tmp_path, tmp_path / "f", tmp_path / "events", tmp_path / "gone"):
        assert {type(store_of(name).detect(path)) for name in STORES} == {bool}


def test_plug_ins_are_looked_up_once_per_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def plugged() -> dict[str, Any]:
        looked.append(1)
        other = SimpleNamespace(name="mine", sessions=None, detect=lambda path: path == tmp_path)
        return {"a-reader": SimpleNamespace(name="a-reader", detect=bool), "mine": other}

    monkeypatch.setattr("gittraj.formats._plugged", plugged)
    found = detect_store(tmp_path)
    assert found is not None
    assert found.name == "mine"
    assert looked == [1]

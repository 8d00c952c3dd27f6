"""OpenHands' events, as a list and as a folder: each peculiarity of the format in a few events."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats import detect
from gittraj.formats.openhands import events as openhands
from gittraj.formats.openhands import folder as openhands_folder
from gittraj.model.session_items import Damage, Edit, Entry, Item, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Foreign,
    Message,
    NoteEvent,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.formats.reading import facts, spoiled

TIME = "2025-10-10T06:10:15.158090"


def action(number: int, kind: str, source: str = "agent", /, **args: Any) -> dict[str, Any]:
    return {"id": number, "timestamp": TIME, "source": source, "message": "", "action": kind, "args": args}


def observation(
    number: int, kind: str, cause: int | None, content: str = "", /, **extras: Any
) -> dict[str, Any]:
    return {"id": number, "timestamp": TIME, "source": "agent", "message": "", "cause": cause,
            "observation": kind, "content": content, "extras": extras}  # fmt: skip


def paid(
    event: dict[str, Any], response: str, prompt: int, cached: int, output: int, cost: float
) -> dict[str, Any]:
    """Return the event as one of the model call ``response``, with running totals."""
    usage = {
        "prompt_tokens": 99,
        "completion_tokens": 99,
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    made = {"id": response, "model": "gpt-5", "usage": usage, "choices": [{"message": {"content": "x"}}]}
    call = {"function_name": "execute_bash", "tool_call_id": f"call_{event['id']}", "model_response": made}
    total = {"prompt_tokens": prompt, "completion_tokens": output, "cache_read_tokens": cached,
             "cache_write_tokens": 0}  # fmt: skip
    metrics = {"accumulated_cost": cost, "accumulated_token_usage": total}
    return {**event, "tool_call_metadata": call, "llm_metrics": metrics}


def read(*events: dict[str, Any]) -> list[Item]:
    return list(openhands.read(io.BytesIO(json.dumps(events).encode())))


def entries(*given: dict[str, Any]) -> list[Entry]:
    return [item for item in read(*given) if isinstance(item, Entry)]


def events(*given: dict[str, Any]) -> list[AnyEvent]:
    return [entry.event for entry in entries(*given)]


SYSTEM = action(0, "system", content="You are", openhands_version="0.58.0")
ASKED = action(1, "message", "user", content="Do it", image_urls=None)


def test_a_session_is_read() -> None:
    log = [
        SYSTEM,
        ASKED,
        action(2, "recall", "user", query="Do it"),
        observation(3, "recall", 2, "Added", working_dir="/app"),
        paid(action(4, "run", command="ls", thought="I look.", blocking=True), "r1", 10, 4, 3, 0.01),
        observation(5, "run", 4, "x", metadata={"exit_code": 1, "working_dir": "/app"}),
        observation(6, "agent_state_changed", None, agent_state="running"),
        paid(action(7, "finish", final_thought="Done.", task_completed="true"), "r2", 30, 4, 5, 0.0175),
    ]
    prompt, thought, call, result, message = events(*log)
    assert (type(prompt), prompt.content) == (Prompt, "Do it")
    assert (type(thought), thought.content, thought.ts) == (Thinking, "I look.", "2025-10-10T06:10:15.158Z")
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments, call.call_id) == ("execute_bash", {"command": "ls"}, "call_4")
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.exit_code, result.is_error) == ("call_4", 1, True)
    assert (type(message), message.content) == (Message, "Done.")
    by_id = {e.event.id: e for e in entries(*log)}
    assert (by_id[call.id].command, by_id[call.id].folder) == ("ls", "/app")
    items = read(*log)
    assert facts(items) | {"session": ""} == {
        "session": "",
        "started_at": "2025-10-10T06:10:15.158Z",
        "agent_version": "0.58.0",
        "folder": "/app",
        "model": "gpt-5",
        "status": "completed",
        "cost_usd": 0.0175,
    }
    first = Usage(input_tokens=6, cache_read_tokens=4, output_tokens=3, reasoning_tokens=1)
    assert [i for i in items if isinstance(i, Spent)] == [
        Spent(response="r1", usage=first),
        Spent(response="r2", usage=Usage(input_tokens=20, output_tokens=2, reasoning_tokens=1)),
    ]
    assert any(isinstance(i, TurnEnd) for i in items)


def test_several_actions_of_one_response_share_its_cost() -> None:
    first = paid(action(1, "run", command="a"), "r1", 10, 0, 3, 0.01)
    second = paid(action(2, "run", command="b"), "r1", 10, 0, 3, 0.01)
    (spent,) = (i for i in read(first, second) if isinstance(i, Spent))
    assert spent.usage == Usage(input_tokens=10, output_tokens=3, reasoning_tokens=1)


def test_totals_that_restart_are_added() -> None:
    log = [
        paid(action(1, "run", command="a"), "r1", 10, 0, 3, 0.25),
        paid(action(2, "run", command="b"), "r2", 4, 0, 1, 0.125),
    ]
    items = read(*log)
    assert facts(items)["cost_usd"] == 0.375
    assert sum((i.usage for i in items if isinstance(i, Spent)), Usage()).input_tokens == 14


def test_a_total_that_grew_without_a_call_is_counted_for_the_last_one() -> None:
    late = paid(observation(3, "agent_state_changed", None), "r9", 15, 0, 4, 0.5)
    items = read(paid(action(1, "run", command="a"), "r1", 10, 0, 3, 0.25), late)
    (spent,) = (i for i in items if isinstance(i, Spent))
    assert (spent.response, spent.usage.input_tokens, spent.usage.output_tokens) == ("r1", 15, 4)
    assert facts(items)["cost_usd"] == 0.5


def test_thinking_is_not_a_call() -> None:
    read_events = events(
        action(1, "think", thought="hm"), observation(2, "think", 1, "Your thought has been logged.")
    )
    assert [(type(e), e.content) for e in read_events] == [(Thinking, "hm")]


def test_reasoning_is_read_once_per_response() -> None:
    event = paid(action(1, "run", command="a"), "r1", 1, 0, 1, 0.1)
    event["tool_call_metadata"]["model_response"]["choices"][0]["message"]["reasoning_content"] = "why"
    second = {**event, "id": 2}
    assert [e.content for e in events(event, second) if isinstance(e, Thinking)] == ["why"]


@pytest.mark.parametrize(
    ("args", "edits"),
    [
        ({"path": "/w/x", "content": "a\nb"}, (Edit(path="/w/x", added=("a", "b"), whole="a\nb"),)),
        ({"path": "/w/x", "content": "a", "start": 3, "end": 4}, (Edit(path="/w/x", added=("a",)),)),
        ({"content": "a"}, ()),
    ],
)
def test_a_write_is_an_edit(args: dict[str, Any], edits: tuple[Edit, ...]) -> None:
    (entry,) = entries(action(1, "write", **args))
    assert entry.edits == edits


def test_an_edit_has_its_lines() -> None:
    change = {"command": "str_replace", "path": "/w/x", "old_str": "a\nk", "new_str": "b\nk"}
    call, result = entries(
        action(1, "edit", **change),
        observation(2, "edit", 1, "ok", path="/w/x", prev_exist=True, old_content="a\nk", new_content="b\nk"),
    )
    assert call.edits == (Edit(path="/w/x", added=("b",), removed=("a",)),)
    assert call.paths == ("/w/x",)
    assert result.edits == (Edit(path="/w/x", whole="b\nk"),)
    created = observation(2, "edit", 1, "ok", path="/w/y", prev_exist=False, new_content="z")
    assert entries(action(1, "edit", command="create", path="/w/y", file_text="z"), created)[1].edits == (
        Edit(path="/w/y", kind="add", whole="z"),
    )


@pytest.mark.parametrize(
    ("extras", "code", "is_error"),
    [
        ({"metadata": {"exit_code": 0}}, 0, False),
        ({"exit_code": 2}, 2, True),
        ({"metadata": {"exit_code": -1}}, None, False),
        ({}, None, False),
    ],
)
def test_a_command_has_its_exit_code(extras: dict[str, Any], code: int | None, is_error: bool) -> None:
    result = events(action(1, "run", command="x"), observation(2, "run", 1, "y", **extras))[-1]
    assert isinstance(result, ToolResult)
    assert (result.exit_code, result.is_error) == (code, is_error)


def test_errors_are_results_of_a_call_or_notes() -> None:
    call, result, alone, state = events(
        action(1, "call_tool_mcp", name="fetch", arguments={"url": "x"}),
        observation(2, "error", 1, "no such tool"),
        observation(3, "error", None, "lost"),
        observation(4, "agent_state_changed", None, agent_state="error", reason="no money"),
    )
    assert isinstance(call, ToolCall)
    assert call.name == "fetch"
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.is_error) == (call.call_id, True)
    assert isinstance(alone, NoteEvent)
    assert (alone.kind, alone.content) == ("error", "lost")
    assert (type(state), state.content) == (NoteEvent, "no money")


def test_a_refused_action_names_its_command() -> None:
    refused = observation(2, "user_rejected", 1, "not that")
    result, refusal = events(action(1, "run", command="rm"), refused)[1:]
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert isinstance(refusal, NoteEvent)
    assert (refusal.kind, refusal.content) == ("refusal", "run rm\nnot that")


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (action(1, "finish", task_completed="false"), "failed"),
        (action(1, "finish", outputs={"content": "x"}), "completed"),
        (action(1, "reject", outputs={"reason": "x"}), "abandoned"),
    ],
)
def test_the_last_state_gives_the_sessions_status(event: dict[str, Any], status: str) -> None:
    assert facts(read(event))["status"] == status


def test_unknown_events_are_kept() -> None:
    unknown, summed, message = events(
        action(1, "of_a_later_version") | {"message": "x"},
        action(2, "condensation", summary="so far", forgotten_event_ids=[1]),
        action(3, "message", content="Shall I?", wait_for_response=True),
    )
    assert isinstance(unknown, Foreign)
    assert unknown.type == "action:of_a_later_version"
    assert isinstance(summed, NoteEvent)
    assert (summed.kind, summed.content) == ("compaction", "so far")
    assert (type(message), message.content) == (Message, "Shall I?")


def test_an_image_is_never_in_a_text() -> None:
    (prompt,) = events(action(1, "message", "user", content="?", image_urls=["data:image/png;base64,eA=="]))
    assert prompt.content == "?\n[image/png, 1 bytes]"
    assert prompt.artifact is not None


def test_a_repeated_event_counts_once_and_a_grown_session_keeps_its_id() -> None:
    log = [SYSTEM, ASKED, action(2, "run", command="x"), action(2, "run", command="x")]
    assert [e.id for e in events(*log)] == ["1:0", "2:0"]
    assert facts(read(*log[:2]))["session"] == facts(read(*log))["session"]
    assert events(*log)[:1] == events(*log[:2])


@pytest.mark.parametrize(
    ("value", "claimed"),
    [
        ([SYSTEM], True),
        ([observation(0, "run", None)], True),
        ([], False),
        ({}, False),
        ([{"role": "user", "content": "x"}], False),
        ([{"id": "0", "timestamp": TIME, "source": "user", "action": "message"}], False),
        ([{"id": 0, "timestamp": TIME, "source": "user", "type": "message"}], False),
    ],
)
def test_a_list_is_recognized_by_its_content(value: Any, claimed: bool) -> None:
    head = json.dumps(value).encode()
    assert openhands.detect(head) == claimed
    detected = detect(head)
    assert (detected is not None and detected.name == "openhands") == claimed


# ---------------------------------------------------------------- folders


def stored(folder: Path, *given: dict[str, Any]) -> Path:
    (folder / "events").mkdir(parents=True)
    for event in given:
        (folder / "events" / f"{event['id']}.json").write_text(json.dumps(event))
    return folder


def test_a_folder_of_sessions_is_read(tmp_path: Path) -> None:
    many = [action(n, "run", command=str(n)) for n in range(2, 12)]
    stored(tmp_path / "abc", SYSTEM, ASKED, *many)
    stored(tmp_path / "def", SYSTEM, ASKED)
    (tmp_path / "empty" / "events").mkdir(parents=True)
    assert openhands_folder.detect(tmp_path)
    assert list(openhands_folder.sessions(tmp_path)) == ["abc", "def"]
    items = list(openhands_folder.read(tmp_path, "abc"))
    assert facts(items)["session"] == "abc"
    read_events = [i.event for i in items if isinstance(i, Entry)]
    assert read_events == events(SYSTEM, ASKED, *many)  # by number, not by name


def test_a_session_or_its_events_can_be_named(tmp_path: Path) -> None:
    session = stored(tmp_path / "abc", SYSTEM, ASKED)
    for path in (session, session / "events"):
        assert openhands_folder.detect(path)
        assert list(openhands_folder.sessions(path)) == ["abc"]
        assert any(isinstance(item, Entry) for item in openhands_folder.read(path, "abc"))
    with pytest.raises(FormatError, match="no session"):
        list(openhands_folder.read(session, "other"))


def test_an_unreadable_file_is_a_damage(tmp_path: Path) -> None:
    session = stored(tmp_path / "abc", SYSTEM, ASKED)
    (session / "events" / "2.json").write_text('{"id": 2, "times')
    (session / "events" / "notes.txt").write_text("x")
    items = list(openhands_folder.read(session, "abc"))
    assert len([i for i in items if isinstance(i, Entry)]) == 1
    assert len([i for i in items if isinstance(i, Damage)]) == 1


def test_other_folders_are_not_stores(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "0.json").write_text("[]")
    assert not openhands_folder.detect(tmp_path)
    assert not openhands_folder.detect(tmp_path / "events" / "0.json")
    assert not openhands_folder.detect(tmp_path / "missing")


# ---------------------------------------------------------------- any content, and a real session

EVERYTHING: list[dict[str, Any]] = [
    SYSTEM,
    action(1, "message", "user", content="x", image_urls=["data:a/b;base64,eA=="]),
    paid(action(2, "run", command="x", thought="y", cwd="/w"), "r1", 1, 0, 1, 0.1),
    {**observation(3, "run", 2, "x", metadata={"exit_code": 1, "working_dir": "/w"}), "success": False},
    action(4, "edit", command="create", path="x", file_text="y"),
    observation(5, "edit", 4, "x", path="x", new_content="y", prev_exist=False),
    action(6, "write", path="x", content="y"),
    observation(7, "user_rejected", 6),
    observation(8, "agent_state_changed", None, agent_state="error", reason="x"),
    paid(action(9, "finish", outputs={"content": "x"}), "r2", 2, 0, 2, 0.2),
]


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    strange = spoiled(data, EVERYTHING)
    head = json.dumps(strange).encode()
    openhands.detect(head)
    read_events = [i.event.id for i in openhands.read(io.BytesIO(head)) if isinstance(i, Entry)]
    assert len(set(read_events)) == len(read_events)


@pytest.mark.shared
def test_a_real_session_is_read(samples: Path) -> None:
    data = (samples / "other" / "openhands" / "events-hello.json").read_bytes()
    raw = json.loads(data)
    items = list(openhands.read(io.BytesIO(data)))
    read_events = [i.event for i in items if isinstance(i, Entry)]
    assert [type(e) for e in read_events] == [Prompt, ToolCall, ToolResult, Message]
    last = raw[-1]["llm_metrics"]
    usage = sum((i.usage for i in items if isinstance(i, Spent)), Usage())
    total = last["accumulated_token_usage"]
    assert usage.input_tokens + usage.cache_read_tokens == total["prompt_tokens"]
    assert usage.output_tokens == total["completion_tokens"]
    assert facts(items)["cost_usd"] == last["accumulated_cost"] == 0.01934775
    assert facts(items)["model"] == "gpt-5-2025-08-07"
    reader = detect(data[:65536])
    assert reader is not None
    assert reader.name == "openhands"
    for cut in range(0, len(data), 997):
        openhands.detect(data[:cut])
        part = [i.event.id for i in openhands.read(io.BytesIO(data[:cut])) if isinstance(i, Entry)]
        assert part == [e.id for e in read_events][: len(part)]

"""Claude Code's output (`-p --output-format stream-json`): each peculiarity of the format, and samples."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from gittraj.formats import HEAD, detect
from gittraj.formats.claude import session, stream
from gittraj.model.session_items import Damage, Edit, Entry, Fact, Item, Mark, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.formats.reading import check_cuts, check_marks, entries, facts, written

TIME = "2026-11-21T14:37:56.909Z"
INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "S",
    "cwd": "/w",
    "model": "opus[1m]",
    "tools": ["Bash"],
    "claude_code_version": "2.1.197",
    "uuid": "i",
}
NUMBERS = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 5}


def user(uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    common = {"type": "user", "uuid": uuid, "session_id": "S", "parent_tool_use_id": None}
    return {**common, "message": message, "timestamp": TIME, **more}


def reply(uuid: str, *blocks: Any, id: str = "m1", output: int = 1, **more: Any) -> dict[str, Any]:  # noqa: A002
    message: dict[str, Any] = {
        "id": id,
        "role": "assistant",
        "model": "opus",
        "content": list(blocks),
        "stop_reason": None,
    }
    message["usage"] = {**NUMBERS, "output_tokens": output}
    common = {"type": "assistant", "uuid": uuid, "session_id": "S", "parent_tool_use_id": None}
    return {**common, "message": message, **more}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def call(tool: str, call_id: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def tool_result(uuid: str, content: Any, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return user(uuid, [{"type": "tool_result", "tool_use_id": call_id, "content": content}], **more)


def result(calls: int = 1, output: int = 1, **more: Any) -> dict[str, Any]:
    usage = {name: calls * number for name, number in NUMBERS.items()} | {"output_tokens": output}
    common = {"type": "result", "subtype": "success", "is_error": False, "session_id": "S", "uuid": "r"}
    return {**common, "result": "done", "total_cost_usd": 0.25, "usage": usage, **more}


def read(*records: dict[str, Any]) -> list[Item]:
    return list(stream.read(io.BytesIO(written(*records))))


def events(*records: dict[str, Any]) -> list[AnyEvent]:
    return [entry.event for entry in entries(read(*records))]


def output(items: list[Item]) -> dict[str, int]:
    return {item.response: item.usage.output_tokens for item in items if isinstance(item, Spent)}


# ---------------------------------------------------------------- the session


def test_the_first_and_the_last_record_give_the_sessions_facts() -> None:
    items = read(INIT, reply("a", text("done")), result())
    assert facts(items) == {
        "session": "S",
        "tag": "stream-json",
        "agent_version": "2.1.197",
        "folder": "/w",
        "model": "opus",
        "cost_usd": 0.25,
        "status": "completed",
        "exit_status": "success",
    }
    assert items[0] == Fact(name="session", value="S")
    assert isinstance(items[-1], TurnEnd)


def test_a_stopped_run_has_its_reason() -> None:
    stopped: dict[str, Any] = {
        "subtype": "error_max_turns",
        "is_error": True,
        "errors": ["Reached maximum number of turns"],
    }
    items = read(INIT, reply("a", call("Bash", command="ls")), result(**stopped))
    (remark,) = (e.event for e in entries(items) if isinstance(e.event, NoteEvent))
    assert (remark.id, remark.kind, remark.content) == ("r:0", "error", "Reached maximum number of turns")
    known = facts(items)
    assert (known["status"], known["exit_status"]) == ("failed", "error_max_turns")
    assert known["exit_error"] == "Reached maximum number of turns"


def test_a_refused_request_fails_the_run_and_is_reported_once() -> None:
    refused = reply("a", text("API Error: 400"))
    refused["message"] |= {"model": "<synthetic>", "usage": {"input_tokens": 0, "output_tokens": 0}}
    items = read(INIT, refused, result(is_error=True, result="API Error: 400", total_cost_usd=0))
    assert [entry.event.content for entry in entries(items)] == ["API Error: 400"]
    known = facts(items)
    assert (known["status"], known["exit_status"], known["exit_error"]) == (
        "failed",
        "error",
        "API Error: 400",
    )
    assert known["cost_usd"] == 0.0


def test_a_call_that_was_not_permitted_is_noted_at_its_event() -> None:
    denied = {"tool_name": "Bash", "tool_use_id": "c1", "tool_input": {"command": "git commit"}}
    found = events(INIT, reply("a", call("Bash", command="git commit")), result(permission_denials=[denied]))
    remark = found[-1]
    assert isinstance(remark, NoteEvent)
    assert (remark.kind, remark.tags, remark.parent) == ("error", ("denied",), "a:0")
    assert remark.content == "permission denied: Bash git commit"


def test_records_of_another_session_have_its_id_and_set_no_facts_here() -> None:
    other: dict[str, Any] = {"session_id": "T", "uuid": "t"}
    failed = result(subtype="error_during_execution", is_error=True, total_cost_usd=9, **other)
    items = read(INIT, reply("a", text("x")), result(), INIT | other | {"cwd": "/t"}, failed)
    assert [entry.session for entry in entries(items)] == [None, "T"]
    known = facts(items)
    assert (known["session"], known["folder"], known["status"], known["cost_usd"]) == (
        "S", "/w", "completed", 0.25,
    )  # fmt: skip


# ---------------------------------------------------------------- messages and calls


def test_a_prompt_is_read_only_if_it_was_replayed() -> None:
    asked = user("u", [text("hi")], isReplay=True)
    items = read(INIT, asked, reply("a", text("x")))
    prompt = entries(items)[0].event
    assert isinstance(prompt, Prompt)
    assert (prompt.id, prompt.ts) == ("u:0", TIME)
    assert sum(isinstance(item, Mark) for item in items) == 1
    injected = user("u", [text("This session is being continued")], isSynthetic=True)
    assert events(INIT, injected, user("v", "<local-command-stdout>x</local-command-stdout>")) == []
    assert not [item for item in read(INIT, reply("a", text("x"))) if isinstance(item, Mark)]


def test_calls_and_results_are_as_in_a_session_file() -> None:
    detail = {"type": "create", "filePath": "/w/a.py", "content": "x\n", "originalFile": None}
    shell = {"stdout": "[main 1a2b3c4] one", "stderr": "", "interrupted": False}
    found = entries(
        read(
            INIT,
            reply("a", call("Write", file_path="/w/a.py", content="x\n")),
            reply("b", call("Bash", "c2", command="git commit -m one")),
            tool_result("c", "File created", tool_use_result=detail),
            tool_result("d", "[main 1a2b3c4] one", "c2", tool_use_result=shell),
        )
    )
    write, bash, written, ran = found
    assert write.edits == (Edit(path="/w/a.py", added=("x",), whole="x\n"),)
    assert (bash.command, bash.folder) == ("git commit -m one", "/w")
    assert written.edits == (Edit(path="/w/a.py", kind="add", whole="x\n"),)
    assert ran.commits == ("1a2b3c4",)
    assert isinstance(ran.event, ToolResult)
    assert ran.event.exit_code == 0


def test_a_subagents_records_are_linked_to_the_call_that_started_it() -> None:
    inside: dict[str, Any] = {"parent_tool_use_id": "c1"}
    found = events(
        INIT,
        reply("a", call("Task", prompt="count")),
        user("b", [text("count")], **inside),
        reply("c", call("Bash", "c2", command="wc"), id="m2", **inside),
        tool_result("d", "6", "c2", **inside),
        reply("e", text("lost"), id="m3", parent_tool_use_id="c9"),
        tool_result("f", "it has 6"),
    )
    assert [(type(e), e.tags, e.parent) for e in found] == [
        (ToolCall, (), None),
        (PeerMessage, ("sidechain",), "a:0"),
        (ToolCall, ("sidechain",), "a:0"),
        (ToolResult, ("sidechain",), "a:0"),
        (Message, ("sidechain",), None),
        (ToolResult, (), None),
    ]


def test_a_compaction_is_a_note() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "session_id": "S", "uuid": "c"}
    (remark,) = events(INIT, boundary)
    assert isinstance(remark, NoteEvent)
    assert (remark.kind, remark.content) == ("compaction", "Conversation compacted")


# ---------------------------------------------------------------- tokens


def test_output_tokens_that_no_record_has_are_counted_for_the_last_call_of_the_turn() -> None:
    calls = [reply("a", text("x")), reply("b", call("Bash")), reply("c", text("y"), id="m2")]
    assert output(read(INIT, *calls, result(2, 70))) == {"m1": 1, "m2": 69}
    again = [reply("d", text("z"), id="m3"), result(1, 20, uuid="r2", total_cost_usd=0.5)]
    items = read(INIT, *calls, result(2, 70), INIT, *again)
    assert output(items) == {"m1": 1, "m2": 69, "m3": 20}
    assert facts(items)["cost_usd"] == 0.5
    settled = [item for item in items if isinstance(item, Spent)][-1]
    assert settled.beside
    assert settled.usage == Usage(
        input_tokens=3, cache_read_tokens=20, cache_write_tokens=5, output_tokens=20
    )


def test_a_total_that_includes_other_calls_adds_nothing() -> None:
    calls = [reply("a", text("x")), reply("b", text("y"), id="m2")]
    assert output(read(INIT, *calls, result(1, 70))) == {"m1": 1, "m2": 1}
    assert output(read(INIT, *calls, result(3, 70))) == {"m1": 1, "m2": 1}
    inside = reply("c", text("z"), id="m3", parent_tool_use_id="c1")
    assert output(read(INIT, *calls, inside, result(2, 70))) == {"m1": 1, "m2": 69, "m3": 1}


def test_partial_messages_have_the_cost_of_each_call() -> None:
    def step(uuid: str, **event: Any) -> dict[str, Any]:
        common = {"type": "stream_event", "session_id": "S", "parent_tool_use_id": None, "uuid": uuid}
        return {**common, "event": event}

    begun = {"id": "m1", "usage": {**NUMBERS, "output_tokens": 1}}
    items = read(
        INIT,
        step("s1", type="message_start", message=begun),
        reply("a", text("x")),
        step("s2", type="message_delta", usage={"output_tokens": 40, "input_tokens": None}),
        reply("b", text("y"), id="m2"),
        result(2, 70),
    )
    assert output(items) == {"m1": 40, "m2": 30}
    assert len(entries(items)) == 2


# ---------------------------------------------------------------- every log


LOG = written(
    INIT,
    user("u", [text("first é")], isReplay=True),
    reply("a", {"type": "thinking", "thinking": "hm"}, text("x")),
    reply("b", call("Bash", command="ls")),
    user("v", [text("meanwhile")], isReplay=True),
    tool_result("c", "a.py"),
    reply("d", text("y"), id="m2"),
    result(2, 70),
    INIT,
    user("w", [text("second")], isReplay=True),
    reply("e", text("z"), id="m3"),
    result(1, 9, uuid="r2"),
)


def test_reading_on_from_a_mark_gives_the_same() -> None:
    items = list(stream.read(io.BytesIO(LOG)))
    assert output(items) == {"m1": 1, "m2": 69, "m3": 9}
    check_marks(stream, LOG, 3)


def test_a_log_cut_anywhere_gives_a_beginning_of_the_whole() -> None:
    check_cuts(stream, LOG)


def test_values_of_unexpected_types_raise_nothing() -> None:
    values: list[Any] = [[], {}, 3, None, "x", [[]], {"type": []}]
    for value in values:
        for record in (INIT, user("u", "x"), reply("a", call("Bash")), result(), {"type": "stream_event"}):
            for key in (*record, "event", "permission_denials", "errors", "tool_use_result"):
                list(stream.read(io.BytesIO(written(INIT, record | {key: value}))))


def test_a_warning_between_the_records_is_only_a_damage() -> None:
    data = written(INIT) + b"(node) Warning: x\n" + written(reply("a", text("x")))
    items = list(stream.read(io.BytesIO(data)))
    assert [type(i) for i in items if isinstance(i, Damage | Entry)] == [Damage, Entry]
    assert detect(b"(node) Warning: x\n" + data) is stream


def test_output_and_session_file_give_the_same_ids() -> None:
    """Both are what version 2.1.197 wrote for one call, without the fields that are not read."""
    blocks = [call("Bash", "toolu_1", command="ls", description="d")]
    ids = ("75eb38a7-a889-4eb2-aa28-5a297f41ea2f", "9dbfc74b-6d22-4f70-90fb-11f0ac784b43")
    printed = written(INIT, reply(ids[0], *blocks), tool_result(ids[1], "a.py", "toolu_1"))
    base = {"sessionId": "S", "cwd": "/w", "isSidechain": False, "timestamp": TIME, "version": "2.1.197"}
    message = reply(ids[0], *blocks)["message"]
    stored = written(
        {**base, "type": "assistant", "uuid": ids[0], "message": message},
        {
            **base,
            "type": "user",
            "uuid": ids[1],
            "message": tool_result(ids[1], "a.py", "toolu_1")["message"],
        },
    )
    both = (stream.read(io.BytesIO(printed)), session.read(io.BytesIO(stored)))
    one, other = ([(e.event.id, e.event.response) for e in entries(list(items))] for items in both)
    assert one == other == [(f"{ids[0]}:0", "m1"), (f"{ids[1]}:0", None)]


@pytest.mark.shared
def test_a_published_sample_is_read_completely(samples: Path) -> None:
    data = (samples / "claude-stream-json" / "session.jsonl").read_bytes()
    assert detect(data[:HEAD]) is stream
    items = list(stream.read(io.BytesIO(data), session="session"))
    kinds = [type(entry.event) for entry in entries(items) if entry.session is None]
    assert kinds == [Prompt, Message, ToolCall, ToolCall, ToolResult, ToolResult, Message]
    assert [e.event.content for e in entries(items) if e.session] == [
        "permission denied: Write /root/secret.txt",
        "Permission denied: cannot write to /root/secret.txt",
    ]
    assert facts(items)["session"] == "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
    assert facts(items)["cost_usd"] == 0.012345
    assert output(items) == {"msg_02EXAMPLEASSIST": 42, "msg_03EXAMPLEASSIST": 76}
    ids = [entry.event.id for entry in entries(items)]
    assert len(set(ids)) == len(ids)
    assert not [item for item in items if isinstance(item, Damage)]
    assert not [entry for entry in entries(items) if isinstance(entry.event, Thinking)]


def test_a_cost_that_does_not_fit_a_float_is_unknown() -> None:
    assert "cost_usd" not in facts(read(INIT, result(total_cost_usd=10**400)))

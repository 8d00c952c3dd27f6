"""Sessions of Qwen Code, in the form of version 0.15.10."""

from __future__ import annotations

import io
import json
from typing import Any

from gittraj.formats import detect, qwen
from gittraj.model.session_items import Cursor, Damage, Edit, Fact, Item, Mark, Spent
from gittraj.model.values import (
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.formats.reading import entries

TIME = "2026-01-02T03:04:05.678Z"


def record(kind: str, uuid: str, *parts: dict[str, Any], role: str = "user", **more: Any) -> dict[str, Any]:
    base = {"uuid": uuid, "parentUuid": None, "sessionId": "S", "timestamp": TIME, "type": kind}
    base |= {"cwd": "/w", "version": "0.15.10", "gitBranch": "main"}
    return {**base, **({"message": {"role": role, "parts": list(parts)}} if parts else {}), **more}


def reply(uuid: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return record("assistant", uuid, *parts, role="model", model="qwen3", **more)


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"functionCall": {"id": call_id, "name": name, "args": arguments}}


def response(uuid: str, call_id: str, name: str, output: str, **more: Any) -> dict[str, Any]:
    part = {"functionResponse": {"id": call_id, "name": name, "response": {"output": output}}}
    result = {"callId": call_id, "status": "success", **more}
    return record("tool_result", uuid, part, toolCallResult=result)


COMMITTED = """\
Command: git commit -am x
Directory: (root)
Output: [main 1a2b3c4] x
 1 file
Error: (none)
Exit Code: 0"""
SPENT = {"promptTokenCount": 2000, "cachedContentTokenCount": 800, "candidatesTokenCount": 50}
LOG = [
    record("user", "a", {"text": "Do it"}),
    record("system", "b", subtype="attribution_snapshot", systemPayload={"snapshot": {}}),
    reply(
        "c",
        {"text": "hmm", "thought": True},
        {"text": "I write"},
        call("c1", "write_file", file_path="/w/a.py", content="one\ntwo\n"),
        usageMetadata={**SPENT, "thoughtsTokenCount": 10, "totalTokenCount": 2060},
    ),
    response("d", "c1", "write_file", "Successfully created", resultDisplay={"newContent": "one\ntwo\n"}),
    reply("e", call("c2", "run_shell_command", command="git commit -am x"), usageMetadata=SPENT),
    response("f", "c2", "run_shell_command", COMMITTED),
    record("user", "g", {"text": "And now?"}),
    reply("h", {"text": "Done"}),
]


def write(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def read(*records: dict[str, Any], **more: Any) -> list[Item]:
    return list(qwen.read(io.BytesIO(write(*records)), **more))


def test_a_log_of_qwen_code_is_not_taken_for_another_agents() -> None:
    assert detect(write(*LOG)) is qwen
    assert detect(write(*LOG[1:])) is qwen


def test_a_session_is_read_completely() -> None:
    items = read(*LOG)
    kinds = [type(entry.event) for entry in entries(items)]
    assert kinds == [Prompt, Thinking, Message, ToolCall, ToolResult, ToolCall, ToolResult, Prompt, Message]
    call, result, commit, committed = entries(items)[3:7]
    assert call.edits == (Edit(path="/w/a.py", added=("one", "two"), whole="one\ntwo\n"),)
    assert result.edits == (Edit(path="/w/a.py", kind="add", whole="one\ntwo\n"),)
    assert (commit.command, commit.folder) == ("git commit -am x", "/w")
    assert isinstance(committed.event, ToolResult)
    assert (committed.event.content, committed.event.exit_code) == ("[main 1a2b3c4] x\n 1 file", 0)
    assert committed.commits == ("1a2b3c4",)
    facts = {item.name: item.value for item in items if isinstance(item, Fact)}
    assert facts == {
        "session": "S",
        "started_at": TIME,
        "agent_version": "0.15.10",
        "folder": "/w",
        "branch": "main",
        "model": "qwen3",
    }


def test_thinking_tokens_count_if_the_total_includes_them() -> None:
    spent = {item.response: item.usage for item in read(*LOG) if isinstance(item, Spent)}
    whole = Usage(input_tokens=1200, cache_read_tokens=800, output_tokens=60, reasoning_tokens=10)
    assert spent == {"c": whole, "e": Usage(input_tokens=1200, cache_read_tokens=800, output_tokens=50)}


def test_text_that_nobody_typed_is_not_a_prompt() -> None:
    shell = record("user", "a", {"text": "I ran the following shell command:\n```sh\ngit commit -am x\n```"})
    task = record("user", "b", {"text": "<task-notification>"}, subtype="notification")
    found = entries(read(shell, task))
    assert [type(entry.event) for entry in found] == [NoteEvent, NoteEvent]
    assert not any(entry.command for entry in found)


def test_a_subagents_log_is_read() -> None:
    side = {"isSidechain": True, "agentId": "explore-1"}
    items = read(record("user", "a", {"text": "Look"}, **side), reply("b", {"text": "Seen"}, **side))
    assert [type(entry.event) for entry in entries(items)] == [PeerMessage, Message]
    assert Fact(name="subagent", value="explore-1") in items


def test_reading_on_from_a_mark_gives_the_rest() -> None:
    items = read(*LOG)
    marks = [item.cursor for item in items if isinstance(item, Mark)]
    assert len(marks) == 2
    for mark in marks:
        rest = [entry.event for entry in entries(read(*LOG, cursor=mark))]
        assert rest == [entry.event for entry in entries(items)][mark.ordinal :]
    assert entries(read(*LOG, cursor=Cursor())) == entries(items)


def test_a_session_cut_anywhere_gives_a_beginning_of_the_whole() -> None:
    data = write(*LOG)
    whole = [entry.event for entry in entries(read(*LOG))]
    for cut in range(len(data)):
        items = list(qwen.read(io.BytesIO(data[:cut])))
        assert [entry.event for entry in entries(items)] == whole[: len(entries(items))]
        assert not [item for item in items if isinstance(item, Damage)]

"""Properties of every reader: which files it claims, and that no log makes it raise."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import detect, reader_of
from gittraj.model.session_items import Entry
from tests.unit.formats import test_claude_code as claude
from tests.unit.formats import test_codex as rollout
from tests.unit.formats.reading import spoiled

CLAUDE_LOG: list[dict[str, Any]] = [
    {"type": "summary", "summary": "x", "leafUuid": "a"},
    claude.user("u", [claude.text("hi")], forkedFrom={"sessionId": "P"}),
    claude.reply("a", claude.text("x"),
                 claude.call("Edit", file_path="/w/a", old_string="a", new_string="b")),
    claude.tool_result("r",
                       [claude.text("y"), {"type": "image", "source": {"data": "eA==", "media_type": "a/b"}}],
                       {"filePath": "/w/a", "oldString": "a", "newString": "b", "originalFile": "a"}),
    claude.reply("b", claude.call("AskUserQuestion", questions=[{"question": "q", "options": [{}]}])),
    claude.tool_result("s", "y", {"answers": {"q": "l"}, "annotations": {"q": {"notes": "n"}}}),
    claude.reply("c", claude.call("Bash", command="ls"), stop_reason="end_turn", isSidechain=True),
    claude.tool_result("t", "Exit code 1", {"gitOperation": {"commit": {"sha": "1"}}, "stdout": ""}),
    {**claude.BASE, "type": "system", "subtype": "api_error", "error": {"error": {"message": "m"}}},
]  # fmt: skip
CODEX_LOG: list[dict[str, Any]] = [
    rollout.meta(git={"branch": "b"}, source={"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}),
    rollout.user("hi"),
    rollout.event("item_completed", item={"type": "UserMessage", "content": [{"text": "hi"}]}),
    rollout.item("reasoning", summary=[{"text": "x"}]),
    rollout.call("shell", command=["bash", "-lc", "ls"], workdir="x"),
    rollout.event("exec_command_end", call_id="c1", exit_code=1),
    rollout.output('{"output":"x","metadata":{"exit_code":0}}'),
    rollout.output([{"type": "input_image", "image_url": "data:a/b;base64,eA=="}]),
    rollout.item("local_shell_call", action={"command": ["ls"], "working_directory": "/"}, call_id="c2"),
    rollout.tokens(13),
    rollout.line("token_usage_record", {"usage": {"input_tokens": 1}}),
    rollout.line("compacted", {"message": "m"}),
    rollout.event("turn_aborted", reason="r", turn_id=rollout.NEWER),
]


@pytest.mark.parametrize(("name", "log"), [("claude-code", CLAUDE_LOG), ("codex-rollout", CODEX_LOG)])
@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(
    name: str, log: list[dict[str, Any]], data: st.DataObject
) -> None:
    strange = spoiled(data, log)
    written = b"".join(json.dumps(record).encode() + b"\n" for record in strange)
    list(reader_of(name).read(io.BytesIO(written)))


@pytest.mark.parametrize(("name", "log"), [("claude-code", CLAUDE_LOG), ("codex-rollout", CODEX_LOG)])
def test_an_entry_ends_where_its_record_does(name: str, log: list[dict[str, Any]]) -> None:
    lines = [json.dumps(record).encode() for record in log]
    ends = {sum(len(line) + 1 for line in lines[: n + 1]) - 1 for n in range(len(lines))}
    found = reader_of(name).read(io.BytesIO(b"\n".join(lines)))
    assert {item.end for item in found if isinstance(item, Entry)} <= ends


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("claude-code", {"parentUuid": None, "sessionId": "S", "type": "user", "message": {}, "uuid": "u"}),
        ("claude-code", {"type": "summary", "summary": "x", "leafUuid": "a"}),
        ("claude-code", {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}),
        ("codex-rollout", rollout.meta()),
        ("codex-rollout", {"id": "i", "timestamp": "t", "instructions": None}),
        ("claude-stream-json", {"type": "system", "subtype": "init", "session_id": "S", "model": "m"}),
        (
            "claude-stream-json",
            {"type": "user", "message": {}, "session_id": "S", "parent_tool_use_id": None},
        ),
        ("codex-exec", {"type": "thread.started", "thread_id": "t"}),
        ("codex-exec", {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message"}}),
        ("codex-exec", {"id": "0", "msg": {"type": "task_started"}}),
        ("gemini-cli", {"sessionId": "S", "projectHash": "p", "startTime": "t", "kind": "main"}),
        ("gemini-cli", {"id": "m", "timestamp": "t", "type": "user", "content": "hi"}),
        ("gemini-stream-json", {"type": "init", "session_id": "S", "timestamp": "t"}),
        ("hook-capture", {"session_id": "S", "hook_event_name": "Stop", "transcript_path": "/x"}),
        ("pi", {"type": "session", "version": 3, "id": "i", "timestamp": "t", "cwd": "/w"}),
        ("cursor", {"role": "user", "message": {"content": []}}),
    ],
)
def test_a_log_is_recognized_by_its_content(name: str | None, head: dict[str, Any]) -> None:
    found = detect(json.dumps(head).encode() + b"\n")
    assert (found.name if found else None) == name


def test_a_log_whose_first_line_is_longer_than_the_head_is_recognized() -> None:
    prompt = claude.user("u", "x" * 100_000)
    first = {"parentUuid": None, "sessionId": "S"} | prompt
    assert detect(json.dumps(first, separators=(",", ":")).encode()[:65536]) is reader_of("claude-code")
    meta = rollout.meta(base_instructions={"text": "x" * 100_000})
    assert detect(json.dumps(meta).encode()[:65536]) is reader_of("codex-rollout")


@pytest.mark.parametrize("head", [b"", b"\n\n", b"\0\xff\xfe", b"SQLite format 3\0", b'{"type":"us', b"[]"])
def test_other_files_are_not_claimed_by_any_reader(head: bytes) -> None:
    assert detect(head) is None

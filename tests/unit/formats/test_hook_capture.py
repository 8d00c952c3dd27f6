"""Captures of hooks' payloads, of four agents, and of Codex's notifications."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import detect
from gittraj.formats.agent_hooks import capture as hook_capture
from gittraj.formats.codex import notify
from gittraj.model.session_items import Edit, Fact, Item, Mark, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.unit.formats.reading import check_cuts, check_marks, entries, facts, spoiled

CLAUDE = {"session_id": "S", "transcript_path": "/h/.claude/projects/-w/S.jsonl", "cwd": "/w"}
CODEX = {"session_id": "S", "transcript_path": None, "cwd": "/w", "turn_id": "t", "model": "gpt-5.5"}
GEMINI = {
    "session_id": "S",
    "transcript_path": "/h/.gemini/tmp/w/chats/s.jsonl",
    "cwd": "/w",
    "timestamp": "2026-11-20T15:18:31.239Z",
}
CURSOR = {
    "conversation_id": "S",
    "generation_id": "g",
    "workspace_roots": ["/w"],
    "cursor_version": "2.0",
    "user_email": "me@example.com",
    "model": "auto",
}


def write(*payloads: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in payloads)


def hook(base: dict[str, Any], event: str, **more: Any) -> dict[str, Any]:
    return {**base, "hook_event_name": event, **more}


def read(*payloads: dict[str, Any]) -> list[Item]:
    return list(hook_capture.read(io.BytesIO(write(*payloads))))


def events_in(items: list[Item]) -> list[AnyEvent]:
    return [entry.event for entry in entries(items)]


def tool(name: str, arguments: Any, call_id: str | None = "c1", **more: Any) -> dict[str, Any]:
    own = {} if call_id is None else {"tool_use_id": call_id}
    return {"tool_name": name, "tool_input": arguments, **own, **more}


# ---------------------------------------------------------------- the agent


@pytest.mark.parametrize(
    ("payload", "agent"),
    [
        (hook(CLAUDE, "SessionStart", source="startup", model="opus"), None),
        (hook(CODEX, "UserPromptSubmit", prompt="x"), "codex"),
        (
            hook(CLAUDE | {"transcript_path": "/c/sessions/2026/11/20/rollout-2026-S.jsonl"}, "SessionStart"),
            "codex",
        ),
        (hook(GEMINI, "SessionStart"), "gemini-cli"),
        (hook({"session_id": "S"}, "BeforeAgent", prompt="x"), "gemini-cli"),
        (hook(CURSOR, "beforeSubmitPrompt", prompt="x"), "cursor"),
    ],
)
def test_the_agent_is_recognized_by_events_and_fields(payload: dict[str, Any], agent: str | None) -> None:
    items = read(payload)
    assert items[0] == Fact(name="session", value="S")
    assert facts(items).get("agent") == agent
    assert "me@example.com" not in repr(items)


def test_the_agent_may_be_recognized_late() -> None:
    codex = {k: v for k, v in CODEX.items() if k not in ("turn_id", "model")}
    items = read(
        hook(codex, "SessionStart"), hook(CODEX, "UserPromptSubmit", prompt="x"), hook(codex, "SessionEnd")
    )
    assert [item.value for item in items if isinstance(item, Fact) and item.name == "agent"] == ["codex"]


def test_another_session_in_the_capture_is_marked() -> None:
    items = read(
        hook(CLAUDE, "UserPromptSubmit", prompt="a"),
        hook(CLAUDE | {"session_id": "T"}, "Stop", last_assistant_message="b"),
    )
    assert [entry.session for entry in entries(items)] == [None, "T"]


# ---------------------------------------------------------------- calls


def test_the_two_hooks_of_a_call_are_one_call_and_its_result() -> None:
    arguments = {"file_path": "/w/a", "old_string": "x", "new_string": "y"}
    response = {
        "filePath": "/w/a",
        "oldString": "x",
        "newString": "y",
        "originalFile": "x",
        "structuredPatch": [],
    }
    before = hook(CLAUDE, "PreToolUse", **tool("Edit", arguments))
    after = hook(CLAUDE, "PostToolUse", **tool("Edit", arguments), tool_response=response, duration_ms=12)
    items = read(before, after)
    call, result = entries(items)
    assert isinstance(call.event, ToolCall)
    assert isinstance(result.event, ToolResult)
    assert (call.event.id, result.event.id) == ("hook.c1:call", "hook.c1:result")
    assert (call.event.call_id, result.event.call_id, result.event.duration_ms) == ("c1", "c1", 12)
    assert call.edits == (Edit(path="/w/a", added=("y",), removed=("x",)),)
    assert result.edits == (Edit(path="/w/a", whole="y", before="x"),)
    assert [type(e) for e in events_in(read(before))] == [ToolCall]
    assert [e.id for e in events_in(read(after))] == ["hook.c1:call", "hook.c1:result"]
    assert events_in(read(before, before, after, after)) == events_in(items), "each is recorded twice"


def test_a_failure_is_an_error() -> None:
    failed = hook(
        CLAUDE, "PostToolUseFailure", **tool("Bash", {"command": "make"}), error="Exit code 2\nno rule"
    )
    call, result = entries(read(failed))
    assert (call.command, call.folder) == ("make", "/w")
    assert isinstance(result.event, ToolResult)
    assert (result.event.is_error, result.event.exit_code) == (True, 2)


def test_a_commit_is_read_from_every_agents_result() -> None:
    shown = "[main 1a2b3c4] x\n 1 file changed"
    command = {"command": "git commit -m x"}
    captures = [
        [hook(CLAUDE, "PostToolUse", **tool("Bash", command), tool_response={"stdout": shown, "stderr": ""})],
        [hook(CODEX, "PostToolUse", **tool("Bash", command), tool_response=shown)],
        [
            hook(
                GEMINI,
                "AfterTool",
                **tool("run_shell_command", command, None),
                tool_response={
                    "llmContent": f"<untrusted_context>\nOutput: {shown}\nSignal: 9\n</untrusted_context>"
                },
            )
        ],
        [hook(CURSOR, "afterShellExecution", **command, output=shown, duration=3)],
        [
            hook(
                CURSOR,
                "postToolUse",
                **tool("Shell", command),
                tool_output=json.dumps({"output": shown, "exitCode": 0}),
            )
        ],
    ]
    for capture in captures:
        call, result = entries(read(*capture))
        assert call.command == "git commit -m x", capture
        assert result.commits == ("1a2b3c4",), capture
        assert isinstance(result.event, ToolResult)
        assert result.event.content.startswith("[main"), capture
        assert not result.event.is_error, capture


def test_gemini_calls_and_results_are_paired_without_ids() -> None:
    def before(command: str) -> dict[str, Any]:
        return hook(GEMINI, "BeforeTool", **tool("run_shell_command", {"command": command}, None))

    def after(command: str, text: str) -> dict[str, Any]:
        response = {"llmContent": text, "returnDisplay": ""}
        return hook(
            GEMINI,
            "AfterTool",
            **tool("run_shell_command", {"command": command}, None),
            tool_response=response,
        )

    failure = "<untrusted_context>\nOutput: boom\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>"
    items = read(before("a"), before("b"), before("a"), after("b", "x"), after("a", failure), after("a", "y"))
    results = [e for e in events_in(items) if isinstance(e, ToolResult)]
    assert [(r.call_id, r.content, r.exit_code, r.is_error) for r in results] == [
        ("hook.1", "x", 0, False),
        ("hook.0", "boom", 3, True),
        ("hook.2", "y", 0, False),
    ]
    assert len({event.id for event in events_in(items)}) == 6


def test_gemini_edits_and_failures_are_read() -> None:
    display = {"filePath": "/w/a", "newContent": "x\n", "originalContent": "", "isNewFile": True}
    response = {"llmContent": "written", "returnDisplay": display}
    arguments = {"file_path": "/w/a", "content": "x\n"}
    call, result = entries(
        read(hook(GEMINI, "AfterTool", **tool("write_file", arguments, None), tool_response=response))
    )
    assert call.edits == (Edit(path="/w/a", added=("x",), whole="x\n"),)
    assert result.edits == (Edit(path="/w/a", kind="add", whole="x\n"),)
    error = {"llmContent": "no", "error": {"message": "not found"}}
    failed = events_in(read(hook(GEMINI, "AfterTool", **tool("read_file", {}, None), tool_response=error)))[1]
    assert isinstance(failed, ToolResult)
    assert failed.is_error


def test_codex_patches_and_framed_outputs_are_read() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
    response = "Exit code: 1\nWall time: 0 seconds\nOutput:\nfailed\n"
    after = hook(CODEX, "PostToolUse", **tool("apply_patch", {"command": patch}), tool_response=response)
    call, result = entries(read(after))
    assert call.edits == (Edit(path="a", kind="add", added=("x",), whole="x\n"),)
    assert call.command is None
    assert isinstance(result.event, ToolResult)
    assert (result.event.content, result.event.exit_code, result.event.is_error) == ("failed\n", 1, True)


def test_cursor_calls_reported_by_two_hooks_are_read_once() -> None:
    edits = [{"old_string": "x", "new_string": "y"}]
    alone = read(hook(CURSOR, "afterFileEdit", file_path="/w/a", edits=edits))
    assert entries(alone)[0].edits == (Edit(path="/w/a", added=("y",), removed=("x",)),)
    generic = tool("StrReplace", {"path": "/w/a", **edits[0]})
    both = read(
        hook(CURSOR, "preToolUse", **generic),
        hook(CURSOR, "afterFileEdit", file_path="/w/a", edits=edits),
        hook(CURSOR, "postToolUse", **generic, tool_output="{}"),
    )
    assert [type(event) for event in events_in(both)] == [ToolCall, ToolResult]
    assert entries(both)[0].edits == (Edit(path="/w/a", added=("y",), removed=("x",)),)
    shell = read(
        hook(CURSOR, "beforeShellExecution", command="ls", cwd="/w"),
        hook(CURSOR, "afterShellExecution", command="ls", output="a", duration=4),
    )
    assert [type(event) for event in events_in(shell)] == [ToolCall, ToolResult]


def test_an_answered_question_is_a_decision() -> None:
    asked = {"questions": [{"question": "Which?", "options": [{"label": "red"}, {"label": "blue"}]}]}
    response = {**asked, "answers": {"Which?": "red"}}
    items = read(hook(CLAUDE, "PostToolUse", **tool("AskUserQuestion", asked), tool_response=response))
    assert [e.decision for e in events_in(items) if isinstance(e, Decided)] == [
        Decision(chosen="red", by="human", question="Which?", alternatives=("blue",))
    ]


# ---------------------------------------------------------------- prompts and messages


def test_a_prompt_inside_a_subagent_is_not_a_humans() -> None:
    inside = CLAUDE | {"agent_id": "a1", "agent_type": "Explore"}
    items = read(
        hook(inside, "UserPromptSubmit", prompt="find it"),
        hook(inside, "Stop", last_assistant_message="found"),
        hook(CLAUDE, "SubagentStop", agent_id="a1", last_assistant_message="Found it."),
    )
    assert [(type(e), e.tags) for e in events_in(items)] == [
        (PeerMessage, ("sidechain",)),
        (Message, ("sidechain",)),
        (Message, ("sidechain",)),
    ]
    assert not [item for item in items if isinstance(item, TurnEnd | Mark)]


def test_text_that_the_program_typed_is_not_a_prompt() -> None:
    injected = hook(CLAUDE, "UserPromptSubmit", prompt="<task-notification>x</task-notification>")
    aside = hook(CLAUDE, "UserPromptSubmit", prompt="do it <system-reminder>x</system-reminder>")
    assert [(type(e), e.content) for e in events_in(read(injected, aside))] == [(Prompt, "do it")]


def test_ends_failures_and_compactions_are_read() -> None:
    items = read(
        hook(CLAUDE, "PreCompact", trigger="auto"),
        hook(CLAUDE, "PostCompact", compact_summary="so far"),
        hook(CLAUDE, "StopFailure", error="rate_limit", error_details="429"),
        hook(CLAUDE, "SessionEnd", reason="other"),
        hook(CURSOR | {"conversation_id": "S"}, "stop", status="aborted"),
        hook(CURSOR, "afterAgentResponse", text="hi"),
        hook(CURSOR, "afterAgentThought", text="hm"),
    )
    assert [(type(e), e.content) for e in events_in(items)] == [
        (NoteEvent, "Context compacted (auto)"),
        (NoteEvent, "so far"),
        (NoteEvent, "429"),
        (NoteEvent, "Aborted"),
        (Message, "hi"),
        (Thinking, "hm"),
    ]
    assert facts(items)["status"] == "completed"
    assert sum(isinstance(item, TurnEnd) for item in items) == 3


@pytest.mark.parametrize(
    "event", ["PreCompress", "AfterModel", "Notification", "WorktreeCreate", "NeverHeardOf"]
)
def test_other_events_are_skipped(event: str) -> None:
    assert events_in(read(hook(GEMINI, event, prompt="x", llm_response={}))) == []


# ---------------------------------------------------------------- properties

CAPTURE = [
    hook(CLAUDE, "SessionStart", source="startup", model="opus"),
    hook(CLAUDE, "UserPromptSubmit", prompt="hi é"),
    hook(CLAUDE, "PreToolUse", **tool("Bash", {"command": "ls"})),
    hook(CLAUDE, "UserPromptSubmit", prompt="faster"),
    hook(
        CLAUDE, "PostToolUse", **tool("Bash", {"command": "ls"}), tool_response={"stdout": "x", "stderr": ""}
    ),
    hook(GEMINI, "BeforeTool", **tool("replace", {"file_path": "a"}, None)),
    hook(GEMINI, "BeforeAgent", prompt="go"),
    hook(
        GEMINI,
        "AfterTool",
        **tool("replace", {"file_path": "a"}, None),
        tool_response={"llmContent": [{"text": "x"}]},
    ),
    hook(
        CODEX,
        "PostToolUse",
        **tool("apply_patch", {"command": "*** Begin Patch"}, "c2"),
        tool_response=[{"type": "x"}],
    ),
    hook(CURSOR, "beforeMCPExecution", **tool("mcp", "{}", None)),
    hook(
        CURSOR, "postToolUse", **tool("Write", {"path": "a", "contents": "x"}, "c3"), tool_output='{"a": 1}'
    ),
    hook(CURSOR, "beforeSubmitPrompt", prompt="end"),
    hook(CLAUDE, "Stop", last_assistant_message="done"),
]


def test_reading_on_from_a_mark_gives_the_same() -> None:
    check_marks(hook_capture, write(*CAPTURE), 4)


def test_a_capture_cut_anywhere_gives_a_beginning_of_the_whole() -> None:
    check_cuts(hook_capture, write(*CAPTURE))


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    capture, notes = spoiled(data, CAPTURE), spoiled(data, [turn("a", "b")])
    list(hook_capture.read(io.BytesIO(write(*capture))))
    list(notify.read(io.BytesIO(write(*notes))))


# ---------------------------------------------------------------- Codex's notifications


def turn(*messages: str, thread: str = "T", id: str = "1", **more: Any) -> dict[str, Any]:  # noqa: A002
    return {
        "type": "agent-turn-complete",
        "thread-id": thread,
        "turn-id": id,
        "cwd": "/w",
        "client": "codex_exec",
        "input-messages": [*messages],
        "last-assistant-message": f"answer {id}",
        **more,
    }


def read_notifications(*turns: dict[str, Any]) -> list[Item]:
    return list(notify.read(io.BytesIO(write(*turns))))


def test_prompts_repeated_in_each_notification_are_read_once() -> None:
    items = read_notifications(turn("a"), turn("a", "b", id="2"), turn("a", "b", "b", "c", id="3"))
    assert [(type(e), e.id, e.content) for e in events_in(items)] == [
        (Prompt, "hook.1:0", "a"),
        (Message, "hook.1:answer", "answer 1"),
        (Prompt, "hook.2:0", "b"),
        (Message, "hook.2:answer", "answer 2"),
        (Prompt, "hook.3:0", "b"),
        (Prompt, "hook.3:1", "c"),
        (Message, "hook.3:answer", "answer 3"),
    ]
    assert facts(items) == {"session": "T", "folder": "/w", "entrypoint": "codex_exec"}


def test_a_thread_first_seen_late_has_its_last_prompt_and_a_summary_is_not_a_prompt() -> None:
    summary = "Another language model started to solve this problem and produced a summary"
    items = read_notifications(turn("old", "older", "mine", summary), turn("x", thread="U", id="2"))
    assert [e.content for e in events_in(items) if isinstance(e, Prompt)] == ["mine", "x"]
    assert [entry.session for entry in entries(items)] == [None, None, "U", "U"]


# ---------------------------------------------------------------- real captures


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "agent", "prompts", "calls", "answers"),
    [
        ("hooks/codex-0.169-main.jsonl", "codex", "UserPromptSubmit", "PreToolUse", "Stop"),
        ("hooks/gemini-0.61-main.jsonl", "gemini-cli", "BeforeAgent", "BeforeTool", "AfterAgent"),
    ],
)
def test_a_real_capture_is_read(
    samples: Path, name: str, agent: str, prompts: str, calls: str, answers: str
) -> None:
    data = (samples / name).read_bytes()
    counted = Counter(json.loads(line)["hook_event_name"] for line in data.splitlines())
    assert detect(data[:65536]) is hook_capture
    items = list(hook_capture.read(io.BytesIO(data)))
    kinds = Counter(type(event) for event in events_in(items))
    assert facts(items)["agent"] == agent
    assert kinds == {
        Prompt: counted[prompts],
        ToolCall: counted[calls],
        ToolResult: counted[calls],
        Message: counted[answers],
    }
    assert len({event.id for event in events_in(items)}) == sum(kinds.values())
    assert {edit.path.rpartition("/")[2] for entry in entries(items) for edit in entry.edits} == {"calc.py"}


@pytest.mark.shared
def test_a_real_capture_of_claude_code_is_read(samples: Path) -> None:
    items = list(
        hook_capture.read(io.BytesIO((samples / "constructed/hooks--claude-code.jsonl").read_bytes()))
    )
    assert Counter(type(event) for event in events_in(items)) == {
        Prompt: 1,
        ToolCall: 2,
        ToolResult: 2,
        Message: 2,
        NoteEvent: 1,
    }
    assert [e.is_error for e in events_in(items) if isinstance(e, ToolResult)] == [False, True]


@pytest.mark.shared
def test_real_notifications_are_read(samples: Path) -> None:
    data = (samples / "hooks/codex-0.169-notify.jsonl").read_bytes()
    turns = [json.loads(line) for line in data.splitlines()]
    assert detect(data) is notify
    items = list(notify.read(io.BytesIO(data)))
    assert [e.content for e in events_in(items) if isinstance(e, Message)] == [
        t["last-assistant-message"] for t in turns
    ]
    typed = [
        [m for m in t["input-messages"] if not m.startswith("Another language model")][-1] for t in turns
    ]
    assert [e.content for e in events_in(items) if isinstance(e, Prompt)] == typed
    marks = [(n, item) for n, item in enumerate(items) if isinstance(item, Mark)]
    assert len(marks) == len(turns) == 11
    for at, mark in marks:
        assert list(notify.read(io.BytesIO(data), cursor=mark.cursor)) == items[at + 1 :]

"""Copilot's event stream, chat sessions and patch logs: each peculiarity in a log of a few records."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import detect
from gittraj.formats.copilot import chat, events, patches
from gittraj.model.session_items import Damage, Edit, Fact, Item, Mark, Spent, TurnEnd
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
    Usage,
)
from tests.unit.formats.reading import check_cuts, entries, facts, spoiled

CONTEXT = {"cwd": "/w", "branch": "main", "repository": "o/r", "hostType": "github", "headCommit": "a" * 40}
TIME = "2026-05-12T00:21:05.216Z"


def record(kind: str, id: str = "r", **data: Any) -> dict[str, Any]:  # noqa: A002
    return {"type": kind, "data": data, "id": id, "timestamp": TIME, "parentId": None}


def start(**more: Any) -> dict[str, Any]:
    return record(
        "session.start",
        "s",
        sessionId="S",
        copilotVersion="1.0.45",
        producer="copilot-agent",
        startTime=TIME,
        context=CONTEXT,
        **more,
    )


def reply(id: str, content: str = "", *requests: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: A002
    return record(
        "assistant.message", id, messageId=f"m-{id}", content=content, toolRequests=[*requests], **more
    )


def requested(tool: str, call_id: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"toolCallId": call_id, "name": tool, "arguments": json.dumps(arguments), "type": "function"}


def completed(id: str = "d", call_id: str = "c1", **more: Any) -> dict[str, Any]:  # noqa: A002
    return record("tool.execution_complete", id, toolCallId=call_id, **more)


def write(*records: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def read(*records: dict[str, Any]) -> list[Item]:
    return list(events.read(io.BytesIO(write(*records))))


def events_in(items: list[Item]) -> list[AnyEvent]:
    return [entry.event for entry in entries(items)]


def usage_of(items: list[Item]) -> dict[str, Usage]:
    return {item.response: item.usage for item in items if isinstance(item, Spent)}


# ---------------------------------------------------------------- the event stream


def test_the_start_gives_the_sessions_facts() -> None:
    items = read(start(), record("session.model_change", newModel="gpt-4.1"))
    assert items[0] == Fact(name="session", value="S")
    assert facts(items) == {
        "session": "S",
        "agent_version": "1.0.45",
        "entrypoint": "copilot-agent",
        "started_at": TIME,
        "folder": "/w",
        "branch": "main",
        "repository": "https://github.com/o/r",
        "start_commit": "a" * 40,
        "model": "gpt-4.1",
    }


def test_a_call_that_is_requested_and_then_started_is_one_call() -> None:
    call = requested("create", path="/w/a.py", file_text="x = 1\n")
    started = record(
        "tool.execution_start", "t", toolCallId="c1", toolName="create", arguments={"path": "/w/a.py"}
    )
    items = read(
        start(), reply("a", "I do.", call), started, completed(result={"content": "made"}, success=True)
    )
    message, made, result = events_in(items)
    assert isinstance(message, Message)
    assert isinstance(made, ToolCall)
    assert made.arguments == {"path": "/w/a.py", "file_text": "x = 1\n"}
    assert (message.id, made.id, message.response, made.response) == ("a:0", "a:1", "m-a", "m-a")
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.content, result.is_error) == ("c1", "made", False)
    edit = Edit(path="/w/a.py", kind="add", added=("x = 1",), whole="x = 1\n")
    assert entries(items)[1].edits == (edit,)
    assert entries(items)[1].folder == "/w"


def test_a_call_that_starts_without_a_request_is_a_call() -> None:
    items = read(
        start(),
        record("tool.execution_start", "t", toolCallId="c9", toolName="bash", arguments={"command": "ls"}),
    )
    assert [entry.command for entry in entries(items)] == ["ls"]


def test_a_call_across_a_prompt_is_still_one_call() -> None:
    started = record(
        "tool.execution_start", "t", toolCallId="c1", toolName="bash", arguments={"command": "ls"}
    )
    steer = record("user.message", "u", content="faster")
    data = write(
        start(), reply("a", "", requested("bash", command="ls")), steer, started, completed(success=True)
    )
    items = list(events.read(io.BytesIO(data)))
    assert sum(isinstance(event, ToolCall) for event in events_in(items)) == 1
    at = next(n for n, item in enumerate(items) if isinstance(item, Mark))
    mark = items[at]
    assert isinstance(mark, Mark)
    assert list(events.read(io.BytesIO(data), cursor=mark.cursor)) == items[at + 1 :]


@pytest.mark.parametrize(
    ("more", "error", "code", "text"),
    [
        ({"success": True}, False, None, ""),
        ({"success": False}, True, None, ""),
        ({"result": {"result_type": "failure", "text_result_for_llm": "no"}}, True, None, "no"),
        ({"success": False, "error": {"message": "boom"}}, True, None, "boom"),
        (
            {"success": True, "result": {"content": "x\n<exited with exit code 2>"}},
            True,
            2,
            "x\n<exited with exit code 2>",
        ),
        (
            {"success": True, "result": {"content": "<command with shellId: 1 completed with exit code 0>"}},
            False,
            0,
            "<command with shellId: 1 completed with exit code 0>",
        ),
    ],
)
def test_a_call_has_its_outcome(more: dict[str, Any], error: bool, code: int | None, text: str) -> None:
    result = events_in(read(start(), reply("a", "", requested("bash", command="x")), completed(**more)))[-1]
    assert isinstance(result, ToolResult)
    assert (result.is_error, result.exit_code, result.content) == (error, code, text)


def test_a_commit_is_read_from_gits_output() -> None:
    call = requested("bash", command="git commit -m x")
    items = read(
        start(), reply("a", "", call), completed(success=True, result={"content": "[main 1a2b3c4] x\n"})
    )
    assert entries(items)[-1].commits == ("1a2b3c4",)
    assert entries(items)[-2].command == "git commit -m x"


def test_an_answered_question_is_a_decision_and_a_refused_call_is_not() -> None:
    refused = completed(success=False, error={"code": "denied", "message": "The user refused"})
    items = read(start(), reply("a", "", requested("bash", command="rm x")), refused)
    assert [(type(e), e.content) for e in events_in(items)][-1] == (NoteEvent, "bash rm x")
    for words in ("Permission denied and could not request permission from user", "Denied by a rule"):
        by_rule = completed(success=False, error={"code": "denied", "message": words})
        items = read(start(), reply("a", "", requested("bash", command="rm x")), by_rule)
        assert not any(isinstance(e, Decided) for e in events_in(items))
    question = requested("ask_user", question="Which?", choices=["red", "blue"])
    items = read(
        start(), reply("a", "", question), completed(success=True, result={"content": "User selected: red"})
    )
    assert [e.decision for e in events_in(items) if isinstance(e, Decided)] == [
        Decision(chosen="red", by="human", question="Which?", alternatives=("blue",))
    ]


def test_text_that_the_program_wrote_as_the_user_is_not_a_prompt() -> None:
    items = read(
        start(),
        record("user.message", "u1", content="mine", transformedContent="<now>x</now> mine"),
        record("user.message", "u2", content="a skill's text", source="skill-pdf"),
        record("user.message", "u3", content="for a subagent", parentToolCallId="c1"),
    )
    assert [(type(event), event.content) for event in events_in(items)] == [
        (Prompt, "mine"),
        (PeerMessage, "for a subagent"),
    ]
    assert events_in(items)[1].parent == "c1"


def test_thinking_is_recorded_once() -> None:
    items = read(
        start(),
        record("assistant.reasoning", "r", reasoningId="x", content="hm"),
        reply("a", "ok", reasoningText="hm"),
        reply("b", "ok", reasoningText="well"),
    )
    assert [e.content for e in events_in(items) if isinstance(e, Thinking)] == ["hm", "well"]


NUMBERS = {
    "inputTokens": 100,
    "cacheReadTokens": 60,
    "cacheWriteTokens": 10,
    "outputTokens": 5,
    "reasoningTokens": 2,
}
COUNTED = Usage(
    input_tokens=30, cache_read_tokens=60, cache_write_tokens=10, output_tokens=5, reasoning_tokens=2
)


def test_costs_are_counted_per_call_or_as_a_total_but_not_both() -> None:
    usage = record("assistant.usage", "x", model="m", cost=1, **NUMBERS)
    metrics = {"m": {"requests": {"count": 1, "cost": 1}, "usage": NUMBERS}}
    end = record("session.shutdown", "e", shutdownType="routine", modelMetrics=metrics)
    each = read(start(), reply("a", "x"), usage, end)
    assert usage_of(each) == {"m-a": COUNTED}
    early = read(start(), usage, reply("a", "x"), end)
    assert usage_of(early) == {"m-a": COUNTED}
    total = read(start(), reply("a", "x"), reply("b", "y"), end)
    assert usage_of(total) == {"m-b": COUNTED}
    assert all(
        item.cost is None for item in each + total if isinstance(item, Spent)
    )  # the log has a number of requests, not dollars
    assert facts(total)["status"] == "completed"


def test_each_models_total_is_counted_for_its_last_answer() -> None:
    metrics = {"m": {"usage": NUMBERS}, "n": {"usage": {"outputTokens": 7}}}
    end = record("session.shutdown", "e", modelMetrics=metrics)
    items = read(start(), reply("a", "x", model="n"), reply("b", "y", model="m"), end)
    assert usage_of(items) == {"m-b": COUNTED, "m-a": Usage(output_tokens=7)}
    assert {event.response for event in events_in(items)} >= usage_of(items).keys()


def test_a_turn_ends_when_no_more_calls_are_requested() -> None:
    end = record("assistant.turn_end", "e", turnId="0")
    ends = [
        n
        for n, item in enumerate(
            read(start(), reply("a", "", requested("bash", command="x")), end, reply("b", "ok"), end)
        )
        if isinstance(item, TurnEnd)
    ]
    assert len(ends) == 1


def test_errors_compactions_and_interruptions_are_notes() -> None:
    items = read(
        start(),
        record("session.error", "a", errorType="model_call", message="bad"),
        record("session.compaction_complete", "b", success=True, summaryContent="so far"),
        record("abort", "c", reason="user initiated"),
        record("session.info", "d", infoType="mcp", message="noise"),
    )
    assert [(e.kind, e.content) for e in events_in(items) if isinstance(e, NoteEvent)] == [
        ("error", "bad"),
        ("compaction", "so far"),
        ("note", "Aborted: user initiated"),
    ]


def test_an_image_is_never_in_an_event() -> None:
    data = base64.b64encode(b"png").decode()
    attachment = {"type": "blob", "data": data, "mimeType": "image/png"}
    prompt = events_in(read(start(), record("user.message", "u", content="see", attachments=[attachment])))[0]
    assert prompt.content == "see\n[image/png, 3 bytes]"
    assert prompt.artifact is not None
    assert prompt.artifact.bytes == 3


@pytest.mark.parametrize(
    ("tool", "arguments", "edit"),
    [
        ("edit", {"path": "a", "old_str": "x", "new_str": "y"}, Edit(path="a", added=("y",), removed=("x",))),
        (
            "str_replace_editor",
            {"command": "create", "path": "a", "file_text": "y"},
            Edit(path="a", kind="add", added=("y",), whole="y"),
        ),
        ("insert", {"path": "a", "insert_line": 3, "new_str": "y"}, Edit(path="a", added=("y",))),
        (
            "replace_string_in_file",
            {"filePath": "a", "oldString": "x\ny", "newString": "x\nz"},
            Edit(path="a", added=("z",), removed=("y",)),
        ),
        (
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": "a", "oldString": "x", "newString": "y"}]},
            Edit(path="a", added=("y",), removed=("x",)),
        ),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"},
            Edit(path="a", kind="delete"),
        ),
    ],
)
def test_edits_of_both_programs_tools_are_read(tool: str, arguments: dict[str, Any], edit: Edit) -> None:
    assert entries(read(start(), reply("a", "", requested(tool, **arguments))))[0].edits == (edit,)


@pytest.mark.parametrize("tool", ["view", "grep", "str_replace_editor"])
def test_reading_is_not_an_edit(tool: str) -> None:
    assert entries(read(start(), reply("a", "", requested(tool, command="view", path="a"))))[0].edits == ()


# ---------------------------------------------------------------- VS Code's chat sessions


URI = {"fsPath": "/w/a.ts", "path": "/w/a.ts", "scheme": "file"}


def shown_call(call_id: str = "p1", **more: Any) -> dict[str, Any]:
    part = {
        "kind": "toolInvocationSerialized",
        "toolCallId": call_id,
        "toolId": "copilot_x",
        "isComplete": True,
    }
    return {**part, "isConfirmed": {"type": 1}, **more}


def group(text: str) -> dict[str, Any]:
    return {"kind": "textEditGroup", "uri": URI, "edits": [[{"text": text, "range": {}}], []], "done": True}


def request(*parts: Any, rounds: Any = None, results: Any = None, **more: Any) -> dict[str, Any]:
    metadata = {} if rounds is None else {"toolCallRounds": rounds, "toolCallResults": results or {}}
    return {
        "requestId": "q1",
        "message": {"text": "do it"},
        "response": [*parts],
        "result": {"timings": {"firstProgress": 1000, "totalElapsed": 5000}, "metadata": metadata},
        "timestamp": 1759845073835,
        "modelId": "copilot/claude-sonnet-4",
        **more,
    }


def session(*requests: Any, **more: Any) -> dict[str, Any]:
    return {"version": 3, "requesterUsername": "me", "requests": [*requests], "sessionId": "S", **more}


def read_chat(*requests: Any) -> list[Item]:
    return list(chat.read(io.BytesIO(json.dumps(session(*requests)).encode())))


def round_of(*calls: tuple[str, str, dict[str, Any]], id: str = "r0") -> dict[str, Any]:  # noqa: A002
    asked_for = [{"id": i, "name": n, "arguments": json.dumps(a)} for i, n, a in calls]
    return {"id": id, "response": "x", "toolCalls": asked_for}


def test_a_shown_call_has_arguments_and_result_from_its_round() -> None:
    arguments = {"filePath": "/w/a.ts", "oldString": "x", "newString": "y"}
    rounds = [round_of(("t1__vscode-1", "replace_string_in_file", arguments)), round_of(id="r1")]
    tree = {"node": {"children": [{"text": "edited:"}, {"text": "a.ts", "lineBreakBefore": True}]}}
    results = {"t1__vscode-1": {"content": [{"value": tree}]}}
    fence = {"value": "\n```\n"}
    parts = [{"value": "I "}, {"value": "do."}, shown_call(), fence, group("y"), fence, {"value": "Done."}]
    items = read_chat(request(*parts, rounds=rounds, results=results))
    prompt, first, call, result, last = events_in(items)
    assert (prompt.content, prompt.ts) == ("do it", "2025-10-07T13:51:13.835Z")
    assert (first.content, first.response, first.model) == ("I do.", "r0", "claude-sonnet-4")
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments, call.call_id) == ("replace_string_in_file", arguments, "p1")
    assert isinstance(result, ToolResult)
    assert (result.content, result.call_id) == ("edited:\na.ts", "p1")
    assert (last.content, last.response) == ("Done.", "r1")
    assert [edit for entry in entries(items) for edit in entry.edits] == [
        Edit(path="/w/a.ts", added=("y",), removed=("x",))
    ]


def test_ids_are_the_same_before_and_after_the_rounds_are_written() -> None:
    parts = [{"value": "a"}, shown_call("p1"), shown_call("p2"), {"value": "b"}]
    rounds = [round_of(("t1", "read_file", {}), ("t2", "read_file", {})), round_of(id="r1")]
    early = [event.id for event in events_in(read_chat(request(*parts, result={})))]
    assert early == [event.id for event in events_in(read_chat(request(*parts, rounds=rounds)))]


def test_calls_with_the_same_ids_are_paired_by_them() -> None:
    rounds = [round_of(("t1__vscode-1", "one", {"n": 1}), ("t2__vscode-2", "two", {"n": 2}))]
    items = read_chat(request(shown_call("t2"), shown_call("t1"), rounds=rounds))
    assert [event.name for event in events_in(items) if isinstance(event, ToolCall)] == ["two", "one"]


def test_a_call_that_is_not_shown_comes_last() -> None:
    rounds = [round_of(("t1", "one", {}), ("t2", "two", {}))]
    calls = [
        event
        for event in events_in(read_chat(request(shown_call(), rounds=rounds)))
        if isinstance(event, ToolCall)
    ]
    assert [(event.id, event.name) for event in calls] == [("q1:0", "one"), ("q1:hidden0", "two")]


def test_a_call_without_arguments_has_the_edits_that_are_shown() -> None:
    without = read_chat(request(shown_call(toolId="copilot_editFile"), group("a\nb"), result={}))
    assert [entry.edits for entry in entries(without) if isinstance(entry.event, ToolCall)] == [
        (Edit(path="/w/a.ts", added=("a", "b")),)
    ]
    inline = read_chat(request({"value": "x"}, group("a"), group("b"), result={}))
    calls = [entry for entry in entries(inline) if isinstance(entry.event, ToolCall)]
    assert [entry.edits[0].added for entry in calls] == [("a",), ("b",)]
    assert len({entry.event.id for entry in entries(inline)}) == len(entries(inline))


def test_a_terminal_call_has_its_command_and_exit_code() -> None:
    special = {
        "kind": "terminal",
        "commandLine": {"original": "npm test", "userEdited": "npm test -s"},
        "terminalCommandOutput": {"text": "1 failed"},
        "terminalCommandState": {"exitCode": 1},
    }
    items = read_chat(request(shown_call(toolId="run_in_terminal", toolSpecificData=special), result={}))
    call, result = entries(items)[1:3]
    assert call.command == "npm test -s"
    assert isinstance(result.event, ToolResult)
    assert (result.event.exit_code, result.event.is_error, result.event.content) == (1, True, "1 failed")


@pytest.mark.parametrize("confirmed", [False, {"type": 0}, {"type": 5}])
def test_a_refused_call_has_failed_and_names_its_command(confirmed: Any) -> None:
    rounds = [round_of(("t1", "run_in_terminal", {"command": "rm x"}))]
    _, _, result, refusal = events_in(
        read_chat(request(shown_call(isConfirmed=confirmed, isComplete=False), rounds=rounds))
    )
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert isinstance(refusal, NoteEvent)
    assert (refusal.kind, refusal.content) == ("refusal", "run_in_terminal rm x")


def test_a_running_call_has_no_result() -> None:
    assert [
        type(event) for event in events_in(read_chat(request(shown_call(isComplete=False), result={})))
    ] == [
        Prompt,
        ToolCall,
    ]


def test_thinking_references_errors_and_cancelling_are_read() -> None:
    reference = {"kind": "inlineReference", "inlineReference": URI}
    parts = [
        {"kind": "thinking", "value": ["h", "m"]},
        {"value": "see "},
        reference,
        {"kind": "undoStop"},
        {"value": "."},
    ]
    failed = {"errorDetails": {"message": "filtered"}, "timings": {}}
    items = read_chat(request(*parts, result=failed, isCanceled=True))
    assert [(type(event), event.content) for event in events_in(items)[1:]] == [
        (Thinking, "hm"),
        (Message, "see `a.ts`."),
        (NoteEvent, "filtered"),
        (NoteEvent, "Canceled"),
    ]
    assert isinstance(items[-1], TurnEnd)


def test_a_requests_cost_belongs_to_its_last_call() -> None:
    items = read_chat(request({"value": "x"}, usage={"promptTokens": 10, "completionTokens": 3}))
    assert usage_of(items) == {"q1:response": Usage(input_tokens=10, output_tokens=3)}
    assert events_in(items)[1].response == "q1:response"


def test_a_chat_gives_its_sessions_facts() -> None:
    value = session(
        request(
            {"value": "x", "baseUri": {"path": "/w/", "scheme": "file"}}, agent={"extensionVersion": "0.31.5"}
        ),
        customTitle="T",
        creationDate=1759845046680,
    )
    items = list(chat.read(io.BytesIO(json.dumps(value).encode()), session="file"))
    assert items[0] == Fact(name="session", value="S")
    assert facts(items) == {
        "session": "S",
        "started_at": "2025-10-07T13:50:46.680Z",
        "title": "T",
        "agent_version": "0.31.5",
        "folder": "/w",
        "entrypoint": "vscode",
        "model": "claude-sonnet-4",
    }


def test_requests_with_the_same_id_have_different_events() -> None:
    ids = [event.id for event in events_in(read_chat(request({"value": "a"}), request({"value": "b"})))]
    assert len(ids) == len(set(ids)) == 4


# ---------------------------------------------------------------- patch logs


def test_a_patch_log_gives_the_same_session() -> None:
    whole = session(
        request({"value": "a"}, shown_call()), request({"value": "b"}, requestId="q2"), customTitle="T"
    )
    log = write(
        {"kind": 0, "v": {**whole, "requests": [], "customTitle": "old"}},
        {"kind": 1, "k": ["customTitle"], "v": "T"},
        {"kind": 2, "k": ["requests"], "v": [request({"value": "a"}, {"value": "gone"})]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [shown_call()], "i": 1},
        {"kind": 2, "k": ["requests"], "v": [request(requestId="q2", response=None)]},
        {"kind": 1, "k": ["requests", 1, "response"], "v": [{"value": "b"}]},
        {"kind": 1, "k": ["gone"], "v": 1},
        {"kind": 3, "k": ["gone"]},
    )
    replayed = list(patches.read(io.BytesIO(log)))
    straight = list(chat.read(io.BytesIO(json.dumps(whole).encode())))
    assert events_in(replayed) == events_in(straight)
    assert facts(replayed) == facts(straight)
    assert {entry.end for entry in entries(replayed)} == {len(log) - 1}


@pytest.mark.parametrize(
    "patch",
    [
        {"kind": 1, "k": ["requests", 10**12], "v": 1},
        {"kind": 1, "k": ["requests", -1], "v": 1},
        {"kind": 2, "k": ["no", "such", 3], "v": [1]},
        {"kind": 2, "k": ["requests"], "v": [], "i": "x"},
        {"kind": 1, "k": "requests", "v": 1},
        {"kind": 1, "k": [["x"]], "v": 1},
        {"kind": 9, "k": ["requests"], "v": 1},
    ],
)
def test_a_patch_of_an_unknown_path_changes_nothing(patch: dict[str, Any]) -> None:
    first = {"kind": 0, "v": session(request({"value": "a"}))}
    whole, other = (list(patches.read(io.BytesIO(write(first, *more)))) for more in ([], [patch]))
    assert events_in(whole) == events_in(other)


def test_each_of_the_three_formats_is_recognized_by_its_content() -> None:
    long = {"value": "x" * 100_000}
    assert detect(write(start())) is events
    assert detect(write(record("user.message", content="hi"))) is events
    assert detect(json.dumps(session(request(long))).encode()[:65536]) is chat
    assert detect(json.dumps(session(request()), indent=2).encode()) is chat
    assert detect(write({"kind": 0, "v": session(request(long))})[:65536]) is patches
    assert detect(write({"kind": 0, "v": session()})) is patches
    assert detect(write({"kind": 0, "v": {"a": 1}})) is None


# ---------------------------------------------------------------- real sessions, and broken ones

STREAM = [
    start(),
    record(
        "user.message", "u", content="hi", attachments=[{"type": "blob", "data": "eA==", "mimeType": "a/b"}]
    ),
    reply("a", "x", requested("ask_user", question="q", choices=["r"]), reasoningText="hm"),
    completed(success=True, result={"content": "User selected: r"}, error={"code": "denied"}),
    record("session.shutdown", "e", modelMetrics={"m": {"usage": NUMBERS}}),
]
CHAT = session(
    request(
        {"value": "a"},
        shown_call(toolSpecificData={"kind": "terminal"}),
        group("x"),
        {"kind": "thinking", "value": "t"},
        rounds=[round_of(("t1", "edit", {"path": "a"}))],
        results={"t1": {"content": [{"value": "x"}]}},
        variableData={"variables": [{"kind": "image", "value": "eA==", "mimeType": "a/b"}]},
    ),
)


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    stream, chat_value = spoiled(data, STREAM, 3), spoiled(data, CHAT, 3)
    list(events.read(io.BytesIO(write(*stream))))
    list(chat.read(io.BytesIO(json.dumps(chat_value).encode())))
    list(patches.read(io.BytesIO(write({"kind": 0, "v": chat_value}, *stream))))


def test_a_stream_cut_anywhere_gives_a_beginning_of_the_whole() -> None:
    check_cuts(events, write(*STREAM))


def test_a_chat_cut_anywhere_gives_a_beginning_and_a_damage() -> None:
    data = json.dumps(CHAT).encode()
    ids = {event.id for event in events_in(list(chat.read(io.BytesIO(data))))}
    for cut in range(len(data)):
        part = list(chat.read(io.BytesIO(data[:cut])))
        assert any(isinstance(item, Damage) for item in part)
        assert {event.id for event in events_in(part)} <= ids | {"n0:prompt", "q1:error", "q1:canceled"}


@pytest.mark.shared
def test_a_real_event_stream_is_read(samples: Path) -> None:
    data = (samples / "other/copilot/cli-events.jsonl").read_bytes()
    records = [json.loads(line) for line in data.splitlines()]
    items = list(events.read(io.BytesIO(data)))
    kinds = [type(event) for event in events_in(items)]
    assert kinds.count(Prompt) == sum(r["type"] == "user.message" for r in records) == 1
    assert kinds.count(Message) == sum(
        bool(r["data"].get("content")) for r in records if r["type"] == "assistant.message"
    )
    assert kinds.count(ToolCall) == sum(len(r["data"].get("toolRequests", [])) for r in records) == 1
    assert kinds.count(ToolResult) == sum(r["type"] == "tool.execution_complete" for r in records) == 1
    assert entries(items)[2].edits[0].whole == "print('hello world')\n"


@pytest.mark.shared
def test_a_real_chat_is_read(samples: Path) -> None:
    data = (samples / "other/copilot/vscode-chat-session.json").read_bytes()
    requests = json.loads(data)["requests"]
    rounds = [found for r in requests for found in r["result"]["metadata"]["toolCallRounds"]]
    results = [found for r in requests for found in r["result"]["metadata"].get("toolCallResults", {})]
    items = list(chat.read(io.BytesIO(data)))
    kinds = [type(event) for event in events_in(items)]
    assert kinds.count(Prompt) == len(requests) == 3
    assert kinds.count(ToolCall) == sum(len(found["toolCalls"]) for found in rounds) == 2
    assert kinds.count(ToolResult) == len(results) == 2
    assert kinds.count(Message) == sum(bool(found["response"]) for found in rounds) == 5
    assert {e.response for e in events_in(items)} - {None} == {found["id"] for found in rounds}
    responses = [found["response"].strip() for found in rounds]
    assert [event.content for event in events_in(items) if isinstance(event, Message)] == responses
    edits = [edit for entry in entries(items) for edit in entry.edits]
    assert [(edit.added, edit.removed) for edit in edits] == [
        (("console.log('hello world');",), ("console.log('Bonjour World');",))
    ]
    assert not [item for item in items if isinstance(item, Damage)]

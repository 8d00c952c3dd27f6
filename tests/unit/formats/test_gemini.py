"""Gemini CLI's session files: each peculiarity of the format in a log of a few records."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats import detect
from gittraj.formats.gemini import session as gemini
from gittraj.model.session_items import Cursor, Damage, Edit, Entry, Fact, Item, Mark, Spent
from gittraj.model.values import (
    AnyEvent,
    Artifact,
    Decided,
    Decision,
    Foreign,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.conftest import SHARING
from tests.unit.formats.reading import entries, written

Json = dict[str, Any]
AT, THEN, LATER = (f"2026-11-20T15:18:3{n}.250Z" for n in range(3))
META = {"sessionId": "S", "projectHash": "h", "startTime": AT, "lastUpdated": AT, "kind": "main"}
CONTEXT = {
    "id": "ctx",
    "timestamp": AT,
    "type": "user",
    "content": [
        {"text": "<session_context>\n- **Workspace Directories:**\n  - /w\n  - /v\n</session_context>"}
    ],
}
TOKENS = {"input": 5000, "output": 30, "cached": 4000, "thoughts": 20, "tool": 0, "total": 5050}


def user(id: str, content: Any, **more: Any) -> Json:  # noqa: A002
    content = [{"text": content}] if isinstance(content, str) else content
    return {"id": id, "timestamp": AT, "type": "user", "content": content, **more}


def reply(id: str, content: Any = "", **more: Any) -> Json:  # noqa: A002
    model = {"thoughts": [], "tokens": TOKENS, "model": "gemini-2.5-pro"}
    return {"id": id, "timestamp": AT, "type": "gemini", "content": content, **model, **more}


def response(call_id: str, tool: str = "run_shell_command", **given: Any) -> Json:
    return {"functionResponse": {"id": call_id, "name": tool, "response": given}}


def call(tool: str, call_id: str = "c1", output: str | None = None, **more: Any) -> Json:
    """Return a call with its arguments; ``output`` is the text of its result."""
    known: Json = {key: more.pop(key) for key in ("resultDisplay", "status", "result") if key in more}
    made: Json = {"id": call_id, "name": tool, "args": more, "timestamp": THEN, **known}
    if output is not None:
        made |= {"status": "success", "result": [response(call_id, tool, output=output)]} | known
    return made


def set_messages(*messages: Json) -> Json:
    return {"$set": {"messages": list(messages), "lastUpdated": LATER}}


def read(*records: Json, session: str | None = None) -> list[Item]:
    return list(gemini.read(io.BytesIO(written(*records)), session=session))


def events(*records: Json) -> list[AnyEvent]:
    return [entry.event for entry in entries(read(*records))]


def facts(items: Sequence[Item]) -> list[tuple[str, Any]]:
    return [(item.name, item.value) for item in items if isinstance(item, Fact)]


def only_entry(*records: Json) -> Entry:
    (entry,) = entries(read(*records))
    return entry


# ---------------------------------------------------------------- messages


def test_a_message_written_again_is_one_response() -> None:
    thought = {"subject": "Planning", "description": "I list the folder.", "timestamp": AT}
    first = reply("m", "Now", thoughts=[thought])
    items = read(META, user("u", "go"), first, {"$set": {"lastUpdated": THEN}}, {
        **first, "timestamp": LATER, "toolCalls": [call("list_directory", output="a.txt", dir_path=".")],
    })  # fmt: skip
    prompt, thinking, message, called, result = (entry.event for entry in entries(items))
    assert [e.id for e in (prompt, thinking, message, called, result)] == [
        *("u:0", "m:t0", "m:m", "m:c0", "m:r0")
    ]
    assert isinstance(thinking, Thinking)
    assert thinking.content == "**Planning** I list the folder."
    assert isinstance(message, Message)
    assert (message.content, message.ts, message.model) == ("Now", AT, "gemini-2.5-pro")
    assert isinstance(called, ToolCall)
    assert (called.name, called.arguments, called.call_id) == ("list_directory", {"dir_path": "."}, "c1")
    assert isinstance(result, ToolResult)
    assert (result.content, result.call_id, result.ts, result.is_error) == ("a.txt", "c1", THEN, False)
    assert {e.response for e in (thinking, message, called)} == {"m"}
    (spent,) = (item for item in items if isinstance(item, Spent))
    assert spent == Spent(
        response="m",
        usage=Usage(input_tokens=1000, cache_read_tokens=4000, output_tokens=50, reasoning_tokens=20),
    )


def test_the_last_value_of_each_field_counts_and_no_known_value_is_lost() -> None:
    again = reply("m", "the whole", tokens=None, model=None)
    update = {"type": "message_update", "id": "m", "tokens": {**TOKENS, "output": 80}}
    items = read(META, user("u", "go"), reply("m", "the", tokens=TOKENS), again, update)
    _, message = (entry.event for entry in entries(items))
    assert (message.content, message.model) == ("the whole", "gemini-2.5-pro")
    assert [i.usage.output_tokens for i in items if isinstance(i, Spent)] == [100]


def test_calls_added_to_a_message_after_another_one_are_kept() -> None:
    first = reply("m", "x", toolCalls=[call("glob", "c1", pattern="*")])
    answer = user("r", [response("c1", "glob", output="found")])
    later = reply("m", "x", toolCalls=[call("glob", "c1", "richer", pattern="*"), call("glob", "c2", "more")])
    found = events(META, first, answer, later)
    assert [event.id for event in found] == ["m:m", "m:c0", "r:0", "m:c1", "m:r1"]
    assert [e.content for e in found if isinstance(e, ToolResult)] == ["found", "more"]


def test_a_response_without_words_still_has_its_cost_once_it_is_over() -> None:
    silent = reply("m")
    assert entries(read(META, silent)) == []
    items = read(META, silent, user("u", "go on"))
    assert [entry.event.id for entry in entries(items)] == ["m:m", "u:0"]
    assert [item.response for item in items if isinstance(item, Spent)] == ["m"]


def test_calls_and_results_of_one_response_are_paired_by_their_ids() -> None:
    calls = [call("glob", "c1", "one", pattern="1"), call("glob", "c2", "two", pattern="2")]
    found = events(META, reply("m", toolCalls=calls))
    assert [event.id for event in found] == ["m:c0", "m:c1", "m:r0", "m:r1"]
    assert [(e.call_id, e.content) for e in found if isinstance(e, ToolResult)] == [
        ("c1", "one"),
        ("c2", "two"),
    ]


def test_calls_without_ids_are_named_by_message_and_ordinal() -> None:
    nameless = {"name": "glob", "args": {}}
    answer = {"functionResponse": {"name": "glob", "response": {"output": "x"}}}
    found = events(META, reply("m", toolCalls=[nameless, nameless]), user("r", [answer, answer]))
    assert [e.call_id for e in found if isinstance(e, ToolCall | ToolResult)] == [*("m:c0", "m:c1") * 2]


def test_a_result_in_both_records_is_read_once() -> None:
    found = events(
        META,
        reply("m", toolCalls=[call("glob", "c1", "x", pattern="*")]),
        user("r", [response("c1", "glob", output="x")]),
    )
    assert [event.id for event in found] == ["m:c0", "m:r0"]


def test_the_programs_notes_are_read() -> None:
    found = events(META, *(
        {"id": kind, "timestamp": AT, "type": kind, "content": f"a {kind}"}
        for kind in ("info", "warning", "error", "of-2031")
    ))  # fmt: skip
    info, warning, error, unknown = found
    assert isinstance(info, NoteEvent)
    assert (info.kind, info.content) == ("note", "a info")
    assert isinstance(warning, NoteEvent)
    assert (warning.kind, warning.tags) == ("note", ("warning",))
    assert isinstance(error, NoteEvent)
    assert error.kind == "error"
    assert isinstance(unknown, Foreign)
    assert unknown.type == "of-2031"


# ---------------------------------------------------------------- rewritten histories


def rewritten() -> list[Json]:
    """Return a resumed session: its history is repeated with fewer fields and later times."""
    calling = reply("m1", "Listing", toolCalls=[call("glob", "c1", "a.txt", pattern="*")])
    return [
        META,
        set_messages(CONTEXT),
        user("u1", "What is here?"),
        calling,
        user("r1", [response("c1", "glob", output="a.txt")]),
        reply("m2", "One file."),
        {**META, "startTime": LATER},
        {"$set": {"sessionId": "S"}},
        set_messages(
            {**CONTEXT, "timestamp": LATER},
            {**user("u1", "What is here?"), "timestamp": LATER},
            {
                "id": "m1",
                "timestamp": LATER,
                "type": "gemini",
                "content": [{"text": "Listing"}, {"functionCall": {"id": "c1", "name": "glob", "args": {}}}],
            },
            {**user("m1_response", [response("c1", "glob", output="a.txt")]), "timestamp": LATER},
            {"id": "m2", "timestamp": LATER, "type": "gemini", "content": [{"text": "One file."}]},
        ),
        user("u2", "Sure?"),
        reply("m3", "Yes."),
    ]


def test_a_repeated_history_adds_no_events() -> None:
    items = read(*rewritten())
    found = [entry.event for entry in entries(items)]
    assert [e.id for e in found] == ["u1:0", "m1:m", "m1:c0", "m1:r0", "m2:m", "u2:0", "m3:m"]
    assert {event.ts for event in found} == {AT, THEN}
    assert [item.response for item in items if isinstance(item, Spent)] == ["m1", "m2", "m3"]
    assert facts(items) == [
        *(("session", "S"), ("started_at", AT), ("folder", "/w"), ("model", "gemini-2.5-pro"))
    ]


def test_a_history_that_is_not_a_repetition_is_read() -> None:
    *_, history, prompt, last = rewritten()
    found = events(META, history, prompt, last)
    assert [e.id for e in found] == [*("u1:0", "m1:m", "m1:c0", "m1_response:0", "m2:m", "u2:0", "m3:m")]


def test_a_compression_is_noted_once_and_removes_no_event() -> None:
    summary = user("s", "<state_snapshot>what was done</state_snapshot>")
    kept = [summary, reply("f", [{"text": "Got it. Thanks for the additional context!"}]), user("new", "1")]
    items = read(
        META,
        user("u1", "1"),
        reply("m1", "a"),
        set_messages(*kept),
        user("u2", "2"),
        set_messages(*kept),
        reply("m2"),
    )
    found = [entry.event for entry in entries(items)]
    assert [event.id for event in found] == ["u1:0", "m1:m", "s:0", "u2:0"]
    assert isinstance(found[2], NoteEvent)
    assert (found[2].kind, found[2].content) == (
        "compaction",
        "<state_snapshot>what was done</state_snapshot>",
    )


def test_events_before_a_rewind_are_kept() -> None:
    found = events(META, user("u1", "1"), reply("m1", "a"), {"$rewindTo": "u1"}, user("u2", "2"))
    assert [type(event) for event in found] == [Prompt, Message, NoteEvent, Prompt]
    assert found[2].tags == ("rewound",)


# ---------------------------------------------------------------- prompts


@pytest.mark.parametrize(
    "message",
    [
        CONTEXT,
        user("u", "This is the Gemini CLI. We are setting up the context for our chat.\n…"),
        user("u", "<hook_context>x</hook_context>"),
        user("u", "Here is the user's editor context as a JSON object. {}"),
        user("u", "System: Potential loop detected."),
        user("u", "Please continue."),
        user("u", "  "),
        user("u", []),
        user("u", None),
        user("u", [7, {"text": 7}]),
        {"id": "u", "type": "user"},
    ],
)
def test_text_that_no_human_typed_is_not_a_prompt(message: Json) -> None:
    items = read(META, message)
    assert entries(items) == []
    assert not [item for item in items if isinstance(item, Mark | Damage)]


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("  fix it \n", "fix it"),
        ([{"text": "one"}, "two"], "one\ntwo"),
        ([{"text": "fix @a"}, {"text": "\n--- Content from referenced files ---"}, {"text": "A"}], "fix @a"),
        ("fix @a\n--- Content from referenced files ---\nContent from @a:\nA", "fix @a"),
        ([{"text": "fix"}, {"text": "\n\n<hook_context>be brief</hook_context>"}], "fix"),
        ("User steering update:\n<user_input>\nuse tabs\n</user_input>\nInternal instruction: x", "use tabs"),
        ("/memory show", "/memory show"),
    ],
)
def test_a_prompt_is_the_typed_text(content: Any, typed: str) -> None:
    items = read(META, user("u", content))
    assert isinstance(items[-2], Mark)
    (prompt,) = (entry.event for entry in entries(items))
    assert isinstance(prompt, Prompt)
    assert (prompt.id, prompt.content, prompt.ts) == ("u:0", typed, AT)


def test_a_prompt_is_the_displayed_text() -> None:
    shown = user("u", "a template, filled in", displayContent=[{"text": "/review a"}])
    assert only_entry(META, shown).event.content == "/review a"


def test_a_command_that_the_user_ran_is_noted() -> None:
    event = only_entry(META, user("u", "I ran the following shell command:\n```sh\nls\n```\n…")).event
    assert isinstance(event, NoteEvent)
    assert (event.kind, event.tags) == ("note", ("shell",))


def test_an_image_is_never_in_a_text() -> None:
    data = base64.b64encode(b"pixels").decode()
    image = {"inlineData": {"mimeType": "image/png", "data": data}}
    assert only_entry(META, user("u", [{"text": "see"}, image])).event.content == "see\n[image/png, 6 bytes]"
    shown = call("read_file", result=[response("c1", "read_file", output="Binary"), image], file_path="a.png")
    _, result = entries(read(META, reply("m", toolCalls=[shown])))
    artifact = Artifact(media_type="image/png", bytes=6, sha256=hashlib.sha256(b"pixels").hexdigest())
    assert result.event.artifact == artifact
    assert data not in repr(read(META, user("u", [image]), reply("m", toolCalls=[shown])))


# ---------------------------------------------------------------- calls and their results


def shell(output: str, **more: Any) -> Entry:
    made = reply("m", toolCalls=[call("run_shell_command", "c1", output, command="git commit", **more)])
    return entries(read(META, made))[1]


PID = "\nProcess Group PGID: 10237"
OLD = "Command: x\ny\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: {}\nSignal: 0"


@pytest.mark.parametrize(
    ("output", "text", "code", "failed"),
    [
        (f"Output: all well{PID}", "all well", 0, False),
        (f"<untrusted_context>\nOutput: bad\nExit Code: 1{PID}\n</untrusted_context>", "bad", 1, True),
        ("Output: (empty)\nExit Code: 128", "", 128, True),
        (f"Output: Error: of its own\nExit Code: 2{PID}", "Error: of its own", 2, True),
        (f"Output: killed\nSignal: 9{PID}", "killed", None, False),
        (OLD.format("one\ntwo", 0) + PID, "one\ntwo", 0, False),
        (OLD.format("(empty)", 127) + PID, "", 127, True),
        (OLD.format("x", "(none)"), "x", None, False),
        ("Command moved to background (PID: 7). Output hidden.", None, None, False),
    ],
)
def test_a_commands_outcome_is_read_from_the_lines_around_its_output(
    output: str, text: str | None, code: int | None, *, failed: bool
) -> None:
    event = shell(output).event
    assert isinstance(event, ToolResult)
    assert (event.content, event.exit_code, event.is_error) == (
        output if text is None else text,
        code,
        failed,
    )


def test_a_cut_output_is_marked() -> None:
    cut = "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/o"
    kept = "Output: a\n\n... [7,000 characters omitted] ...\n\nz"
    wrapped = f"<untrusted_context>\n{kept}\nExit Code: 1{PID}\n</untrusted_context>"
    event = shell(f"{cut}\n{wrapped}").event
    assert isinstance(event, ToolResult)
    assert (event.truncated, event.exit_code) == (True, 1)
    assert event.content.endswith("omitted] ...\n\nz")


def test_commits_are_read_from_gits_output() -> None:
    printed = "[main 1a2b3c4] one\n 1 file changed\n[topic/x (root-commit) 5d6e7f8] two"
    assert shell(f"<untrusted_context>\nOutput: {printed}{PID}\n</untrusted_context>").commits == (
        *("1a2b3c4", "5d6e7f8"),
    )
    reading = call("read_file", "c1", "[main 1a2b3c4] one", file_path="log")
    assert entries(read(META, reply("m", toolCalls=[reading])))[1].commits == ()


@pytest.mark.parametrize(
    ("records", "dir_path", "folder"),
    [
        ([META, set_messages(CONTEXT)], None, "/w"),
        ([META, set_messages(CONTEXT)], "sub/..", "/w"),
        ([META, set_messages(CONTEXT)], "../x", "/x"),
        ([META, {"$set": {"directories": ["/d"]}}], "sub", "/d/sub"),
        ([META], "/abs", "/abs"),
        ([META], "sub", None),
        ([META], None, None),
    ],
)
def test_a_command_has_its_folder(records: list[Json], dir_path: str | None, folder: str | None) -> None:
    inside = {} if dir_path is None else {"dir_path": dir_path}
    entry = only_entry(
        *records, reply("m", toolCalls=[call("run_shell_command", command="git commit", **inside)])
    )
    assert (entry.command, entry.folder, entry.paths) == ("git commit", folder, ())


def test_writing_a_file_is_an_edit() -> None:
    display = {"fileDiff": "…", "originalContent": "", "newContent": "a\nb\n", "isNewFile": True}
    made = call("write_file", "c1", "ok", file_path="/w/n.py", content="a\nB\n", resultDisplay=display)
    called, result = entries(read(META, reply("m", toolCalls=[made])))
    assert called.edits == (Edit(path="/w/n.py", added=("a", "B"), whole="a\nB\n"),)
    assert called.paths == ("/w/n.py",)
    assert result.edits == (Edit(path="/w/n.py", kind="add", whole="a\nb\n"),)


def test_a_replacement_is_an_edit() -> None:
    arguments = {"file_path": "n.py", "old_string": "a\nb", "new_string": "a\nc\nd", "instruction": "i"}
    display = {"fileDiff": "…", "newContent": "a\nc\nd\n"}
    called, result = entries(
        read(META, reply("m", toolCalls=[call("replace", "c1", "ok", **arguments, resultDisplay=display)]))
    )
    assert called.edits == (Edit(path="n.py", added=("c", "d"), removed=("b",)),)
    assert result.edits == (Edit(path="n.py", whole="a\nc\nd\n"),)


def test_an_old_version_marks_a_new_file_only_in_its_output() -> None:
    made = call(
        "write_file", "c1", "Successfully created and wrote to new file: /w/n.", file_path="/w/n", content=""
    )
    _, result = entries(read(META, reply("m", toolCalls=[made])))
    assert result.edits == (Edit(path="/w/n", kind="add"),)


@pytest.mark.parametrize("status", ["error", "cancelled"])
def test_a_failed_call_has_an_error_result(status: str) -> None:
    failed = call(
        "write_file",
        file_path="/w/n",
        content="x",
        status=status,
        result=[response("c1", "write_file", error="no such folder")],
        resultDisplay={"newContent": "x"},
    )
    _, result = entries(read(META, reply("m", toolCalls=[failed])))
    assert isinstance(result.event, ToolResult)
    assert (result.event.is_error, result.event.content, result.edits) == (True, "no such folder", ())
    bare = call("run_shell_command", command="x", status=status)
    _, result = entries(read(META, reply("m", toolCalls=[bare])))
    assert isinstance(result.event, ToolResult)
    assert (result.event.is_error, result.event.exit_code) == (True, None)


def test_results_of_all_calls_repeated_in_each_call_are_read_once() -> None:
    both = [response("c1", "glob", output="one"), response("c2", "glob", output="two")]
    calls = [call("glob", "c1", result=both), call("glob", "c2", result=both)]
    found = events(META, reply("m", toolCalls=calls))
    assert [e.content for e in found if isinstance(e, ToolResult)] == ["one", "two"]


# ---------------------------------------------------------------- decisions


def decisions(called: Json) -> list[Decision]:
    return [e.decision for e in events(META, reply("m", toolCalls=[called])) if isinstance(e, Decided)]


def refusals(called: Json) -> list[str]:
    assert decisions(called) == []
    found = events(META, reply("m", toolCalls=[called]))
    return [e.content for e in found if isinstance(e, NoteEvent) and e.kind == "refusal"]


def test_a_refused_call_names_its_command_and_is_not_a_decision() -> None:
    denied = "[Operation Cancelled] Reason: User denied execution."
    refused = call(
        "run_shell_command", command="rm x", status="cancelled", result=[response("c1", error=denied)]
    )
    assert refusals(refused) == ["run_shell_command rm x"]
    mentioned = response("c1", output="grep: User denied execution\nExit Code: 1")
    assert decisions(call("run_shell_command", command="grep x", status="error", result=[mentioned])) == []


def test_an_answered_question_is_a_decision() -> None:
    asked = {
        "question": "Which one?",
        "header": "One",
        "options": [{"label": "A", "description": "a"}, {"label": "B"}],
    }
    answered = call("ask_user", "c1", json.dumps({"answers": {"0": "B"}}), questions=[asked, asked])
    assert decisions(answered) == [
        Decision(chosen="B", by="human", question="Which one?", alternatives=("A",))
    ]


def test_a_plan_is_approved_or_rejected() -> None:
    approved = call(
        "exit_plan_mode", "c1", "Plan approved. Switching to x.\n\nThe approved …", plan_filename="p"
    )
    assert decisions(approved) == [Decision(chosen="approved the plan", by="human")]
    rejected = call(
        "exit_plan_mode", "c1", "Plan rejected. User feedback: smaller\n\nThe plan …", plan_filename="p"
    )
    assert refusals(rejected) == ["the plan\nsmaller"]


# ---------------------------------------------------------------- the session


def test_a_subagents_prompt_is_a_message_of_its_parent() -> None:
    items = read({**META, "kind": "subagent", "directories": ["/w"]}, user("u", "look around"))
    (event,) = (entry.event for entry in entries(items))
    assert isinstance(event, PeerMessage)
    assert event.direction == "received"
    assert {("subagent", "S"), ("parent_kind", "subagent"), ("folder", "/w")} <= {*facts(items)}
    assert not [item for item in items if isinstance(item, Mark)]


def test_a_session_without_metadata_is_named_by_its_file_or_structure() -> None:
    log = [user("u", "go"), reply("m", "x")]
    assert ("session", "named") in facts(read(*log, session="named"))
    (name, shape), *_ = facts(read(*log))
    assert (name, len(shape)) == ("session", 20)
    assert facts(read(log[0]))[0] == facts(read(user("v", "no")))[0] == ("session", shape)


def test_the_title_of_a_session_is_its_summary() -> None:
    assert ("title", "A greeting") in facts(read(META, {"$set": {"summary": "A greeting"}}))


def test_metadata_alone_is_a_session() -> None:
    assert facts(read(META)) == [("session", "S"), ("started_at", AT)]


# ---------------------------------------------------------------- documents and lines


def document(*messages: Json) -> Json:
    return {**META, "messages": list(messages), "summary": "A title"}


def test_a_document_gives_the_same_whatever_its_name_and_spacing() -> None:
    messages = [user("u", "go"), reply("m", "x", toolCalls=[call("glob", "c1", "y", pattern="*")])]
    lines = entries(read(META, *messages))
    for indent in (None, 2):
        data = json.dumps(document(*messages), indent=indent).encode()
        found = entries(list(gemini.read(io.BytesIO(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")))))
        assert [entry.event for entry in found] == [entry.event for entry in lines]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_cut_anywhere_gives_the_events_before_the_cut(indent: int | None) -> None:
    messages = [
        user("u", "go"),
        reply("m", "x", toolCalls=[call("glob", "c1", "y", pattern="*")]),
        user("v", "z"),
    ]
    data = json.dumps(document(*messages), indent=indent).encode()
    whole = [entry.event.id for entry in entries(list(gemini.read(io.BytesIO(data))))]
    for end in range(len(data)):
        items = list(gemini.read(io.BytesIO(data[:end])))
        found = [entry.event.id for entry in entries(items)]
        assert found == whole[: len(found)]
    assert [entry.event.id for entry in entries(list(gemini.read(io.BytesIO(data[:-20]))))] == whole
    assert [item for item in gemini.read(io.BytesIO(data[:-20])) if isinstance(item, Damage)]


def test_a_log_is_read_as_it_grows() -> None:
    data = written(*rewritten())
    whole = [entry.event.id for entry in entries(list(gemini.read(io.BytesIO(data))))]
    for end in range(0, len(data), 7):
        items = list(gemini.read(io.BytesIO(data[:end])))
        found = [entry.event.id for entry in entries(items)]
        assert found == whole[: len(found)]
        assert not [item for item in items if isinstance(item, Damage)]


def test_reading_on_from_a_mark_gives_the_same() -> None:
    summary = set_messages(user("s", "<state_snapshot>x</state_snapshot>"))
    data = written(*rewritten(), summary, user("u3", "3"), summary, reply("m4", "4"), user("u4", "4"))
    items = list(gemini.read(io.BytesIO(data)))
    marks = [n for n, item in enumerate(items) if isinstance(item, Mark)]
    assert len(marks) == 4
    for n in marks:
        mark = items[n]
        assert isinstance(mark, Mark)
        cursor = Cursor(**json.loads(json.dumps(vars(mark.cursor))))
        assert list(gemini.read(io.BytesIO(data), cursor=cursor)) == items[n + 1 :]
    assert isinstance(mark, Mark)
    with pytest.raises(FormatError):
        list(gemini.read(io.BytesIO(data.replace(b"Sure?", b"sure?")), cursor=mark.cursor))


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", "user", "gemini", "\ud83d", AT]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from([*("id", "type", "content", "toolCalls", "result", "functionResponse", "response"),
                         *("thoughts", "tokens", "messages", "text", "args", "resultDisplay", "name")]),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@SHARING
@given(st.lists(st.tuples(st.sampled_from(sorted(reply("m", toolCalls=[call("glob")]))), JUNK), max_size=4))
def test_no_content_raises(changes: list[tuple[str, Any]]) -> None:
    broken = reply("m", "x", toolCalls=[call("run_shell_command", "c1", "Output: x", command="ls")]) | dict(
        changes
    )
    for record in (broken, broken | {"type": "user"}, {"$set": broken}, {"$set": {"messages": [broken]}}):
        found = [entry.event.id for entry in entries(read(META, record, user("u", "then")))]
        assert len(set(found)) == len(found)
        list(gemini.read(io.BytesIO(json.dumps({**META, "messages": [record]}, indent=1).encode())))


def test_a_broken_record_between_others_is_reported() -> None:
    data = written(META, user("u", "go")) + b'{"id":"x","ty\n' + b"\0\0" + written(reply("m", "x")).strip()
    items = list(gemini.read(io.BytesIO(data + written(user("v", "glued")))))
    assert [entry.event.id for entry in entries(items)] == ["u:0", "m:m", "v:0"]
    assert len([item for item in items if isinstance(item, Damage)]) == 1


@pytest.mark.parametrize(
    "log",
    [
        [META],
        [set_messages(CONTEXT)],
        [user("u", "go"), {"$rewindTo": "u"}],
        [reply("m", "x")],
        [{"id": "w", "timestamp": AT, "type": "warning", "content": "only this"}],
        [user("u", "go")],
    ],
)
def test_a_session_is_recognized_by_its_content(log: list[Json]) -> None:
    found = detect(written(*log))
    assert found is not None
    assert found.name == "gemini-cli"


def test_a_long_document_is_recognized_by_its_content() -> None:
    for indent in (None, 2):
        data = json.dumps(
            document(*(reply(f"m{n}", "x" * 2000) for n in range(60))), indent=indent, sort_keys=True
        )
        found = detect(data.encode()[:65536])
        assert found is not None
        assert found.name == "gemini-cli"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"[]",
        b'{"messages": []}',
        b'{"type":"user","uuid":"u","sessionId":"s","message":{"content":"projectHash"}}\n',
        b'{"id":"u","type":"user","timestamp":"t"}\n',
        b'{"role":"user","content":"\\"type\\": \\"gemini\\", \\"messages\\": ["}\n',
    ],
)
def test_other_files_are_not_recognized_as_sessions(head: bytes) -> None:
    assert not gemini.detect(head)

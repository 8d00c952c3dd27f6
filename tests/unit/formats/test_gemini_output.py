"""Gemini CLI's output in its two machine-readable forms."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from gittraj.formats import detect
from gittraj.formats.gemini import output, stream
from gittraj.model.session_items import Cursor, Damage, Edit, Fact, Item, Mark, Spent, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt, ToolCall, ToolResult, Usage
from tests.unit.formats.reading import entries, written

Json = dict[str, Any]
AT = "2026-11-20T15:18:31.249Z"
INIT = {"type": "init", "timestamp": AT, "session_id": "S", "model": "gemini-2.5-pro"}
STATS = {
    "total_tokens": 6150,
    "input_tokens": 6000,
    "output_tokens": 100,
    "cached": 4000,
    "input": 2000,
    "models": {"gemini-2.5-pro": {}, "gemini-2.5-flash": {}},
}
END = {"type": "result", "timestamp": AT, "status": "success", "stats": STATS}


def message(role: str, content: str, **more: Any) -> Json:
    return {"type": "message", "timestamp": AT, "role": role, "content": content, **more}


def tool(name: str, call_id: str = "c1", **parameters: Any) -> Json:
    use = {"type": "tool_use", "timestamp": AT, "tool_name": name, "tool_id": call_id}
    return {**use, "parameters": parameters}


def result(call_id: str = "c1", status: str = "success", **more: Any) -> Json:
    return {"type": "tool_result", "timestamp": AT, "tool_id": call_id, "status": status, **more}


def read(*records: Json, session: str | None = None) -> list[Item]:
    return list(stream.read(io.BytesIO(written(*records)), session=session))


def facts(items: Sequence[Item]) -> list[tuple[str, Any]]:
    return [(item.name, item.value) for item in items if isinstance(item, Fact)]


RUN = [
    INIT,
    message("user", "go"),
    message("assistant", "Let me ", delta=True),
    message("assistant", "look.", delta=True),
    tool("glob", "c1", pattern="*"),
    tool("read_file", "c2", file_path="/w/a"),
    result("c1", output="a"),
    result("c2", "error", output="", error={"type": "file_not_found", "message": "no such file"}),
    message("assistant", "Nothing.", delta=True),
    END,
]


def test_a_printed_run_is_read() -> None:
    items = read(*RUN)
    found = [entry.event for entry in entries(items)]
    assert [(type(e), e.id) for e in found] == [
        (Prompt, "stream.1:0"),
        (Message, "stream.2:0"),
        (ToolCall, "stream.4:0"),
        (ToolCall, "stream.5:0"),
        (ToolResult, "stream.6:0"),
        (ToolResult, "stream.7:0"),
        (Message, "stream.8:0"),
    ]
    assert [e.content for e in found] == ["go", "Let me look.", "", "", "a", "no such file", "Nothing."]
    assert [e.response for e in found] == [None, *("stream.2",) * 3, None, None, "stream.8"]
    assert [e.is_error for e in found if isinstance(e, ToolResult)] == [False, True]
    assert facts(items) == [
        ("session", "S"),
        ("started_at", AT),
        ("model", "gemini-2.5-pro"),
        ("model", "gemini-2.5-flash"),
        ("status", "completed"),
    ]
    assert isinstance(items[-1], TurnEnd)


def test_the_tokens_of_a_run_belong_to_its_last_response() -> None:
    assert [item for item in read(*RUN) if isinstance(item, Spent)] == [
        Spent(
            response="stream.8",
            usage=Usage(input_tokens=2000, cache_read_tokens=4000, output_tokens=150, reasoning_tokens=50),
            beside=True,
        )
    ]
    assert not [item for item in read(INIT, message("user", "go"), END) if isinstance(item, Spent)]


def test_calls_have_their_commands_and_edits() -> None:
    command = tool("run_shell_command", "c1", command="git commit -m x")
    printed = result("c1", output="[main 1a2b3c4] x\n 1 file changed")
    write = tool("write_file", "c2", file_path="/w/a", content="x\n")
    shell, write_call, made, _ = entries(read(INIT, command, write, printed, result("c2")))
    assert (shell.command, shell.folder) == ("git commit -m x", None)
    assert write_call.edits == (Edit(path="/w/a", added=("x",), whole="x\n"),)
    assert made.commits == ("1a2b3c4",)
    assert isinstance(made.event, ToolResult)
    assert made.event.exit_code is None


def test_a_refused_call_names_its_command_and_is_not_a_decision() -> None:
    denied = result(
        "c1", "error", error={"type": "x", "message": "[Operation Cancelled] Reason: User denied execution."}
    )
    _, _, refusal = entries(read(INIT, tool("glob", pattern="*"), denied))
    assert isinstance(refusal.event, NoteEvent)
    assert (refusal.event.id, refusal.event.kind) == ("stream.2:1", "refusal")
    assert refusal.event.content == "glob *"


def test_errors_and_warnings_are_noted() -> None:
    warning = {"type": "error", "timestamp": AT, "severity": "warning", "message": "Loop detected"}
    failed = {
        "type": "result",
        "timestamp": AT,
        "status": "error",
        "error": {"type": "X", "message": "no quota"},
    }
    items = read(INIT, warning, warning | {"severity": "error"}, failed)
    remarks = [e.event for e in entries(items)]
    assert [(e.kind, e.content) for e in remarks if isinstance(e, NoteEvent)] == [
        *(("note", "Loop detected"), ("error", "Loop detected"), ("error", "no quota"))
    ]
    assert ("status", "failed") in facts(items)


def test_an_output_without_its_beginning_is_named_by_its_structure() -> None:
    (name, value), *_ = facts(read(*RUN[2:]))
    assert (name, len(str(value))) == ("session", 20)
    assert facts(read(RUN[2]))[0] == ("session", value)
    assert facts(read(*RUN[2:], session="named"))[0] == ("session", "named")


def test_reading_on_from_a_mark_and_cut_outputs() -> None:
    data = written(*RUN, message("user", "again"), message("assistant", "x"), END)
    items = list(stream.read(io.BytesIO(data)))
    first, second = (item.cursor for item in items if isinstance(item, Mark))
    for cursor in (first, second):
        place = items.index(Mark(cursor=cursor))
        kept = Cursor(**json.loads(json.dumps(vars(cursor))))
        assert list(stream.read(io.BytesIO(data), cursor=kept)) == items[place + 1 :]
    whole = [entry.event.id for entry in entries(items)]
    for end in range(len(data)):
        found = list(stream.read(io.BytesIO(data[:end])))
        ids = [entry.event.id for entry in entries(found)]
        assert ids == whole[: len(ids)]
        assert not [item for item in found if isinstance(item, Damage)]


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, [{}], {"message": []}, "\ud83d"])
def test_no_content_raises(junk: Any) -> None:
    for record in RUN:
        for key in record:
            list(stream.read(io.BytesIO(written(INIT, {**record, key: junk}, *RUN))))
    for key in ("session_id", "response", "stats", "error"):
        list(output.read(io.BytesIO(json.dumps({**ANSWER, key: junk}).encode())))
        nested = {**ANSWER, "stats": {"models": {"m": junk, "n": {"api": junk, "tokens": {"prompt": junk}}}}}
        list(output.read(io.BytesIO(json.dumps(nested).encode())))


# ---------------------------------------------------------------- one object


def model(prompt: int, cached: int, candidates: int, thoughts: int, **more: int) -> Json:
    tokens = {"prompt": prompt, "cached": cached, "candidates": candidates, "thoughts": thoughts, "tool": 0}
    return {"api": {"totalRequests": 2, "totalErrors": 0}, "tokens": tokens | more}


ANSWER = {
    "session_id": "S",
    "response": "add returns a + b.",
    "stats": {"models": {"pro": model(6100, 5000, 8, 2), "flash": model(100, 0, 1, 0)}, "tools": {}},
}


def answer(given: Json) -> list[Item]:
    return list(output.read(io.BytesIO(json.dumps(given, indent=2).encode())))


def test_an_answer_is_read_with_its_tokens() -> None:
    items = answer(ANSWER)
    assert facts(items) == [
        *(("session", "S"), ("model", "pro"), ("model", "flash"), ("api_calls", 4), ("status", "completed"))
    ]
    (entry,) = entries(items)
    assert isinstance(entry.event, Message)
    assert (entry.event.id, entry.event.content, entry.event.model) == (
        "stream.0:0",
        "add returns a + b.",
        None,
    )
    (spent,) = (item for item in items if isinstance(item, Spent))
    assert spent.response == entry.event.response
    assert spent.usage == Usage(
        input_tokens=1200, cache_read_tokens=5000, output_tokens=11, reasoning_tokens=2
    )


def test_an_older_answer_has_no_session_and_other_names() -> None:
    tokens = {"input": 1100, "cached": 5000, "candidates": 8, "thoughts": 0}
    older = {"response": "x", "stats": {"models": {"pro": {"tokens": tokens}}}}
    items = answer(older)
    assert [item.usage for item in items if isinstance(item, Spent)] == [
        Usage(input_tokens=1100, cache_read_tokens=5000, output_tokens=8)
    ]
    assert facts(items)[0][1] == facts(answer(older))[0][1] != facts(answer(older | {"response": "xy"}))[0][1]


def test_a_failed_run_has_its_error() -> None:
    items = answer({"session_id": "S", "error": {"type": "Error", "message": "no quota", "code": 1}})
    (entry,) = entries(items)
    assert isinstance(entry.event, NoteEvent)
    assert (entry.event.kind, entry.event.content) == ("error", "no quota")
    assert ("status", "failed") in facts(items)


def test_an_answer_cut_anywhere_is_read() -> None:
    data = json.dumps(ANSWER, indent=2).encode()
    for end in range(len(data)):
        items = list(output.read(io.BytesIO(data[:end])))
        assert [item for item in items if isinstance(item, Damage)], end
    assert [e.event.content for e in entries(list(output.read(io.BytesIO(data[:-20]))))] == [
        "add returns a + b."
    ]


# ---------------------------------------------------------------- detection


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (written(INIT), "gemini-stream-json"),
        (json.dumps(INIT, separators=(",", ":")).encode()[:75], "gemini-stream-json"),
        (written(*RUN[1:]), "gemini-stream-json"),
        (json.dumps(ANSWER).encode(), "gemini-output"),
        (b"\xef\xbb\xbf" + json.dumps(ANSWER, indent=2).encode(), "gemini-output"),
        (json.dumps({k: ANSWER[k] for k in ("response", "stats")}).encode(), "gemini-output"),
        (b'{"session_id": "S", "error": {"type": "E"', "gemini-output"),
        (b'{"session_id": "S", "response": "' + b"x" * 60_000, "gemini-output"),
    ],
)
def test_both_forms_are_recognized_by_their_content(head: bytes, name: str) -> None:
    found = detect(head)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "head",
    [
        b'{"type":"init"}\n',
        b'{"type":"message","role":"user","content":[]}\n',
        b'{"response":"x","status":200}',
        b'{"error":{"message":"x"}}',
    ],
)
def test_other_files_are_not_recognized(head: bytes) -> None:
    assert not stream.detect(head)
    assert not output.detect(head)

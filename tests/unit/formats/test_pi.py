"""pi's sessions: each peculiarity of the format in a log of a few entries."""

from __future__ import annotations

import io
import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats import detect, pi
from gittraj.model.session_items import Damage, Edit, Item, Mark, Spent, TurnEnd
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
from tests.unit.formats.reading import entries, facts, spoiled

TIME = "2026-01-02T03:04:05.000Z"
HEADER = {"type": "session", "version": 3, "id": "S", "timestamp": TIME, "cwd": "/w"}
USAGE = {
    "input": 3,
    "output": 9,
    "cacheRead": 20,
    "cacheWrite": 5,
    "totalTokens": 37,
    "cost": {"input": 1, "total": 0.25},
}


def entry(kind: str, id: str, parent: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: A002
    return {"type": kind, "id": id, "parentId": parent, "timestamp": TIME, **more}


def message(id: str, parent: str | None, role: str, content: Any = None, **more: Any) -> dict[str, Any]:  # noqa: A002
    given = {} if content is None else {"content": content}
    return entry("message", id, parent, message={"role": role, **given, **more})


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": "c1", "name": tool, "arguments": arguments}


def reply(id: str, parent: str | None, *blocks: Any, **more: Any) -> dict[str, Any]:  # noqa: A002
    return message(
        id, parent, "assistant", [*blocks], model="opus", provider="anthropic", usage=USAGE, **more
    )


def write(*records: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def read(*records: Any) -> list[Item]:
    return list(pi.read(io.BytesIO(write(HEADER, *records))))


def events_in(items: list[Item]) -> list[AnyEvent]:
    return [found.event for found in entries(items)]


def test_a_turn_is_read_with_its_cost() -> None:
    items = read(
        message("a", None, "user", "hi"),
        reply(
            "b",
            "a",
            {"type": "thinking", "thinking": "hm"},
            call("bash", command="git commit"),
            stopReason="toolUse",
        ),
        message(
            "c",
            "b",
            "toolResult",
            [text("[main 1a2b3c4] x")],
            toolCallId="c1",
            toolName="bash",
            isError=False,
        ),
        reply("d", "c", text("done"), stopReason="stop"),
    )
    assert [(type(event), event.id) for event in events_in(items)] == [
        (Prompt, "a:0"),
        (Thinking, "b:0"),
        (ToolCall, "b:1"),
        (ToolResult, "c:0"),
        (Message, "d:0"),
    ]
    shell, result = entries(items)[2:4]
    assert (shell.command, shell.folder, result.commits) == ("git commit", "/w", ("1a2b3c4",))
    assert isinstance(result.event, ToolResult)
    assert (result.event.call_id, result.event.exit_code) == ("c1", 0)
    usage = Usage(input_tokens=3, cache_read_tokens=20, cache_write_tokens=5, output_tokens=9)
    assert [i for i in items if isinstance(i, Spent)] == [
        Spent(response="b", usage=usage, cost=0.25),
        Spent(response="d", usage=usage, cost=0.25),
    ]
    assert [type(item) for item in items][-1] is TurnEnd
    assert sum(isinstance(item, TurnEnd) for item in items) == 1
    assert facts(items) == {"session": "S", "started_at": TIME, "folder": "/w", "model": "opus"}
    assert not [item for item in items if isinstance(item, Mark)]


def test_entries_off_the_path_to_the_last_leaf_were_abandoned() -> None:
    items = read(
        message("a", None, "user", "one"),
        reply("b", "a", text("no")),
        message("c", "b", "user", "further"),
        entry("branch_summary", "d", "a", summary="tried", fromId="c"),
        message("e", "d", "user", "another way"),
        entry("label", "f", "e", targetId="a", label="x"),
    )
    assert {event.id: event.tags for event in events_in(items)} == {
        "a:0": (),
        "b:0": ("abandoned-branch",),
        "c:0": ("abandoned-branch",),
        "d:0": ("branch-summary",),
        "e:0": (),
    }


def test_a_cycle_of_parents_does_not_hang() -> None:
    items = read(message("a", "b", "user", "one"), message("b", "a", "user", "two"))
    assert [event.tags for event in events_in(items)] == [(), ()]


def test_the_first_version_has_no_branches() -> None:
    header = {k: v for k, v in HEADER.items() if k != "version"} | {"provider": "p", "modelId": "m"}
    plain = [
        {"type": "message", "timestamp": TIME, "message": {"role": "user", "content": w}} for w in ("a", "b")
    ]
    items = list(pi.read(io.BytesIO(write(header, *plain))))
    assert [(event.id, event.tags) for event in events_in(items)] == [("n1:0", ()), ("n2:0", ())]
    assert facts(items)["model"] == "m"


def test_a_command_that_the_human_ran_is_a_call_with_its_result() -> None:
    items = read(message("a", None, "bashExecution", command="ls", output="x", exitCode=2, truncated=True))
    ran, result = entries(items)
    assert isinstance(ran.event, ToolCall)
    assert (ran.command, ran.event.call_id, ran.event.tags) == (
        None,
        "a",
        ("typed",),
    )  # and is not linked to a commit
    assert isinstance(result.event, ToolResult)
    assert (result.event.call_id, result.event.exit_code, result.event.is_error) == ("a", 2, True)
    assert result.event.truncated


def test_a_failed_and_a_cut_result_are_marked() -> None:
    cut = {"truncation": {"truncated": True, "totalBytes": 99_999}}
    body = [text("boom\n\nCommand exited with code 3")]
    items = read(
        message("a", None, "toolResult", body, toolCallId="c", toolName="bash", isError=True, details=cut)
    )
    result = events_in(items)[0]
    assert isinstance(result, ToolResult)
    assert (result.exit_code, result.is_error, result.truncated, result.bytes) == (3, True, True, 99_999)


@pytest.mark.parametrize(
    ("tool", "arguments", "edit"),
    [
        ("write", {"path": "a", "content": "x\n"}, Edit(path="a", added=("x",), whole="x\n")),
        (
            "edit",
            {"path": "a", "oldText": "x\ny", "newText": "x\nz"},
            Edit(path="a", added=("z",), removed=("y",)),
        ),
        (
            "edit",
            {"path": "a", "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "p", "newText": "q"}]},
            Edit(path="a", added=("y", "q"), removed=("x", "p")),
        ),
    ],
)
def test_edits_are_read_from_the_arguments(tool: str, arguments: dict[str, Any], edit: Edit) -> None:
    found = entries(read(reply("a", None, call(tool, **arguments), call("read", path="b"))))
    assert [one.edits for one in found] == [(edit,), ()]
    assert [one.paths for one in found] == [("a",), ("b",)]


def test_compactions_titles_models_and_foreign_messages_are_read() -> None:
    items = read(
        entry("session_info", "a", None, name="My work"),
        entry("model_change", "b", "a", provider="p", modelId="sonnet"),
        entry("compaction", "c", "b", summary="so far", tokensBefore=9),
        entry("custom_message", "d", "c", customType="x", content="injected", display=True),
        entry("custom", "e", "d", customType="x", data={}),
    )
    assert facts(items)["title"] == "My work"
    assert facts(items)["model"] == "sonnet"
    assert [(type(event), event.content) for event in events_in(items)] == [
        (NoteEvent, "so far"),
        (Foreign, "injected"),
    ]


def test_a_failed_answer_has_its_cost_and_an_empty_one_does_not_hang() -> None:
    items = read(
        reply("a", None, stopReason="error", errorMessage="529"),
        reply("b", "a", stopReason="aborted"),
        reply("c", "b"),
    )
    assert [(e.kind, e.content, e.response) for e in events_in(items) if isinstance(e, NoteEvent)] == [
        ("error", "529", "a"),
        ("note", "aborted", "b"),
    ]
    assert [item.response for item in items if isinstance(item, Spent)] == ["a", "b"]


def test_a_fork_names_its_parent_and_its_copied_entries_are_the_parents() -> None:
    parent = "0f4f3a1e-7f0f-4a43-9e0e-5a1c6c9b7f10"
    header = HEADER | {
        "parentSession": f"/home/dev/.pi/agent/sessions/--w--/2026-01-01T00-00-00-000Z_{parent}.jsonl"
    }
    old = reply("a", None, text("x")) | {"timestamp": "2026-01-01T00:00:00.000Z"}
    items = list(pi.read(io.BytesIO(write(header, old, reply("b", "a", text("y"))))))
    assert facts(items)["parent_session"] == parent
    assert facts(items)["parent_kind"] == "fork"
    assert [found.session for found in entries(items)] == [parent, None]
    assert [item.response for item in items if isinstance(item, Spent)] == ["b"]


def test_an_image_is_never_in_an_event() -> None:
    image = {"type": "image", "data": "eA==", "mimeType": "image/png"}
    prompt = events_in(read(message("a", None, "user", [text("see"), image])))[0]
    assert prompt.content == "see\n[image/png, 1 bytes]"
    assert prompt.artifact is not None


def test_a_grown_session_keeps_its_ids() -> None:
    log = [message("a", None, "user", "one"), reply("b", "a", text("x")), message("c", "a", "user", "two")]
    ids = [[event.id for event in events_in(read(*log[:n]))] for n in range(4)]
    assert all(late[: len(early)] == early for early, late in itertools.pairwise(ids))


def test_a_session_without_an_id_always_gets_the_same_one() -> None:
    header = {"type": "session", "id": "", "timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/x"}
    items = list(pi.read(io.BytesIO(write(header, message("a", None, "user", "hello")))))
    assert facts(items)["session"] == "35250845cede7accb33c", "records are stored under this id"


LOG = [
    HEADER,
    message("a", None, "user", [text("é"), {"type": "image", "data": "eA==", "mimeType": "a/b"}]),
    reply(
        "b",
        "a",
        text("x"),
        call("edit", path="p", edits=[{"oldText": "a", "newText": "b"}]),
        stopReason="error",
    ),
    message(
        "c", "b", "toolResult", [text("r")], toolCallId="c1", toolName="bash", details={"truncation": {}}
    ),
    message("d", "c", "bashExecution", command="ls", output="x", exitCode=0),
    entry("compaction", "e", "d", summary="s"),
]


def test_a_session_cut_anywhere_gives_a_beginning_of_the_whole() -> None:
    data = write(*LOG)
    whole = [event.id for event in events_in(list(pi.read(io.BytesIO(data))))]
    for cut in range(len(data)):
        items = list(pi.read(io.BytesIO(data[:cut])))
        ids = [event.id for event in events_in(items)]
        assert ids == whole[: len(ids)]
        assert not [item for item in items if isinstance(item, Damage)]


@given(data=st.data())
def test_no_value_of_an_unexpected_type_raises(data: st.DataObject) -> None:
    list(pi.read(io.BytesIO(write(*spoiled(data, LOG)))))


def test_a_session_is_recognized_by_its_header() -> None:
    assert detect(write(HEADER, message("a", None, "user", "x"))) is pi
    assert not pi.detect(write({"type": "session.start", "data": {}, "id": "x", "timestamp": "t"}))

"""OpenCode's sessions in their four forms: each peculiarity of the format in a session of a few parts."""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import sqlite3
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.errors import FormatError
from gittraj.formats import HEAD, detect, detect_store, reader_of, store_of
from gittraj.model.session_items import Damage, Edit, Entry, Item, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Artifact,
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
from tests.sizes import size
from tests.unit.formats.opencode_session import BEGAN, SESSION, Session, assistant, finish, text, tool, user
from tests.unit.formats.reading import entries, facts

DATABASE, STORAGE = store_of("opencode-db"), store_of("opencode-storage")
EXPORT, STREAM = reader_of("opencode-export"), reader_of("opencode-stream")
Json = dict[str, Any]

STORY = Session(
    messages=[
        (user("msg_1"), [text("prt_11", "Say hello")]),
        (
            assistant("msg_2"),
            [
                {"id": "prt_21", "type": "step-start", "snapshot": "abc"},
                text("prt_22", "A plain function will do", at=1010, type="reasoning"),
                text("prt_23", "I write it", at=1050),
                tool("prt_24", "write", {"filePath": "/repo/a.py", "content": "a\nb\n"}, output="Wrote it"),
                finish("prt_25", input=10, output=20, reasoning=5, read=30, write=40),
                {"id": "prt_26", "type": "patch", "hash": "abc", "files": ["/repo/a.py"]},
            ],
        ),
        (
            assistant("msg_3", at=2000),
            [text("prt_31", "Done", at=2100), finish("prt_32", "stop", cost=0.5, input=7, output=1)],
        ),
    ]
)


def read(session: Session | Sequence[tuple[Json, Sequence[Json]]], **info: Any) -> list[Item]:
    """Return the items of a session, read from its export."""
    if not isinstance(session, Session):
        session = Session(messages=session, info=info)
    return list(EXPORT.read(io.BytesIO(session.export())))


def read_answer(*parts: Json, **info: Any) -> list[Item]:
    """Return the items of an answer that has these parts."""
    return read([(assistant("msg_1", **info), parts)])


def events(items: Sequence[Item]) -> list[AnyEvent]:
    return [entry.event for entry in entries(items)]


def ids(items: Sequence[Item]) -> list[str]:
    return [event.id for event in events(items)]


def edits(name: str, given: Json, **state: Any) -> tuple[Edit, ...]:
    return entries(read_answer(tool("prt_1", name, given, **state)))[0].edits


def test_a_session_is_the_same_in_every_form(tmp_path: Path) -> None:
    exported = read(STORY)
    database = STORY.database(tmp_path / "opencode.db")
    storage = STORY.storage(tmp_path / "storage")
    assert list(DATABASE.read(database, SESSION)) == exported
    assert list(STORAGE.read(storage, SESSION)) == exported
    assert list(STORAGE.read(storage.parent, SESSION)) == exported

    run = list(STREAM.read(io.BytesIO(STORY.stream())))
    assert ids(run) == ids(exported)[1:]  # the output of a run does not have the prompt
    paid = [replace(item, beside=True) for item in exported if isinstance(item, Spent)]
    assert [item for item in run if isinstance(item, Spent)] == paid
    assert [type(item) for item in run if isinstance(item, TurnEnd)] == [TurnEnd]


def test_the_events_of_a_session_are_read() -> None:
    items = read(STORY)
    prompt, thinking, message, call, result, done = events(items)
    assert (type(prompt), prompt.content, prompt.ts) == (Prompt, "Say hello", "2025-12-29T19:20:00.000Z")
    assert (type(thinking), thinking.content) == (Thinking, "A plain function will do")
    assert (type(message), message.content, message.model) == (Message, "I write it", "claude-sonnet-4-5")
    assert isinstance(call, ToolCall)
    assert (call.name, call.call_id) == ("write", "call_prt_24")
    assert call.arguments == {"filePath": "/repo/a.py", "content": "a\nb\n"}
    assert isinstance(result, ToolResult)
    assert (result.content, result.call_id, result.duration_ms) == ("Wrote it", "call_prt_24", 50)
    assert (call.ts, result.ts) == ("2025-12-29T19:20:01.100Z", "2025-12-29T19:20:01.150Z")
    assert {e.response for e in (thinking, message, call, result)} == {"msg_2"}
    assert (type(done), done.response) == (Message, "msg_3")
    assert ids(items) == ["prt_11:0", "prt_22:0", "prt_23:0", "prt_24:0", "prt_24:1", "prt_31:0"]
    assert facts(items) == {
        "session": SESSION,
        "started_at": "2025-12-29T19:20:00.000Z",
        "agent_version": "1.18.33",
        "folder": "/repo",
        "title": "A greeting",
        "model": "claude-sonnet-4-5",
    }
    assert isinstance(items[-1], TurnEnd)


def test_reasoning_counts_as_output_and_each_call_once() -> None:
    counted = {"input": 10, "output": 20, "reasoning": 5, "cache": {"read": 30, "write": 40}}
    step = Usage(
        input_tokens=10, cache_read_tokens=30, cache_write_tokens=40, output_tokens=25, reasoning_tokens=5
    )
    by_parts = Spent(response="msg_2", usage=step, beside=True, cost=0.25)
    assert next(i for i in read(STORY) if isinstance(i, Spent)) == by_parts

    both = read_answer(text("prt_1", "Hi", at=1), finish("prt_2", input=3), tokens=counted, cost=9)
    assert [i.usage for i in both if isinstance(i, Spent)] == [Usage(input_tokens=3)]
    by_message = read_answer(text("prt_1", "Hi", at=1), tokens=counted, cost=0.125)
    assert [i for i in by_message if isinstance(i, Spent)] == [
        Spent(response="msg_1", usage=step, cost=0.125)
    ]


def test_older_messages_with_several_model_calls_are_split() -> None:
    items = read_answer(
        text("prt_1", "One", at=1),
        finish("prt_2", input=1),
        text("prt_3", "Two", at=2),
        finish("prt_4", input=2),
        finish("prt_5", "stop", input=4),
    )
    assert [(e.id, e.response) for e in events(items)] == [
        ("prt_1:0", "msg_1"),
        ("prt_3:0", "msg_1:2"),
        ("prt_5:0", "msg_1:3"),  # an answer without a text
    ]
    paid = [(i.response, i.usage.input_tokens) for i in items if isinstance(i, Spent)]
    assert paid == [("msg_1", 1), ("msg_1:2", 2), ("msg_1:3", 4)]


def test_only_text_that_a_human_typed_is_a_prompt() -> None:
    items = read(
        [
            (
                user("msg_1"),
                [
                    text("prt_1", "Look at @a.py"),
                    text("prt_2", "Called the Read tool", synthetic=True),
                    text("prt_3", "not for the model", ignored=True),
                    text("prt_4", " \n"),
                    {"id": "prt_5", "type": "file", "mime": "text/plain", "url": "file:///a.py"},
                    {"id": "prt_6", "type": "agent", "name": "general"},
                    text("prt_7", "and mend it"),
                ],
            ),
            (user("msg_2", at=1), [text("prt_8", "Continue if you can", synthetic=True)]),
            (user("msg_3", at=2), [{"id": "prt_9", "type": "compaction", "auto": True}]),
        ]
    )
    assert [(e.id, e.content) for e in events(items)] == [("prt_1:0", "Look at @a.py\nand mend it")]


def test_a_command_for_a_subagent_is_a_prompt_with_its_name() -> None:
    part = {"id": "prt_1", "type": "subtask", "prompt": "A long text", "description": "", "agent": "general"}
    (named,) = events(read([(user("msg_1"), [{**part, "command": "review"}])]))
    (bare,) = events(read([(user("msg_1"), [part])]))
    assert (named.content, bare.content) == ("/review", "A long text")


def test_an_image_leaves_a_placeholder() -> None:
    data = base64.b64encode(b"pixels").decode()
    part = {"id": "prt_2", "type": "file", "mime": "image/png", "url": f"data:image/png;base64,{data}"}
    image = Artifact(media_type="image/png", bytes=6, sha256=hashlib.sha256(b"pixels").hexdigest())
    (prompt,) = events(read([(user("msg_1"), [text("prt_1", "See"), part])]))
    assert (prompt.content, prompt.artifact) == ("See\n[image/png, 6 bytes]", image)

    _, result = events(read_answer(tool("prt_1", "read", {}, output="Image read", attachments=[part])))
    assert (result.content, result.artifact) == ("Image read\n[image/png, 6 bytes]", image)

    (message,) = events(read_answer(part))
    assert (type(message), message.artifact) == (Message, image)


def test_a_shell_command_has_its_folder_and_output() -> None:
    printed = "[main 1a2b3c4] Say hello\n 1 file changed\n"
    given = {"command": "git commit -m 'Say hello'", "workdir": "sub"}
    call, result = entries(read_answer(tool("prt_1", "bash", given, output=printed, metadata={"exit": 0})))
    assert (call.command, call.folder) == ("git commit -m 'Say hello'", "/repo/sub")
    assert isinstance(result.event, ToolResult)
    assert (result.event.exit_code, result.event.is_error, result.commits) == (0, False, ("1a2b3c4",))


def test_a_failed_command_and_a_cut_output_are_marked() -> None:
    detail = {"exit": 3, "truncated": True}
    _, result = events(read_answer(tool("prt_1", "bash", {"command": "false"}, metadata=detail)))
    assert isinstance(result, ToolResult)
    assert (result.exit_code, result.is_error, result.truncated) == (3, True, True)

    shown = {"output": "[main 1a2b3c4] Half\n"}
    stopped = tool("prt_1", "bash", {"command": "x"}, status="error", error="Aborted", metadata=shown)
    _, entry = entries(read_answer(stopped))
    assert isinstance(entry.event, ToolResult)
    assert (entry.event.is_error, entry.event.content) == (True, "Aborted\n[main 1a2b3c4] Half\n")
    assert entry.commits == ("1a2b3c4",)


def test_the_result_of_a_call_of_an_unknown_tool_is_an_error() -> None:
    _, result = events(read_answer(tool("prt_1", "invalid", {"tool": "nosuch", "error": "unavailable"})))
    assert isinstance(result, ToolResult)
    assert result.is_error


def test_results_are_in_the_order_in_which_they_came() -> None:
    items = read_answer(
        tool("prt_1", "bash", {"command": "slow"}, at=100, end=900),
        tool("prt_2", "bash", {"command": "fast"}, at=110, end=200),
        text("prt_3", "Meanwhile", at=300),
        finish("prt_4", input=1),
    )
    assert ids(items) == ["prt_1:0", "prt_2:0", "prt_2:1", "prt_3:0", "prt_1:1"]


def test_calls_with_the_same_id_have_different_events() -> None:
    first, second = ({**tool(name, "list", {}), "callID": "call_0"} for name in ("prt_1", "prt_2"))
    call_ids = [e.call_id for e in events(read_answer(first, second)) if isinstance(e, ToolCall | ToolResult)]
    assert call_ids == ["call_0", "prt_2", "call_0", "prt_2"]


def test_writing_a_file_is_an_edit() -> None:
    given = {"filePath": "/repo/a.py", "content": "a\nb\n"}
    written = Edit(path="/repo/a.py", kind="update", added=("a", "b"), whole="a\nb\n")
    assert edits("write", given) == (written,)
    assert edits("write", given, metadata={"exists": False}) == (replace(written, kind="add"),)


DIFF = "Index: a.py\n====\n--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n one\n-two\n--- x\n+three\n+++ y\n"


def test_an_edit_is_read_from_its_diff() -> None:
    given = {"filePath": "a.py", "oldString": "keep\nold", "newString": "keep\nnew"}
    assert edits("edit", given) == (Edit(path="a.py", added=("new",), removed=("old",)),)
    made = Edit(path="a.py", added=("three", "++ y"), removed=("two", "-- x"))
    assert edits("edit", given, metadata={"diff": DIFF}) == (made,)
    assert edits("edit", given, metadata={"diff": "x", "filediff": {"patch": DIFF}}) == (made,)
    older = {"diff": DIFF, "filediff": {"before": "one\ntwo\n", "after": "one\nthree\n"}}
    assert edits("edit", given, metadata=older) == (replace(made, whole="one\nthree\n"),)


def test_an_edit_of_an_empty_text_creates_a_file() -> None:
    given = {"filePath": "a.py", "oldString": "", "newString": "a\n"}
    assert edits("edit", given) == (Edit(path="a.py", kind="add", added=("a",)),)


def test_several_edits_of_a_file_are_read() -> None:
    changes = [{"oldString": "a", "newString": "b"}, {"oldString": "c", "newString": "d"}]
    given = {"filePath": "a.py", "edits": changes}
    assert edits("multiedit", given) == (Edit(path="a.py", added=("b", "d"), removed=("a", "c")),)
    hunk = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-{}\n+{}\n"
    results = [
        {"diff": hunk.format("a", "b"), "filediff": {"after": "b\nc\n"}},
        {"diff": hunk.format("c", "d"), "filediff": {"after": "b\nd\n"}},
    ]
    (made,) = edits("multiedit", given, metadata={"results": results})
    assert (made.added, made.removed, made.whole) == (("b", "d"), ("a", "c"), "b\nd\n")


def test_a_patch_is_an_edit_of_each_file() -> None:
    patch = "*** Begin Patch\n*** Add File: b.py\n+b\n*** Delete File: c.py\n*** End Patch"
    edits_of_call = edits("apply_patch", {"patchText": patch}, status="running")
    assert [(e.path, e.kind, e.added) for e in edits_of_call] == [
        ("b.py", "add", ("b",)),
        ("c.py", "delete", ()),
    ]
    files = [
        {"filePath": "/repo/b.py", "type": "add", "patch": "@@ -0,0 +1,1 @@\n+b\n"},
        {"filePath": "/repo/c.py", "type": "delete", "patch": "@@ -1,1 +0,0 @@\n-c\n"},
        {"filePath": "/repo/d.py", "movePath": "/repo/e.py", "type": "move", "patch": DIFF, "after": "x"},
    ]
    made = edits("apply_patch", {"patchText": patch}, metadata={"files": files})
    assert [(e.path, e.kind, e.added, e.removed) for e in made] == [
        ("/repo/b.py", "add", ("b",), ()),
        ("/repo/c.py", "delete", (), ("c",)),
        ("/repo/d.py", "delete", (), ()),
        ("/repo/e.py", "rename", ("three", "++ y"), ("two", "-- x")),
    ]
    assert made[-1].whole == "x"


def test_files_that_a_step_changed_are_paths_of_its_commands() -> None:
    items = read_answer(
        {"id": "prt_1", "type": "step-start"},
        tool("prt_2", "bash", {"command": "sed -i s/a/b/ a.py"}),
        tool("prt_3", "read", {"filePath": "/repo/b.py"}),
        finish("prt_4", input=1),
        {"id": "prt_5", "type": "patch", "hash": "abc", "files": ["/repo/a.py", 7]},
        {"id": "prt_6", "type": "step-start"},
        tool("prt_7", "bash", {"command": "true"}),
    )
    paths = {e.event.id: e.paths for e in entries(items) if isinstance(e.event, ToolCall)}
    assert paths == {"prt_2:0": ("/repo/a.py",), "prt_3:0": ("/repo/b.py",), "prt_7:0": ()}


def decisions(name: str, given: Json, **state: Any) -> list[Decision]:
    read_events = events(read_answer(tool("prt_1", name, given, **state)))
    assert [e.id for e in read_events] == [f"prt_1:{n}" for n in range(len(read_events))]
    return [e.decision for e in read_events if isinstance(e, Decided)]


def refusals(name: str, given: Json, **state: Any) -> list[str]:
    read_events = events(read_answer(tool("prt_1", name, given, **state)))
    assert [e.id for e in read_events] == [f"prt_1:{n}" for n in range(len(read_events))]
    assert not any(isinstance(e, Decided) for e in read_events)
    return [e.content for e in read_events if isinstance(e, NoteEvent) and e.kind == "refusal"]


def test_an_answered_question_is_a_decision() -> None:
    options = [{"label": "Table"}, {"label": "Function"}]
    questions = [{"question": "How?", "options": options}, {"question": "Why?", "options": []}]
    answers = {"answers": [["Function"], []]}
    assert decisions("question", {"questions": questions}, metadata=answers) == [
        Decision(chosen="Function", by="human", question="How?", alternatives=("Table",))
    ]


def test_an_approved_plan_is_a_decision() -> None:
    (approved,) = decisions("plan_exit", {})
    assert approved.by == "human"
    assert decisions("plan_exit", {}, status="error", error="Cancelled") == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("The user rejected permission to use this specific tool call.", None),
        (
            "The user rejected permission to use this specific tool call with the following feedback: Use mv",
            "Use mv",
        ),
        ("The user dismissed this question", None),
    ],
)
def test_a_refused_call_is_a_refusal(error: str, reason: str | None) -> None:
    refusal = f"bash rm x\n{reason}" if reason else "bash rm x"
    assert refusals("bash", {"command": "rm x"}, status="error", error=error) == [refusal]


def test_a_call_forbidden_by_a_rule_is_not_a_decision() -> None:
    error = "The user has specified a rule which prevents you from using this specific tool call."
    assert decisions("bash", {"command": "rm x"}, status="error", error=error) == []


def test_errors_are_notes() -> None:
    failed = {"name": "APIError", "data": {"message": "Overloaded"}}
    retry = {"id": "prt_1", "type": "retry", "attempt": 1, "error": failed, "time": {"created": BEGAN}}
    items = read_answer(retry, error=failed)
    assert [(e.id, e.content) for e in events(items)] == [
        ("prt_1:0", "APIError: Overloaded"),
        ("msg_1:0", "APIError: Overloaded"),
    ]
    assert {e.kind for e in events(items) if isinstance(e, NoteEvent)} == {"error"}
    assert isinstance(items[-1], TurnEnd)


def test_an_interruption_is_a_note() -> None:
    items = read_answer(
        text("prt_1", "I be", at=1), error={"name": "MessageAbortedError", "data": {"message": "Stop"}}
    )
    *_, remark = events(items)
    assert isinstance(remark, NoteEvent)
    assert (remark.kind, remark.tags) == ("note", ("interrupted",))
    assert isinstance(items[-1], TurnEnd)


def test_a_compaction_is_not_a_message() -> None:
    items = read_answer(text("prt_1", "So far: ...", at=1), finish("prt_2", "stop", input=9), summary=True)
    (remark,) = events(items)
    assert isinstance(remark, NoteEvent)
    assert (remark.kind, remark.content) == ("compaction", "So far: ...")
    assert not any(isinstance(item, TurnEnd) for item in items)


@pytest.mark.parametrize(
    ("revert", "tagged"),
    [
        ({"messageID": "msg_3"}, ["prt_31:0"]),
        ({"messageID": "msg_2", "partID": "prt_24"}, ["prt_24:0", "prt_24:1", "prt_31:0"]),
    ],
)
def test_reverted_events_are_kept_and_tagged(revert: Json, tagged: list[str]) -> None:
    items = read(replace(STORY, info={"revert": revert}))
    assert [e.id for e in events(items) if e.tags == ("abandoned-branch",)] == tagged
    assert ids(items) == ids(read(STORY))


def test_a_child_session_names_its_parent() -> None:
    items = read(replace(STORY, info={"parentID": "ses_0", "title": "Child session - 2026-01-05T10:11:12"}))
    assert facts(items)["parent_session"] == "ses_0"
    assert facts(items)["parent_kind"] == "subagent"
    assert "title" not in facts(items)
    first = events(items)[0]
    assert isinstance(first, PeerMessage)
    assert first.direction == "received"


# -------------------------------------------------------------------- while it is written

GROWTH = [
    [],
    [tool("prt_1", "write", {}, status="pending")],
    [tool("prt_1", "bash", {"command": "a"}, at=100, status="running")],
    [tool("prt_1", "bash", {"command": "a"}, at=100, status="running"), text("prt_2", "Mean", at=110)],
    [
        tool("prt_1", "bash", {"command": "a"}, at=100, end=140),
        text("prt_2", "Meanwhile", at=110),
        {"id": "prt_3", "type": "reasoning", "text": "Hm", "time": {"start": BEGAN + 120}},
    ],
    [
        tool("prt_1", "bash", {"command": "a"}, at=100, end=140),
        text("prt_2", "Meanwhile", at=110),
        text("prt_3", "Hm, no", at=120, type="reasoning"),
        tool("prt_4", "read", {"filePath": "b"}, at=130, end=135),
        tool("prt_5", "read", {"filePath": "c"}, at=150, end=155),
    ],
]


def test_a_growing_session_only_adds_events() -> None:
    before: list[str] = []
    for parts in GROWTH:
        now = ids(read([(assistant("msg_1", is_open=True), parts)]))
        assert now[: len(before)] == before
        before = now
    done = read_answer(*GROWTH[-1], finish("prt_6", "stop", input=1))
    assert ids(done) == [*before, "prt_5:1"]  # the last result waits for the cost of its step
    assert before == ["prt_1:0", "prt_2:0", "prt_3:0", "prt_4:0", "prt_4:1", "prt_1:1", "prt_5:0"]


def test_a_text_that_is_being_written_waits() -> None:
    part = {"id": "prt_1", "type": "text", "text": "I wri", "time": {"start": BEGAN}}
    assert events(read([(assistant("msg_1", is_open=True), [part])])) == []
    assert [e.content for e in events(read_answer(part))] == ["I wri"]  # it was stopped


def test_a_prompt_waits_for_the_answer_before_it() -> None:
    unfinished = (assistant("msg_1", is_open=True), [text("prt_1", "One", at=1), finish("prt_2", input=1)])
    queued = (user("msg_2", at=2000), [text("prt_3", "And then?")])
    assert ids(read([unfinished, queued])) == ["prt_1:0"]
    later = (assistant("msg_3", at=3000), [text("prt_4", "Two", at=3001)])
    assert ids(read([unfinished, queued, later])) == ["prt_1:0", "prt_3:0", "prt_4:0"]


def test_a_message_has_its_cost() -> None:
    parts = [text("prt_1", "Done", at=1), finish("prt_2", "stop", input=1)]
    assert events(read([(assistant("msg_1", is_open=True), parts[:1])])) == []
    items = read([(assistant("msg_1", is_open=True), parts)])
    assert [type(item) for item in items[-3:]] == [Entry, Spent, TurnEnd]


# -------------------------------------------------------------------- databases and folders


def test_a_database_is_read_while_it_is_written(tmp_path: Path) -> None:
    path = STORY.database(tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO session VALUES ('ses_2', NULL, '/x', 't', '1', NULL, 1, 1)")
        assert list(DATABASE.sessions(path)) == [SESSION]
        writer.commit()
        assert list(DATABASE.sessions(path)) == ["ses_2", SESSION]
        assert len(ids(list(DATABASE.read(path, SESSION)))) == 6


def test_reading_leaves_no_files_behind(tmp_path: Path) -> None:
    path = STORY.database(tmp_path / "opencode.db")
    before = path.read_bytes()
    assert detect_store(path) is DATABASE
    assert len(list(DATABASE.read(path, SESSION))) > 6
    assert [p.name for p in tmp_path.iterdir()] == ["opencode.db"]
    assert path.read_bytes() == before


def test_a_locked_database_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gittraj.formats.base.sqlite._PATIENCE", 0.05)
    path = STORY.database(tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = DELETE")
        writer.execute("BEGIN EXCLUSIVE")
        assert not DATABASE.detect(path)
        with pytest.raises(FormatError, match="locked"):
            list(DATABASE.read(path, SESSION))


def test_other_databases_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as database, database:
        database.execute("CREATE TABLE message (id TEXT, body TEXT)")
    (tmp_path / "text").write_text("SQLite")
    for path in (other, tmp_path / "text", tmp_path / "none", tmp_path):
        assert not DATABASE.detect(path)
    with pytest.raises(FormatError, match="no such table"):
        list(DATABASE.sessions(other))
    with pytest.raises(FormatError, match="not an SQLite database"):
        list(DATABASE.read(tmp_path / "text", SESSION))


def test_a_damaged_database_never_crashes(tmp_path: Path) -> None:
    complete = STORY.database(tmp_path / "opencode.db").read_bytes()
    cut = tmp_path / "cut.db"
    for end in (*range(0, 200, 7), *range(200, len(complete), 997)):
        cut.write_bytes(complete[:end] + b"\xff" * (len(complete) - end if end % 2 else 0))
        DATABASE.detect(cut)
        try:
            for name in DATABASE.sessions(cut):
                list(DATABASE.read(cut, name))
        except FormatError:
            pass


def test_unreadable_records_are_a_damage(tmp_path: Path) -> None:
    path = STORY.database(tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE message SET data = '{' WHERE id = 'msg_3'")
        database.execute("UPDATE part SET data = '[1]' WHERE id = 'prt_23'")
        database.execute("UPDATE part SET data = CAST(x'7bff' AS TEXT) WHERE id = 'prt_22'")
    items = list(DATABASE.read(path, SESSION))
    assert [i.why.split(":")[0] for i in items if isinstance(i, Damage)] == [
        "message msg_3",
        "part prt_22",
        "part prt_23",
    ]
    assert ids(items) == ["prt_11:0", "prt_24:0", "prt_24:1"]

    root = STORY.storage(tmp_path / "storage")
    (root / "part/msg_2/prt_23.json").write_text('{"type": "text", "te')
    assert [i.why for i in STORAGE.read(root, SESSION) if isinstance(i, Damage)] == [
        "prt_23.json: not JSON from here on"
    ]


def test_a_missing_session_is_an_error(tmp_path: Path) -> None:
    path, root = STORY.database(tmp_path / "opencode.db"), STORY.storage(tmp_path / "storage")
    for name in ("ses_9", "../message", ""):
        with pytest.raises(FormatError, match="no session"):
            list(DATABASE.read(path, name))
        with pytest.raises(FormatError, match="no session"):
            list(STORAGE.read(root, name))


def test_an_id_with_a_path_does_not_leave_the_folder(tmp_path: Path) -> None:
    root = STORY.storage(tmp_path / "storage")
    (root / "message" / SESSION / "...json").write_text(json.dumps({**user(".."), "id": "../../secret"}))
    assert ids(list(STORAGE.read(root, SESSION))) == ids(read(STORY))


@pytest.mark.parametrize("shape", ["export", "stream"])
def test_a_cut_file_gives_its_complete_records(shape: str) -> None:
    reader, data = (EXPORT, STORY.export()) if shape == "export" else (STREAM, STORY.stream())
    all_ids = ids(list(reader.read(io.BytesIO(data))))
    for end in range(0, len(data), size(7, 1)):
        cut_ids = ids(list(reader.read(io.BytesIO(data[:end]))))
        assert set(cut_ids) <= set(all_ids)
        assert cut_ids == all_ids[: len(cut_ids)]


@pytest.mark.parametrize("value", [None, 7, "x", [1], {"x": 1}])
def test_values_of_unexpected_types_raise_nothing(value: Any) -> None:
    document = json.loads(STORY.export())

    def spoiled(node: Any, change: int) -> tuple[Any, int]:
        """Return ``node`` with the ``change``-th value in it replaced, and -1; or, if it has fewer values,
        ``node`` and what is left of ``change``."""
        if change == 0:
            return value, -1
        change -= 1
        pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        copy = node.copy() if isinstance(node, dict | list) else node
        for key, below in pairs:
            copy[key], change = spoiled(below, change)
            if change < 0:
                break
        return copy, change

    change, left = 0, -1
    while left < 0:
        broken, left = spoiled(document, change)
        list(EXPORT.read(io.BytesIO(json.dumps(broken).encode())))
        if isinstance(broken, dict) and isinstance(broken.get("messages"), list):
            messages = [m for m in broken["messages"] if isinstance(m, dict)]
            parts = [p for m in messages if isinstance(m.get("parts"), list) for p in m["parts"]]
            lines = [{"type": "text", "sessionID": SESSION, "timestamp": 1, "part": part} for part in parts]
            list(STREAM.read(io.BytesIO(b"\n".join(json.dumps(line).encode() for line in lines))))
        change += 1
    assert change > 100


def test_each_form_is_recognized(tmp_path: Path) -> None:
    assert detect(STORY.export()[:HEAD]) is EXPORT
    assert detect(STORY.stream()[:HEAD]) is STREAM
    assert detect_store(STORY.database(tmp_path / "opencode.db")) is DATABASE
    assert detect_store(STORY.storage(tmp_path / "storage")) is STORAGE
    assert not any(
        reader.detect(b'{"info": {"exit_status": "x"}, "messages": []}') for reader in (EXPORT, STREAM)
    )
    (tmp_path / "else/message/a").mkdir(parents=True)
    (tmp_path / "else/part").mkdir()
    assert not STORAGE.detect(tmp_path / "else")


def test_a_failed_run_and_one_of_two_sessions_are_read() -> None:
    failed = {"name": "ProviderAuthError", "data": {"message": "No key"}}
    first = {"type": "error", "timestamp": BEGAN, "sessionID": "ses_1", "error": failed}
    part = {"id": "prt_9", "messageID": "msg_9", "type": "text", "text": "Hi", "time": {"start": BEGAN}}
    other = {"type": "text", "timestamp": BEGAN, "sessionID": "ses_2", "part": part}
    items = list(STREAM.read(io.BytesIO(b"\n".join(json.dumps(x).encode() for x in (first, other)))))
    assert facts(items)["session"] == "ses_1"
    assert [(e.event.id, e.event.content, e.session) for e in entries(items)] == [
        ("at0:0", "ProviderAuthError: No key", None),
        ("prt_9:0", "Hi", "ses_2"),
    ]


# -------------------------------------------------------------------- real sessions


@pytest.mark.shared
def test_the_sample_database_is_read(samples: Path) -> None:
    path = samples / "other/opencode-sqlite/opencode.db"
    assert detect_store(path) is DATABASE
    assert list(DATABASE.sessions(path)) == ["test-session-123"]
    items = list(DATABASE.read(path, "test-session-123"))
    assert [type(e) for e in events(items)] == [PeerMessage, Message, ToolCall, ToolResult, Message]
    assert [i.usage for i in items if isinstance(i, Spent)] == [Usage(input_tokens=10, output_tokens=20)]
    assert facts(items)["parent_session"] == "parent-session-456"
    assert [p.name for p in path.parent.iterdir()] == ["opencode.db"]


@pytest.mark.shared
def test_the_sample_folder_is_read(samples: Path) -> None:
    path = samples / "other/opencode-storage"
    assert detect_store(path) is STORAGE
    items = list(STORAGE.read(path, *STORAGE.sessions(path)))
    assert [type(e) for e in events(items)] == [Prompt, Message, ToolCall, ToolResult, Message]
    assert len(set(ids(items))) == 5  # two of its parts have the same id
    (edit,) = entries(items)[2].edits
    assert (edit.path, edit.whole) == (
        "/Users/test/project/index.ts",
        "// Hello World\nconsole.log('test');",
    )


@pytest.mark.shared
def test_the_sample_run_is_read(samples: Path) -> None:
    data = (samples / "other/opencode-stream.jsonl").read_bytes()
    assert detect(data[:HEAD]) is STREAM
    items = list(STREAM.read(io.BytesIO(data)))
    raw = [json.loads(line)["part"] for line in data.splitlines()]
    assert len([e for e in events(items) if isinstance(e, ToolCall)]) == len(
        [p for p in raw if "callID" in p]
    )
    spent = [i for i in items if isinstance(i, Spent)]
    total = functools.reduce(Usage.__add__, (i.usage for i in spent))
    tokens = [p["tokens"] for p in raw if "tokens" in p]
    assert total.input_tokens == sum(t["input"] for t in tokens) == 22443
    assert total.output_tokens == sum(t["output"] for t in tokens) == 118
    assert total.cache_read_tokens == sum(t["cache"]["read"] for t in tokens) == 21415
    assert [i.cost for i in spent] == [p["cost"] for p in raw if "cost" in p] == [0, 0.001]
    assert facts(items)["session"] == "ses_494719016ffe85dkDMj0FPRbHK"
    assert deque(items, maxlen=1).pop() == TurnEnd(end=len(data.rstrip()))

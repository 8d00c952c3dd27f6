"""Cursor's transcripts: each peculiarity of the format in a log of a few records."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from gittraj.formats import cursor, detect
from gittraj.model.session_items import Edit, Fact, Item
from gittraj.model.values import AnyEvent, Message, Prompt, Thinking, ToolCall, ToolResult
from tests.unit.formats.reading import check_marks, entries


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": tool, "input": arguments}


def message(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "message": {"content": [*blocks]}}


def user_query(words: str) -> dict[str, Any]:
    return message("user", text(f"<user_query>\n{words}\n</user_query>"))


def write(*records: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def read(*records: Any, session: str | None = "S") -> list[Item]:
    return list(cursor.read(io.BytesIO(write(*records)), session=session))


def events_in(items: list[Item]) -> list[AnyEvent]:
    return [entry.event for entry in entries(items)]


def test_a_message_gives_words_hidden_thinking_and_calls() -> None:
    items = read(
        user_query("hi"), message("assistant", text("Yes.\n\n[REDACTED]"), call("Read", path="/w/a"))
    )
    prompt, words, hidden, reading = events_in(items)
    assert (type(prompt), prompt.content, prompt.id) == (Prompt, "hi", "n0:0")
    assert (type(words), words.content, words.response) == (Message, "Yes.", "n1")
    assert (type(hidden), hidden.content, hidden.id) == (Thinking, "[redacted]", "n1:0:thinking")
    assert isinstance(reading, ToolCall)
    assert (reading.id, reading.call_id) == ("n1:1", "n1:1")
    assert entries(items)[-1].paths == ("/w/a",)


@pytest.mark.parametrize(
    ("blocks", "prompt"),
    [
        ([text("<open_files>\nx\n</open_files>"), text("<user_query>\nmine\n</user_query>")], "mine"),
        (
            [text("<user_info>x</user_info>\n<user_query>one</user_query>\n<user_query>two</user_query>")],
            "one\ntwo",
        ),
        ([text("<attached_files>\nx\n</attached_files>\n\nold form")], "old form"),
        ([text("a plain one")], "a plain one"),
        ([text("<user_query>cut off")], "cut off"),
        ([text("<system_reminder>x</system_reminder>")], None),
        ([text("<git_status>never closed")], None),
        ([{"type": "image", "source": {"data": "eA==", "media_type": "image/png"}}], "[image/png, 1 bytes]"),
    ],
)
def test_only_typed_text_is_a_prompt(blocks: list[Any], prompt: str | None) -> None:
    found = [
        event.content for event in events_in(read(message("user", *blocks))) if isinstance(event, Prompt)
    ]
    assert found == ([prompt] if prompt else [])


@pytest.mark.parametrize(
    ("tool", "arguments", "edit"),
    [
        ("Write", {"path": "a", "contents": "x\n"}, Edit(path="a", added=("x",), whole="x\n")),
        ("write", {"file_path": "a", "contents": ""}, Edit(path="a", whole="")),
        (
            "search_replace",
            {"file_path": "a", "old_string": "x\ny", "new_string": "x\nz"},
            Edit(path="a", added=("z",), removed=("y",)),
        ),
        (
            "StrReplace",
            {"path": "a", "old_string": "x", "new_string": "y"},
            Edit(path="a", added=("y",), removed=("x",)),
        ),
        (
            "MultiEdit",
            {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
            Edit(path="a", added=("y",), removed=("x",)),
        ),
        (
            "edit_file",
            {"target_file": "a", "code_edit": "# ... existing code ...\nx\n// ... existing code ..."},
            Edit(path="a", added=("x",)),
        ),
        ("delete_file", {"target_file": "a"}, Edit(path="a", kind="delete")),
        (
            "ApplyPatch",
            {"patch": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"},
            Edit(path="a", kind="add", added=("x",), whole="x\n"),
        ),
    ],
)
def test_edits_are_read_from_the_arguments(tool: str, arguments: dict[str, Any], edit: Edit) -> None:
    assert entries(read(message("assistant", call(tool, **arguments))))[0].edits == (edit,)


def test_a_shell_call_has_its_command_and_folder() -> None:
    for tool in ("Shell", "run_terminal_cmd"):
        entry = entries(read(message("assistant", call(tool, command="git commit", working_directory="/w"))))[
            0
        ]
        assert (entry.command, entry.folder, entry.edits) == ("git commit", "/w", ())


def test_a_result_is_read_if_the_log_has_one() -> None:
    block = {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": [text("[main 1a2b3c4] x")],
        "is_error": False,
    }
    entry = entries(read(message("user", block)))[-1]
    assert isinstance(entry.event, ToolResult)
    assert entry.event.call_id == "c1"
    assert entry.commits == ("1a2b3c4",)


def test_the_session_id_is_the_file_name_or_made_from_the_structure() -> None:
    log = [user_query("hi"), message("assistant", text("one"))]
    assert read(*log)[0] == Fact(name="session", value="S")
    named = read(*log, session=None)[0]
    assert isinstance(named, Fact)
    assert read(*log, user_query("more"), session=None)[0] == named
    assert read(user_query("hj"), message("assistant", text("two")), session=None)[0] == named, (
        "the words do not change the id"
    )
    assert read(user_query("hi"), message("assistant", text("three")), session=None)[0] != named


def test_reading_on_from_a_mark_gives_the_same() -> None:
    data = b"\n" + write(
        user_query("a"),
        message("assistant", text("b")),
        user_query("c"),
        user_query("d"),
        message("assistant"),
    )
    check_marks(cursor, data, 3)


def test_a_transcript_cut_anywhere_gives_a_beginning_of_the_whole() -> None:
    data = write(
        user_query("a é"), message("assistant", text("b [REDACTED]"), call("Write", path="a", contents="x"))
    )
    whole = list(cursor.read(io.BytesIO(data), session="S"))
    for cut in range(len(data)):
        part = list(cursor.read(io.BytesIO(data[:cut]), session="S"))
        assert part == whole[: len(part)]
        list(cursor.read(io.BytesIO(data[:cut])))


@pytest.mark.parametrize(
    "strange",
    [
        {"role": "user", "message": []},
        {"role": ["user"], "message": {"content": "x"}},
        {"role": "user", "message": {"content": {"type": "text"}}},
        message(
            "assistant", 1, None, {"type": "tool_use", "name": 3, "input": [1]}, {"type": ["x"], "text": {}}
        ),
        message("assistant", call("Write", path=["a"], contents=3), call("apply_patch", patch=[1])),
        message("user", {"type": "image", "source": "x"}, {"type": "tool_result", "content": 5}),
    ],
)
def test_no_value_of_an_unexpected_type_raises(strange: Any) -> None:
    read(strange, user_query("still read"), session=None)
    assert "still read" in [event.content for event in events_in(read(strange, user_query("still read")))]


def test_a_transcript_is_recognized_by_its_content() -> None:
    assert detect(write(user_query("x"))) is cursor
    assert (
        detect(
            write(message("assistant", text("x" * 99_999))).replace(b": ", b":").replace(b", ", b",")[:65536]
        )
        is cursor
    )
    assert not cursor.detect(write({"type": "user", **user_query("x"), "sessionId": "S"}))
    assert not cursor.detect(write({"role": "user", "content": "x"}))


@pytest.mark.shared
def test_a_real_transcript_is_read(samples: Path) -> None:
    data = (samples / "other/cursor/cursor-session-simple.jsonl").read_bytes()
    records = [json.loads(line) for line in data.splitlines()]
    blocks = [b for r in records if r["role"] == "assistant" for b in r["message"]["content"]]
    items = list(cursor.read(io.BytesIO(data)))
    kinds = [type(event) for event in events_in(items)]
    assert kinds.count(Prompt) == data.count(b"<user_query>") == 1
    assert kinds.count(ToolCall) == sum(b["type"] == "tool_use" for b in blocks) == 10
    assert kinds.count(Thinking) == data.count(b"[REDACTED]") == 10
    spoken = [b for b in blocks if b["type"] == "text" and b["text"].strip() != "[REDACTED]"]
    assert kinds.count(Message) == len(spoken) == 3
    assert kinds.count(ToolResult) == 0
    assert [edit.path.rpartition("/")[2] for entry in entries(items) for edit in entry.edits] == [
        "hbo-shows-1990s.txt"
    ]
    assert len({event.id for event in events_in(items)}) == len(kinds)

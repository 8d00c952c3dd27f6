"""Sessions of Cline, in the form of version 3.0.65."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gittraj.formats import cline, detect_store
from gittraj.model.session_items import Edit, Fact, Spent, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt, Thinking, ToolCall, ToolResult, Usage
from tests.unit.formats.reading import entries

AT = 1_795_863_961_324


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def tool_result(call_id: str, name: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "name": name, "content": content}


def message(message_id: str, role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    spent = {"inputTokens": 1200, "outputTokens": 50, "cacheReadTokens": 800, "cacheWriteTokens": 0}
    model = {"modelInfo": {"id": "m"}, "metrics": spent} if role == "assistant" else {}
    return {"id": message_id, "role": role, "content": list(blocks), "ts": AT, **model}


MADE = json.dumps({"query": "edit:/w/a.py", "result": "File created", "success": True})
RAN = {"query": "git commit -am x", "result": "[main 1a2b3c4] x\n", "success": True}
MESSAGES = [
    message("a", "user", text('<user_input mode="yolo">Do it</user_input>')),
    message("b", "user", text("[SYSTEM] This run is not complete")),
    message(
        "c",
        "assistant",
        {"type": "thinking", "thinking": "hmm"},
        text("I write"),
        call("c1", "editor", path="/w/a.py", new_text="one\ntwo\n"),
    ),
    message("d", "user", tool_result("c1", "editor", MADE)),
    message("e", "assistant", call("c2", "run_commands", commands=["git commit -am x", "git status"])),
    message(
        "f",
        "user",
        tool_result("c2", "run_commands", [RAN, {"query": "git status", "error": "no", "success": False}]),
    ),
    message("g", "assistant", call("c3", "editor", path="/w/a.py", old_text="two\n", new_text="three\n")),
]
RUN = {"version": 1, "agent": "lead", "sessionId": "S", "origin": {"version": "3.0.65", "source": "cli"}}
ABOUT = {"session_id": "S", "cwd": "/w", "status": "completed", "metadata": {"title": "Do it"}}


def log(folder: Path, messages: list[dict[str, Any]] = MESSAGES) -> Path:
    path = folder / "S" / "S.messages.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**RUN, "messages": messages}, indent=2))
    path.with_name("S.json").write_text(json.dumps(ABOUT))
    return path


def test_a_session_and_a_folder_of_sessions_are_recognized(tmp_path: Path) -> None:
    path = log(tmp_path)
    for folder in (path, tmp_path):
        assert detect_store(folder) is cline
        assert list(cline.sessions(folder)) == ["S"]
        assert len(entries(list(cline.read(folder, "S")))) == 9
    assert not cline.detect(path.with_name("S.json"))


def test_a_session_is_read_completely(tmp_path: Path) -> None:
    items = list(cline.read(log(tmp_path), "S"))
    kinds = [type(entry.event) for entry in entries(items)]
    assert kinds[:6] == [Prompt, NoteEvent, Thinking, Message, ToolCall, ToolResult]
    prompt, _, _, _, made, created, ran, ended, changed = entries(items)
    assert prompt.event.content == "Do it"
    assert made.edits == (Edit(path="/w/a.py", kind="add", added=("one", "two"), whole="one\ntwo\n"),)
    assert (created.event.content, created.event.is_error) == ("File created", False)
    assert (ran.command, ran.folder) == ("git commit -am x\ngit status", "/w")
    assert (ended.commits, ended.event.is_error) == (("1a2b3c4",), True)
    assert changed.edits == (Edit(path="/w/a.py", added=("three",), removed=("two",)),)
    facts = {item.name: item.value for item in items if isinstance(item, Fact)}
    assert (facts["session"], facts["folder"], facts["model"], facts["status"]) == (
        "S",
        "/w",
        "m",
        "completed",
    )
    assert [item.usage for item in items if isinstance(item, Spent)] == 3 * [
        Usage(input_tokens=400, cache_read_tokens=800, output_tokens=50)
    ]
    assert isinstance(items[-1], TurnEnd)


def test_a_log_that_is_cut_or_lacks_its_other_files_is_read(tmp_path: Path) -> None:
    path = log(tmp_path)
    whole = [entry.event for entry in entries(list(cline.read(path, "S")))]
    data = path.read_bytes()
    path.with_name("S.json").unlink()
    for cut in range(0, len(data), 7):
        path.write_bytes(data[:cut])
        found = [entry.event for entry in entries(list(cline.read(path, "S")))]
        assert len(found) <= len(whole)
        assert [event.id for event in found] == [event.id for event in whole[: len(found)]]


def test_opening_tags_without_an_end_are_scanned_once(tmp_path: Path) -> None:
    """There are a million of them: scanning to the end from each would take too long."""
    many = "<user_input>" * 1_000_000
    path = log(tmp_path, [message("a", "user", text(f"<user_input>Do it</user_input>{many}"))])
    (entry,) = entries(list(cline.read(path, "S")))
    assert entry.event.content == "Do it"

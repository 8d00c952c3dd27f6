"""Notes of AgentNote 1.0.8 and git-ai (Git AI Standard 3.0.0): events attached to commits."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats import Store, agent_note, detect_store, git_ai
from gittraj.model.session_items import Damage, Fact
from gittraj.model.values import Message, NoteEvent, Prompt, ToolCall
from tests.conftest import SHARING
from tests.unit.formats.reading import JSON, entries, list_slots

ONE, TWO, THREE = "1" * 40, "2" * 40, "3" * 64
SESSION = "a22e0569-fe3c-4098-87de-ebb9e8ff09fa"
NOTE: dict[str, Any] = {
    "v": 1,
    "agent": "claude",
    "session_id": SESSION,
    "timestamp": "2026-11-22T03:31:43.396Z",
    "model": "claude-sonnet-4-5",
    "interactions": [
        {
            "prompt": "Write a parser",
            "response": "Written.",
            "contexts": [{"kind": "reference", "source": "previous_response", "text": "It was b."}],
            "files_touched": ["a.py"],
            "tools": ["Write"],
        },
        {"prompt": "commit it", "response": None, "selection": {"schema": 1, "signals": []}},
    ],
    "files": [{"path": "a.py", "by_ai": True}, {"path": "README", "by_ai": False}],
    "attribution": {
        "ai_ratio": 67,
        "method": "line",
        "lines": {"ai_added": 2, "total_added": 3, "deleted": 0},
    },
}
AUTHORSHIP = """src/main.rs
  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15-20
  s_c9883b05a2487d::t_a1b2c3d4e5f678 25
  h_31dce776f88375 42-50
"src/my file.rs"
  abcd1234abcd1234 1,3
---
"""
METADATA: dict[str, Any] = {
    "schema_version": "authorship/3.0.0",
    "base_commit_sha": "7" * 40,
    "prompts": {
        "abcd1234abcd1234": {
            "agent_id": {"tool": "cursor", "id": "old", "model": "gpt-4"},
            "human_author": "A Developer",
            "messages": [
                {"type": "user", "text": "Do it", "timestamp": "2026-01-01T00:00:00Z"},
                {"type": "assistant", "text": "Done"},
                {"type": "tool_use", "name": "edit", "input": {"path": "x"}},
            ],
            "total_additions": 9,
            "accepted_lines": 2,
        }
    },
    "humans": {"h_31dce776f88375": {"author": "A Developer"}},
    "sessions": {"s_c9883b05a2487d": {"agent_id": {"tool": "claude", "id": "new", "model": "m"}}},
}


def write_notes(folder: Path, *notes: tuple[str, Any]) -> Path:
    """Write a file of notes; a note of git-ai is given by its metadata, or by its whole text."""
    path = folder / "notes"
    records = [
        {"commit": commit, "time": 1_767_225_600 + number, "note": written(note)}
        for number, (commit, note) in enumerate(notes)
    ]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def written(note: Any) -> str:
    if isinstance(note, str):
        return note
    return AUTHORSHIP + json.dumps(note) if "prompts" in note else json.dumps(note, indent=1)


def test_notes_of_agent_note_are_read(tmp_path: Path) -> None:
    other = {**NOTE, "agent": "codex", "session_id": "other", "interactions": []}
    path = write_notes(tmp_path, (ONE, NOTE), (TWO, other), (THREE, {**NOTE, "model": None}), (TWO, "torn {"))
    assert detect_store(path) is agent_note
    assert [*agent_note.sessions(path)] == [SESSION, "other"]
    items = list(agent_note.read(path, SESSION))
    assert Fact(name="agent", value="claude-code") in items
    recorded = entries(items)
    assert [(type(e.event), e.event.content, e.on) for e in recorded[:6]] == [
        (NoteEvent, "It was b.", None),
        (Prompt, "Write a parser", None),
        (NoteEvent, "Used Write, for a.py", None),
        (Message, "Written.", None),
        (Prompt, "commit it", None),
        (NoteEvent, "AgentNote: 67 % by the agent, 2 of 3 lines added", ONE),
    ]
    assert recorded[5].event.ts == "2026-11-22T03:31:43.396Z"
    assert [edit.path for edit in recorded[5].edits] == ["a.py"]
    assert [e.on for e in recorded if e.on] == [ONE, THREE]
    assert len({e.event.id for e in recorded}) == len(recorded) == 12
    assert all(e.event.id.startswith("note.") for e in recorded)
    assert [i.why for i in items if isinstance(i, Damage)] == ["the note of 222222222222 is another tool's"]
    assert [e.on for e in entries(list(agent_note.read(path, "other")))] == [TWO]


def test_notes_of_git_ai_are_read(tmp_path: Path) -> None:
    longer = copy.deepcopy(METADATA)
    longer["prompts"]["abcd1234abcd1234"]["messages"].append({"type": "user", "text": "More"})
    path = write_notes(tmp_path, (ONE, METADATA), (TWO, longer), (THREE, "no log"))
    assert detect_store(path) is git_ai
    assert [*git_ai.sessions(path)] == ["old", "new"]
    items = list(git_ai.read(path, "new"))
    assert Fact(name="agent", value="claude-code") in items
    assert [(e.event.content, e.on, [edit.path for edit in e.edits]) for e in entries(items)] == [
        ("git-ai: src/main.rs 1-10,15-20,25", ONE, ["src/main.rs"]),
        ("git-ai: src/main.rs 1-10,15-20,25", TWO, ["src/main.rs"]),
    ]
    items = list(git_ai.read(path, "old"))
    recorded = entries(items)
    assert [(type(e.event), e.event.content) for e in recorded] == [
        (Prompt, "Do it"),
        (Message, "Done"),
        (ToolCall, ""),
        (NoteEvent, "git-ai: src/my file.rs 1,3"),
        (Prompt, "More"),  # the messages before are in the note of the commit before
        (NoteEvent, "git-ai: src/my file.rs 1,3"),
    ]
    assert recorded[3].event.raw == {
        "lines": {"src/my file.rs": "1,3"},
        "total_additions": 9,
        "accepted_lines": 2,
    }
    facts = {(item.name, item.value) for item in items if isinstance(item, Fact)}
    assert facts == {
        ("session", "old"),
        ("agent", "cursor"),
        ("model", "gpt-4"),
        ("participant", "A Developer:human"),
    }


def test_other_files_are_not_notes(tmp_path: Path) -> None:
    for path in (write_notes(tmp_path, (ONE, '{"v":1,"id":"traj_a"}')), tmp_path, tmp_path / "gone"):
        assert detect_store(path) is None
    with pytest.raises(FormatError, match="no session"):
        list(agent_note.read(write_notes(tmp_path, (ONE, NOTE)), "other"))


@settings(SHARING, max_examples=40)
@given(data=st.data())
def test_no_content_of_a_note_raises(tmp_path: Path, data: st.DataObject) -> None:
    notes = copy.deepcopy([NOTE, METADATA])
    for _ in range(data.draw(st.integers(0, 4))):
        holder, key = data.draw(st.sampled_from([p for p in list_slots(notes) if p[0] is not notes]))
        if isinstance(holder, dict) and key in ("prompts", "interactions"):
            continue
        holder[key] = data.draw(JSON)
    texts = [written(notes[0]), AUTHORSHIP + json.dumps(notes[1])]
    path = write_notes(tmp_path, *((ONE, text[: data.draw(st.integers(0, 3000))]) for text in texts))
    stores: list[Store] = [agent_note, git_ai]
    for store in stores:
        store.detect(path)
        for session in list(store.sessions(path)):
            assert all(isinstance(item, object) for item in store.read(path, session))

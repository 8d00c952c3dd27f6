"""Notes of whogitit, git-memento and Qwen Code, and which of their data counts as evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gittraj.formats import Store, agent_note, ai_attribution, detect_store, memento, whogitit
from gittraj.formats.base.notes_file import Note, ReadNote
from gittraj.model.session_items import Edit, Fact
from gittraj.model.values import Message, NoteEvent, Prompt
from tests.unit.formats.reading import entries

ONE, TWO = "1" * 40, "2" * 40


def line(number: int, kind: str) -> dict[str, Any]:
    return {"line_number": number, "content": "x", "source": {"type": kind}}


WHOGITIT: dict[str, Any] = {
    "version": 3,
    "session": {"session_id": "S", "model": {"id": "claude-opus-4-5", "provider": "anthropic"}},
    "prompts": [{"index": 0, "text": "Add it", "timestamp": "2026-01-30T14:23:45Z"}],
    "files": [
        {
            "path": "a.py",
            "lines": [line(n, kind) for n, kind in enumerate(("AI", "AI", "Human", "AIModified"), 1)],
        },
        {"path": "b.py", "lines": [line(1, "Original"), line(2, "Unknown")]},
    ],
}
SESSION = """# Git Memento Session

- Provider: Claude
- Session ID: S
- Session Title: A title
- Committer: Ann
- Captured At (UTC): 2026-01-30T14:23:45.0000000+00:00

## Conversation

### Ann

Add it

### Claude

I add it.

### Why

Because.

### Tool

ran
"""
ENVELOPE = (
    "<!-- git-memento-sessions:v1 -->\n<!-- git-memento-note-version:1 -->\n"
    f"<!-- git-memento-session:start -->\n{SESSION}\n<!-- git-memento-session:end -->\n\n"
    f"<!-- git-memento-session:start -->\n{SESSION.replace('ID: S', 'ID: T')}"
    "<!-- git-memento-session:end -->\n"
)
QWEN: dict[str, Any] = {
    "version": 1,
    "generator": "qwen3-coder",
    "files": {"a.py": {"aiChars": 4, "humanChars": 76, "percent": 5, "surface": "cli"}},
    "summary": {"aiPercent": 5, "aiChars": 4, "humanChars": 76},
    "surfaceBreakdown": {"cli": {"aiChars": 4, "percent": 5}},
}


def notes(folder: Path, **by_commit: Any) -> Path:
    path = folder / "notes"
    texts = {
        commit: note if isinstance(note, str) else json.dumps(note) for commit, note in by_commit.items()
    }
    rows = [{"commit": commit, "time": 1_700_000_000, "note": text} for commit, text in texts.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("note", "store", "found"),
    [
        (WHOGITIT, whogitit, ["S"]),
        (SESSION, memento, ["S"]),
        (ENVELOPE, memento, ["S", "T"]),
        (QWEN, ai_attribution, [f"ai-attribution.{ONE}"]),
    ],
)
def test_each_tools_notes_are_recognized(tmp_path: Path, note: Any, store: Store, found: list[str]) -> None:
    path = notes(tmp_path, **{ONE: note})
    assert detect_store(path) is store
    assert list(store.sessions(path)) == found


@pytest.mark.parametrize("first", [WHOGITIT, {"written": "by hand"}])
def test_a_first_note_longer_than_the_head_is_recognized(tmp_path: Path, first: Any) -> None:
    path = notes(tmp_path, **{ONE: {**first, "more": "x" * 200_000}, TWO: WHOGITIT})
    assert detect_store(path) is whogitit
    path.write_text('{"commit": "x"}\n' + path.read_text())
    assert detect_store(path) is None


def test_whogitits_prompts_and_lines_are_read(tmp_path: Path) -> None:
    items = list(whogitit.read(notes(tmp_path, **{ONE: WHOGITIT}), "S"))
    asked, closing = entries(items)
    assert isinstance(asked.event, Prompt)
    assert (asked.event.content, asked.event.ts) == ("Add it", "2026-01-30T14:23:45.000Z")
    assert closing.event.content == "whogitit: a.py 1-2,4"
    assert (closing.edits, closing.on) == ((Edit(path="a.py"),), ONE)
    assert Fact(name="model", value="claude-opus-4-5") in items


def test_mementos_messages_have_their_authors(tmp_path: Path) -> None:
    items = list(memento.read(notes(tmp_path, **{ONE: ENVELOPE}), "T"))
    messages = [(type(entry.event), entry.event.content) for entry in entries(items)]
    assert messages == [
        (Prompt, "Add it"),
        (Message, "I add it.\n\n### Why\n\nBecause."),
        (NoteEvent, "ran"),
        (NoteEvent, "git-memento: noted on this commit"),
    ]
    assert [entry.on for entry in entries(items)] == [None, None, None, ONE]
    assert not any(entry.edits for entry in entries(items))
    assert Fact(name="title", value="A title") in items


def test_a_share_of_characters_is_not_evidence_for_lines(tmp_path: Path) -> None:
    path = notes(tmp_path, **{ONE: QWEN, TWO: QWEN})
    assert len(list(ai_attribution.sessions(path))) == 2
    (only,) = entries(list(ai_attribution.read(path, f"ai-attribution.{TWO}")))
    assert (only.edits, only.on) == ((), None)
    assert only.event.content == "Qwen Code: 5 % of the characters changed, 4, are by the agent"


@pytest.mark.parametrize("note", [WHOGITIT, SESSION, ENVELOPE, QWEN])
def test_a_note_cut_anywhere_is_read_or_skipped(tmp_path: Path, note: Any) -> None:
    text = note if isinstance(note, str) else json.dumps(note)
    for cut in range(0, len(text), 3):
        path = notes(tmp_path, **{ONE: text[:cut]})
        store = detect_store(path)
        if store is not None:
            assert all(list(store.read(path, session)) for session in store.sessions(path))


def test_mementos_envelopes_without_an_end_are_scanned_once() -> None:
    """There are a million of them: scanning to the end from each would take too long."""
    start, end = (f"<!-- git-memento-session:{word} -->\n" for word in ("start", "end"))
    assert len([*memento._envelopes(f"{start}by_commit\n{end}" + start * 1_000_000)]) == 1


@pytest.mark.parametrize("read_note", [agent_note._read_note, whogitit._read_note])
@pytest.mark.parametrize("text", ["{}", '{"session": 1, "prompts": null}', "no JSON"])
def test_a_note_without_its_lists_is_read_without_them(read_note: ReadNote, text: str) -> None:
    (closing,) = entries([*read_note(Note(commit=ONE, ts=None, text=text, end=0), "S")])
    assert closing.on == ONE

"""Qwen Code's notes, ``refs/notes/ai-attribution``: how many characters of a commit are the agent's.

They name no session and no lines: a note is a session of its own, and says so much of its commit and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.notes_file import Note, first_texts, read_session, sessions_of
from gittraj.model.session_items import Entry, Fact, Item, TurnEnd
from gittraj.model.values import NoteEvent

name = "ai-attribution"
agent = "qwen-code"


def detect(path: Path) -> bool:
    """Whether the file contains notes of Qwen Code."""
    return any(_parse(text) for text in first_texts(path))


def sessions(path: Path) -> Iterator[str]:
    """The ids of the sessions. Raises OSError."""
    yield from sessions_of(path, _names).starts


def read(path: Path, session: str) -> Iterator[Item]:
    """The items of one session. Raises OSError, or FormatError if it is not there any more."""
    return read_session(path, session, _names, _read_note)


def _names(note: Note) -> list[str] | None:
    return [f"{name}.{note.commit}"] if _parse(note.text) else None


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = coerce.mapping(lines.decode(text))
    except (ValueError, RecursionError):
        return None
    return value if {"generator", "files", "surfaceBreakdown"} <= value.keys() else None


def _read_note(note: Note) -> Iterator[Item]:
    content = _parse(note.text) or {}
    if model := coerce.text(content.get("generator")):
        yield Fact(name="model", value=model)
    summary = coerce.mapping(content.get("summary"))
    share, chars = coerce.count(summary.get("aiPercent")), coerce.count(summary.get("aiChars"))
    event = NoteEvent(
        id=f"{note.prefix}:note",
        ts=note.ts,
        content=f"Qwen Code: {share} % of the characters changed, {chars}, are by the agent",
        kind="note",
        tags=("attribution",),
        raw={"summary": summary, "files": coerce.mapping(content.get("files"))},
    )
    yield Entry(event=event, end=note.end, on=note.commit)
    yield TurnEnd(end=note.end)

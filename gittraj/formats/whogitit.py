"""whogitit's notes, ``refs/notes/whogitit``: a JSON object a commit, as versions 2 and 3 of them are.

It has the prompts since the session's commit before, and of each line of the files whether the agent wrote
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.notes_file import Note, first_texts, read_session, sessions_of
from gittraj.model.session_items import Edit, Entry, Fact, Item, TurnEnd
from gittraj.model.values import Json, NoteEvent, Prompt

name = "whogitit"
agent = "claude-code"

_BY_AGENT = ("AI", "AIModified")


def detect(path: Path) -> bool:
    """Whether the file contains notes of whogitit."""
    return any(_parse(text) for text in first_texts(path))


def sessions(path: Path) -> Iterator[str]:
    """The ids of the sessions. Raises OSError."""
    yield from sessions_of(path, _names).starts


def read(path: Path, session: str) -> Iterator[Item]:
    """The items of one session. Raises OSError, or FormatError if it is not there any more."""
    return read_session(path, session, _names, _read_note)


def _names(note: Note) -> list[str] | None:
    content = _parse(note.text)
    return None if content is None else [content["session"]["session_id"]]


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = coerce.mapping(lines.decode(text))
    except (ValueError, RecursionError):
        return None
    known = isinstance(value.get("files"), list) and isinstance(value.get("prompts"), list)
    return value if known and coerce.text(coerce.mapping(value.get("session")).get("session_id")) else None


def _read_note(note: Note) -> Iterator[Item]:
    content = _parse(note.text)
    if content is None:
        return
    model = coerce.text(coerce.mapping(content["session"].get("model")).get("id"))
    if model:
        yield Fact(name="model", value=model)
    for number, asked in enumerate(coerce.objects(content["prompts"])):
        ts, text = coerce.stamp(asked.get("timestamp")), coerce.text(asked.get("text")) or ""
        yield Entry(event=Prompt(id=f"{note.prefix}.{number}:prompt", ts=ts, content=text), end=note.end)
    yield _closing(note, content)
    yield TurnEnd(end=note.end)


def _closing(note: Note, content: dict[str, Any]) -> Entry:
    """What the note says of the commit's lines: numbers, since the lines stand in the commit."""
    ranges: dict[str, Json] = {
        path: found
        for file in coerce.objects(content["files"])
        if (path := coerce.text(file.get("path"))) and (found := _ranges(coerce.objects(file.get("lines"))))
    }
    text = "; ".join(f"{path} {found}" for path, found in ranges.items())
    event = NoteEvent(
        id=f"{note.prefix}:note",
        ts=note.ts,
        content=f"whogitit: {text or 'no line of this commit is by the agent'}",
        kind="note",
        tags=("attribution",),
        raw={"lines": ranges},
    )
    return Entry(event=event, end=note.end, edits=tuple(Edit(path=path) for path in ranges), on=note.commit)


def _ranges(told: list[dict[str, Any]]) -> str:
    """The numbers of the agent's lines, as ``1-3,5``."""
    numbers = sorted(
        number
        for line in told
        if coerce.mapping(line.get("source")).get("type") in _BY_AGENT
        and (number := coerce.number(line.get("line_number"))) is not None
    )
    found: list[str] = []
    for _, run in groupby(enumerate(dict.fromkeys(numbers)), key=lambda pair: pair[1] - pair[0]):
        span = [number for _, number in run]
        found.append(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}")
    return ",".join(found)

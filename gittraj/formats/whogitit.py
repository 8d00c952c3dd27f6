"""whogitit's notes, ``refs/notes/whogitit``: one JSON object per commit, in versions 2 and 3 of the format.

A note has the prompts since the session's previous commit, and for each line whether the agent wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.notes_file import Note, NotesFile, parse_json
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Edit, Item
from gittraj.model.values import Json, Prompt

name = "whogitit"
agent = "claude-code"

_BY_AGENT = ("AI", "AIModified")


def _session_ids(note: Note) -> list[str] | None:
    content = parse_json(note.text)
    known = isinstance(content.get("files"), list) and isinstance(content.get("prompts"), list)
    session = coerce.text(coerce.at(content, "session", "session_id"))
    return [session] if known and session else None


def _read_note(note: Note, _session: str) -> Iterator[Item]:
    content = parse_json(note.text)
    model = coerce.mapping(coerce.at(content, "session", "model"))
    yield from facts(model=coerce.text(model.get("id")))
    for number, asked in enumerate(coerce.objects(content.get("prompts"))):
        ts, text = coerce.stamp(asked.get("timestamp")), coerce.string(asked.get("text"))
        yield note.entry(Prompt(id=f"{note.prefix}.{number}:prompt", ts=ts, content=text))
    ranges: dict[str, Json] = {
        path: lines
        for file in coerce.objects(content.get("files"))
        if (path := coerce.text(file.get("path"))) and (lines := _ranges(coerce.objects(file.get("lines"))))
    }
    text = "; ".join(f"{path} {lines}" for path, lines in ranges.items())
    text = f"whogitit: {text or 'no line of this commit is by the agent'}"
    edits = [Edit(path=path) for path in ranges]
    yield from note.closing(text, edits=edits, tags=("attribution",), raw={"lines": ranges})


def _ranges(lines: list[dict[str, Any]]) -> str:
    """The numbers of the agent's lines, as ``1-3,5``."""
    numbers = sorted(
        number
        for line in lines
        if coerce.at(line, "source", "type") in _BY_AGENT
        and (number := coerce.number(line.get("line_number"))) is not None
    )
    ranges: list[str] = []
    for _, group in groupby(enumerate(dict.fromkeys(numbers)), key=lambda pair: pair[1] - pair[0]):
        span = [number for _, number in group]
        ranges.append(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}")
    return ",".join(ranges)


_STORE = NotesFile(_session_ids, _read_note)
detect, sessions, read = _STORE.detect, _STORE.sessions, _STORE.read

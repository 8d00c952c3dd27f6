"""Qwen Code's notes, ``refs/notes/ai-attribution``: how many characters of a commit are the agent's.

These notes name neither sessions nor lines: each note is read as a session of its own. A share of characters
does not prove that any work led to the commit, so the session is recorded as one that started at the commit,
and does not count as a record of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.formats.base import coerce
from gittraj.formats.base.notes_file import Note, NotesFile, parse_json
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Item

name = "ai-attribution"
agent = "qwen-code"


def _session_ids(note: Note) -> list[str] | None:
    is_attribution = {"generator", "files", "surfaceBreakdown"} <= parse_json(note.text).keys()
    return [f"{name}.{note.commit}"] if is_attribution else None


def _read_note(note: Note, _session: str) -> Iterator[Item]:
    content = parse_json(note.text)
    yield from facts(start_commit=note.commit, model=coerce.text(content.get("generator")))
    summary = coerce.mapping(content.get("summary"))
    share, chars = coerce.count(summary.get("aiPercent")), coerce.count(summary.get("aiChars"))
    text = f"Qwen Code: {share} % of the characters changed, {chars}, are by the agent"
    raw = {"summary": summary, "files": coerce.mapping(content.get("files"))}
    yield from note.closing(text, tags=("attribution",), raw=raw, proves=False)


_STORE = NotesFile(_session_ids, _read_note)
detect, sessions, read = _STORE.detect, _STORE.sessions, _STORE.read

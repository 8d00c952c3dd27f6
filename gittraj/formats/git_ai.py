"""git-ai's authorship logs, ``refs/notes/ai``, by the Git AI Standard 3.0.0: who wrote a commit's lines.

Above a line ``---`` are files, each followed by lines with a key and line ranges; below it is a JSON object
with the agent's session of each key. Older notes also contain all messages of the session so far.
Keys that begin with ``h_`` mark a person's lines, not those of an agent's session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.notes_file import Note, NotesFile, name_agent, parse_json
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Edit, Entry, Item
from gittraj.model.values import AnyEvent, Message, NoteEvent, Prompt, Thinking, ToolCall

name = "git-ai"
agent = "claude-code"

_SCHEMA = "authorship/"
_DIVIDER = re.compile(r"^---\r?$", re.MULTILINE)
_KEY = re.compile(r"  (\S+) (\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)\r?")
_COUNTS = ("total_additions", "total_deletions", "accepted_lines", "overriden_lines")


@dataclass(slots=True)
class _Work:
    """What a note says about one session: its record, and ranges of lines by file."""

    record: dict[str, Any]
    ranges: dict[str, list[str]] = field(default_factory=dict)

    @property
    def session(self) -> str | None:
        return coerce.text(coerce.mapping(self.record.get("agent_id")).get("id"))


def read(path: Path, session: str) -> Iterator[Item]:
    return NotesFile(_session_ids, _Reading().items).read(path, session)


def _session_ids(note: Note) -> list[str] | None:
    works = _parse(note.text)
    return None if works is None else list(dict.fromkeys(w.session for w in works.values() if w.session))


class _Reading:
    def __init__(self) -> None:
        self._reported: list[dict[str, Any]] = []  # the messages of the last note that has any

    def items(self, note: Note, session: str) -> Iterator[Item]:
        works = [work for work in (_parse(note.text) or {}).values() if work.session == session]
        for work in works:
            tool, author = work.record["agent_id"], coerce.text(work.record.get("human_author"))
            yield from facts(agent=name_agent(tool.get("tool")), model=coerce.text(tool.get("model")))
            yield from facts(participant=author and f"{author}:human")
            yield from self._messages(note, work)
        yield from _closing(note, works)

    def _messages(self, note: Note, work: _Work) -> Iterator[Entry]:
        """Yield the messages that no earlier note had."""
        messages = coerce.objects(work.record.get("messages"))
        known = len(self._reported) if messages[: len(self._reported)] == self._reported else 0
        for number, message in enumerate(messages[known:], known):
            event = _event(f"{note.prefix}.{number}", message)
            if event is not None:
                yield note.entry(event)
        self._reported = messages or self._reported


def _event(event_id: str, message: dict[str, Any]) -> AnyEvent | None:
    common: dict[str, Any] = {
        "id": event_id,
        "ts": coerce.stamp(message.get("timestamp")),
        "content": coerce.string(message.get("text")),
    }
    match message.get("type"):
        case "user":
            return Prompt(**common)
        case "assistant":
            return Message(**common)
        case "thinking":
            return Thinking(**common)
        case "plan":
            return NoteEvent(**common, kind="note", tags=("plan",))
        case "tool_use":
            tool = coerce.text(message.get("name")) or "unknown"
            return ToolCall(**common, name=tool, arguments=message.get("input"), call_id=event_id)
        case _:
            return None


def _closing(note: Note, works: list[_Work]) -> Iterator[Item]:
    """The items for what the note says about the commit itself."""
    ranges: dict[str, list[str]] = {}
    for work in works:
        for path, numbers in work.ranges.items():
            ranges.setdefault(path, []).extend(numbers)
    text = "; ".join(f"{path} {','.join(numbers)}" for path, numbers in ranges.items())
    counts = {key: count for w in works for key in _COUNTS if (count := coerce.number(w.record.get(key)))}
    text = f"git-ai: {text or 'no line of this commit is left of it'}"
    raw = {"lines": {path: ",".join(numbers) for path, numbers in ranges.items()}, **counts}
    edits = [Edit(path=path) for path in ranges]
    return note.closing(text, edits=edits, tags=("attribution",), raw=raw)


def _parse(text: str) -> dict[str, _Work] | None:
    """The sessions of agents in a note, by their keys; None if the text is not an authorship log."""
    divider = _DIVIDER.search(text)
    fields = parse_json(text[divider.end() :]) if divider else {}
    if divider is None or not coerce.string(fields.get("schema_version")).startswith(_SCHEMA):
        return None
    records = coerce.mapping(fields.get("prompts")) | coerce.mapping(fields.get("sessions"))
    works = {key: _Work(record) for key, record in records.items() if isinstance(record, dict)}
    _add_ranges(works, text[: divider.start()])
    return works


def _add_ranges(works: dict[str, _Work], files: str) -> None:
    """Add the ranges in ``files``, the text above the divider, to the sessions that they belong to."""
    path = ""
    for line in files.splitlines():
        if entry := _KEY.fullmatch(line):
            work = works.get(entry[1].partition("::")[0])
            if work is not None and path:
                work.ranges.setdefault(path, []).append(entry[2])
        elif line and not line.startswith(" "):
            path = line[1:-1] if len(line) > 1 and line[0] == line[-1] == '"' else line


_STORE = NotesFile(_session_ids, _Reading().items)
detect, sessions = _STORE.detect, _STORE.sessions

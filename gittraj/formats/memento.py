"""git-memento's notes, ``refs/notes/commits`` or another ref: the session of a commit as Markdown.

A note has one session, or several, each between two comments. It only proves that somebody chose the session
for the commit. The head of a session names the speakers: the committer and the provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from gittraj.formats.base.notes_file import Note, NotesFile, name_agent
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Item
from gittraj.model.values import AnyEvent, Message, NoteEvent, Prompt

name = "git-memento"
agent = "claude-code"

_TITLE = "# Git Memento Session"
_STARTS = re.compile(r"^<!-- git-memento-session:start -->$", re.MULTILINE)
_ENDS = re.compile(r"^<!-- git-memento-session:end -->$", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(?=<!-- git-memento-)", re.MULTILINE)
_FIELD = re.compile(r"^- (Provider|Session ID|Session Title|Committer): (\S[^\n]*)$", re.MULTILINE)
_CONVERSATION = "\n## Conversation\n"
_SPEAKER = re.compile(r"^### (\S[^\n]*)$", re.MULTILINE)


def _read_note(note: Note, session: str) -> Iterator[Item]:
    for head, text in _parse(note.text):
        if head["Session ID"] == session:
            yield from _items(note, head, text)


def _session_ids(note: Note) -> list[str] | None:
    ids = [head["Session ID"] for head, _ in _parse(note.text)]
    return list(dict.fromkeys(ids)) or None


def _envelopes(note: str) -> Iterator[str]:
    """The texts between a start comment and its end comment, up to the first without an end, in one pass."""
    end = 0
    while (started := _STARTS.search(note, end)) and (ended := _ENDS.search(note, started.end())):
        yield note[started.end() : ended.start()]
        end = ended.end()


def _parse(note: str) -> list[tuple[dict[str, str], str]]:
    """The head and the conversation of each session."""
    plain = note.replace("\r\n", "\n")
    entries = [_ESCAPED.sub("", text).strip() for text in _envelopes(plain)] or [plain.strip()]
    sessions: list[tuple[dict[str, str], str]] = []
    for entry in entries:
        head, divider, text = entry.partition(_CONVERSATION)
        fields = dict(_FIELD.findall(head))
        if entry.startswith(_TITLE) and divider and {"Provider", "Session ID"} <= fields.keys():
            sessions.append((fields, text))
    return sessions


def _items(note: Note, head: dict[str, str], text: str) -> Iterator[Item]:
    yield from facts(agent=name_agent(head["Provider"].lower()), title=head.get("Session Title"))
    event_types: dict[str | None, Callable[..., AnyEvent]] = {
        head.get("Committer"): Prompt,
        head["Provider"]: Message,
    }
    parts = _SPEAKER.split(text)
    turns: list[tuple[str, str]] = []
    for speaker, words in zip(parts[1::2], parts[2::2], strict=True):
        if speaker in event_types or speaker in ("System", "Tool"):
            turns.append((speaker, words))
        elif turns:  # a heading inside somebody's text
            turns[-1] = (turns[-1][0], f"{turns[-1][1]}### {speaker}{words}")
    for number, (speaker, words) in enumerate(turns):
        common: dict[str, Any] = {"id": f"{note.prefix}.{number}", "content": words.strip()}
        event_type = event_types.get(speaker)
        event: AnyEvent = (
            event_type(**common) if event_type else NoteEvent(**common, kind="note", tags=(speaker.lower(),))
        )
        if common["content"]:
            yield note.entry(event)
    yield from note.closing("git-memento: noted on this commit")


_STORE = NotesFile(_session_ids, _read_note)
detect, sessions, read = _STORE.detect, _STORE.sessions, _STORE.read

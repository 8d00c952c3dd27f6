"""Reads another tool's notes on commits, from one file with one line per note, the oldest commit first.

A line is ``{"commit": full id, "time": the commit's, in seconds, "note": text}``. A session's notes together
are its log. Ids of events begin with ``note.`` and the commit's id: events of the agent's log replace them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.base import coerce, lines
from gittraj.formats.base.document import read_head
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.model.session_items import Damage, Edit, Entry, Fact, Item, TurnEnd
from gittraj.model.values import AnyEvent, NoteEvent

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT = 12
_TRUSTED = frozenset(("commit", "note"))
_KEYS = frozenset(("commit", "time", "note"))
_NOTE = re.compile(rb'\s*\{\s*"(?:commit|time|note)"\s*:')
SessionIds = Callable[["Note"], Iterable[str] | None]
"""Returns the ids of a note's sessions; None if its text cannot be parsed."""
ReadNote = Callable[["Note", str], Iterable[Item]]
"""Returns the items of one session of a note, by the session's id."""

_AGENTS = {"claude": "claude-code", "gemini": "gemini-cli", "github-copilot": "copilot"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The ``text`` on ``commit``, whose time is ``ts``; ``end`` is the end of the note's line in the file."""

    commit: str
    ts: str | None
    text: str
    end: int

    @property
    def prefix(self) -> str:
        """The beginning of the ids of the note's events."""
        return f"note.{self.commit[:_SHORT]}"

    def entry(self, event: AnyEvent) -> Entry:
        return Entry(event=event, end=self.end)

    def closing(
        self, content: str, *, edits: Iterable[Edit] = (), proves: bool = True, **known: Any
    ) -> Iterator[Item]:
        """Yield what the note says about the commit itself, and the end of the session's turn. ``proves``:
        the note proves that the session led to the commit."""
        common = {"id": f"{self.prefix}:note", "ts": self.ts} | known
        event = NoteEvent(**common, content=content, kind="note")
        yield Entry(event=event, end=self.end, edits=tuple(edits), on=self.commit if proves else None)
        yield TurnEnd(end=self.end)


@dataclass(frozen=True, slots=True)
class NotesFile:
    """The store of a format. ``session_ids`` returns None for a note that is not in this format."""

    session_ids: SessionIds
    read_note: ReadNote

    def detect(self, path: Path) -> bool:
        """Whether the file contains a note of this tool, and only notes before it. All of the file may be
        read, as one note may be longer than the head."""
        if not _NOTE.match(read_head(path)):
            return False
        with path.open("rb") as stream:
            for fragment in Lines(stream, trusted=_TRUSTED):
                if isinstance(fragment, Damage) or fragment.value.keys() != _KEYS:
                    return False
                if (note := _note(fragment)) and self.session_ids(note) is not None:
                    return True
        return False

    def sessions(self, path: Path) -> Iterator[str]:
        """The ids of the sessions. Raises OSError."""
        yield from _sessions_of(path, self.session_ids)[0]

    def read(self, path: Path, session: str) -> Iterator[Item]:
        """Yield the items of one session. Raises OSError, or FormatError if it is no longer there."""
        starts, damages = _sessions_of(path, self.session_ids)
        if session not in starts:
            raise FormatError(f"{path} contains no session {session}")
        yield Fact(name="session", value=session)
        for note in _notes(path, starts[session]):
            yield from self.read_note(note, session)
        yield from damages


def parse_json(text: str) -> dict[str, Any]:
    """The JSON object in a note's text; empty if the text is not a JSON object."""
    return coerce.mapping(coerce.parsed(text))


_Sessions = tuple[Mapping[str, Sequence[int]], Sequence[Damage]]
"""The byte offsets of each session's notes; and the lines that are not notes."""


def _sessions_of(path: Path, session_ids: SessionIds) -> _Sessions:
    stat = path.stat()
    return _sessions(path, stat.st_size, stat.st_mtime_ns, session_ids)


@lru_cache(maxsize=1)  # each session of a file is read separately, and there may be thousands
def _sessions(path: Path, _size: int, _changed: int, session_ids: SessionIds) -> _Sessions:
    starts: dict[str, list[int]] = {}
    damages: list[Damage] = []
    with path.open("rb") as stream:
        for fragment in Lines(stream, trusted=_TRUSTED):
            if isinstance(fragment, Damage):
                damages.append(fragment)
            elif (note := _note(fragment)) is not None:
                names = session_ids(note)
                for session in names or ():
                    starts.setdefault(session, []).append(fragment.start)
                if names is None:
                    damages.append(
                        Damage(at=fragment.start, why=f"the note of {note.commit[:_SHORT]} is another tool's")
                    )
    return starts, damages


def _notes(path: Path, starts: Iterable[int]) -> Iterator[Note]:
    """The notes at these byte offsets."""
    with path.open("rb") as stream:
        for start in starts:
            stream.seek(start)
            line = io.BytesIO(stream.readline(lines.LIMIT))
            for fragment in Lines(line, trusted=_TRUSTED):
                if isinstance(fragment, Fragment) and (note := _note(fragment)) is not None:
                    yield note


def _note(record: Fragment) -> Note | None:
    commit, text = (coerce.string(record.value.get(key)) for key in ("commit", "note"))
    if not _COMMIT.fullmatch(commit):
        return None
    return Note(commit=commit, ts=coerce.stamp(record.value.get("time")), text=text, end=record.end)


def name_agent(tool: Any) -> str:
    """git-traj's name for an agent that tools which write such notes call ``tool``."""
    name = coerce.text(tool) or "unknown"
    return _AGENTS.get(name, name)

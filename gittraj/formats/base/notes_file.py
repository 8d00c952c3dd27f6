"""Notes that another tool left on commits, brought into one file: a line a note, the oldest commit first.

``{"commit": full id, "time": its committer's in seconds, "note": text}``. A session's notes together are its
log; ids of events bear the commit and begin with ``note.``: they are less than what the agent's own log says.
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
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.formats.base.peek import read_head
from gittraj.model.session_items import Cursor, Damage, Fact, Item

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT = 12
_TRUSTED = frozenset(("commit", "note"))
_KEYS = frozenset(("commit", "time", "note"))
Names = Callable[["Note"], Iterable[str] | None]
"""From a note to the ids of its sessions; None if its text cannot be parsed."""

_AGENTS = {"claude": "claude-code", "gemini": "gemini-cli", "github-copilot": "copilot"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The ``text`` on ``commit``; ``end`` is where it ends in the file."""

    commit: str
    ts: str | None
    text: str
    end: int

    @property
    def prefix(self) -> str:
        """How the ids of its events begin."""
        return f"note.{self.commit[:_SHORT]}"


@dataclass(frozen=True, slots=True)
class Sessions:
    """``starts``: the byte offsets of each session's notes; ``damages``: the lines that are not notes."""

    starts: Mapping[str, Sequence[int]]
    damages: Sequence[Damage]


def first_texts(path: Path) -> Iterator[str]:
    """The texts of the first notes, if the file holds notes."""
    for record in lines.head(read_head(path)):
        if record.keys() != _KEYS:
            return
        yield coerce.text(record["note"]) or ""


def read_session(
    path: Path, session: str, name_sessions: Names, read_note: Callable[[Note], Iterator[Item]]
) -> Iterator[Item]:
    """The items of one session; ``read_note`` returns those of a note. Raises OSError, or FormatError if the
    session is not in the file any more."""
    sessions = sessions_of(path, name_sessions)
    if session not in sessions.starts:
        raise FormatError(f"{path} contains no session {session}")
    yield Fact(name="session", value=session)
    for note in _notes(path, sessions.starts[session]):
        yield from read_note(note)
    yield from sessions.damages


def sessions_of(path: Path, name_sessions: Names) -> Sessions:
    """Where the notes of each session are. Raises OSError."""
    stat = path.stat()
    return _sessions(path, stat.st_size, stat.st_mtime_ns, name_sessions)


@lru_cache(maxsize=1)  # every session of a file is read alone, and there may be thousands
def _sessions(path: Path, _size: int, _changed: int, name_sessions: Names) -> Sessions:
    starts: dict[str, list[int]] = {}
    damages: list[Damage] = []
    with path.open("rb") as stream:
        for fragment in Lines(stream, Cursor(), trusted=_TRUSTED):
            if isinstance(fragment, Damage):
                damages.append(fragment)
            elif (note := _note(fragment)) is not None:
                names = name_sessions(note)
                for session in names or ():
                    starts.setdefault(session, []).append(fragment.start)
                if names is None:
                    damages.append(
                        Damage(at=fragment.start, why=f"the note of {note.commit[:_SHORT]} is another")
                    )
    return Sessions(starts, damages)


def _notes(path: Path, starts: Iterable[int]) -> Iterator[Note]:
    """The notes at these byte offsets."""
    with path.open("rb") as stream:
        for start in starts:
            stream.seek(start)
            line = io.BytesIO(stream.readline(lines.LIMIT))
            for fragment in Lines(line, Cursor(), trusted=_TRUSTED):
                if isinstance(fragment, Fragment) and (note := _note(fragment)) is not None:
                    yield note


def _note(record: Fragment) -> Note | None:
    commit, text = (coerce.text(record.value.get(key)) or "" for key in ("commit", "note"))
    if not _COMMIT.fullmatch(commit):
        return None
    return Note(commit=commit, ts=coerce.stamp(record.value.get("time")), text=text, end=record.end)


def name_agent(tool: Any) -> str:
    """What git-traj calls an agent that such tools call ``tool``."""
    name = coerce.text(tool) or "unknown"
    return _AGENTS.get(name, name)

"""Stores how far this clone has read, and what it must not read.

``cursors.json`` is a cache: how far logs and reflogs were read, and what was written for them; without it the
next drain rebuilds it from the refs. ``off.json`` is not a cache: events of a time when recording was
suspended are never read, even later.
"""

import json
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TypeVar

from gittraj.errors import FormatError
from gittraj.frozen import dataclass
from gittraj.model.codec import dump, from_json, to_json
from gittraj.model.session_items import Cursor
from gittraj.model.values import Evidence, Range, SegmentRef, Usage
from gittraj.state.folder import LocalState, relative_names, replace_file
from gittraj.state.sharing import own_folder

T = TypeVar("T")
VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchored:
    """A call that made commits. ``stored`` is false if its part must never be written."""

    call: str
    commits: tuple[str, ...]
    evidence: Evidence
    stored: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A part that is in the refs, or is ``parked``: it could not be redacted. ``output``: it is not
    from the session's own log, but from the agent's printed output or a similar source. ``calls`` is how many
    model calls the log states for it."""

    range: Range
    commits: tuple[str, ...]
    files: tuple[str, ...] = ()
    segments: tuple[SegmentRef, ...] = ()
    explored: bool = False
    parked: bool = False
    cost: float | None = None
    calls: int | None = None
    usage: Usage | None = None
    rev: int = 1
    output: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """The known state of a session. ``size`` is its log's size in bytes when it was last read; ``facts`` are
    from the log before the cursor (no text). ``open_paths`` were written by the session and are not committed
    yet; ``left`` are those of them that were written before the cursor; ``taken`` are commits that contain
    lines of the session. ``waiting`` is the number of events that are in no part yet. ``settled``: only a
    commit or a prompt can still add to it. ``searched`` is how many known secrets (keyed hashes in
    ``live.json``) its parts were last searched for."""

    agent: str
    session: str
    path: str
    size: int = 0
    cursor: Cursor = field(default_factory=Cursor)
    anchors: tuple[Anchored, ...] = ()
    parts: tuple[Stored, ...] = ()
    open_paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    waiting: int = 0
    settled: bool = True
    searched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A commit whose hook's environment names a session or shows an agent (``mark``), but no log has its call
    yet. ``since`` is in seconds since 1970; ``size`` is that of the log, in bytes, when it was last read;
    ``stored`` is false if recording was off or git-traj was not installed. The other fields are those of
    ``capture.session.Commit``."""

    commit: str
    kind: str
    sessions: tuple[str, ...]
    since: float
    call: str | None = None
    mark: str | None = None
    terminal: bool = False
    stored: bool = True
    size: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The cursors. ``logs`` are the paths that agents' hooks reported, by session (``agent:session``), the
    latest last. ``gathered`` are the ``rewrites`` that were squashes. ``notes`` is the tip of the records ref
    whose tombstones are known; ``whole`` is the tip up to which no overwritten record is missing; ``tips``
    are those of our refs after the last drain. ``mapped`` is the stamp of ``git filter-repo``'s map."""

    version: int = VERSION
    spool: int = 0
    reflogs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sessions: Mapping[str, SessionState] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)
    waiting: tuple[Waiting, ...] = ()
    rewrites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gathered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: str | None = None
    whole: str | None = None
    tips: Mapping[str, str] = field(default_factory=dict)
    mapped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Bytes of a log that were written while recording was off; ``end`` is None while it still is."""

    start: int
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A time (in seconds since 1970) from which no event is read, for all sessions or one
    (``agent:session``). ``by_environment``: the agent ran with ``GIT_TRAJ=0``, until it ran without."""

    since: float
    until: float | None = None
    session: str | None = None
    by_environment: bool = False

    def covers(self, time: float) -> bool:
        """Whether the pause includes ``time``, which is as in logs: rounded down to whole milliseconds."""
        return self.since - 0.001 < time and (self.until is None or time <= self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Away:
    """The parts of one log that are not read: spans of bytes, and events with a time in a pause."""

    spans: tuple[Span, ...] = ()
    pauses: tuple[Pause, ...] = ()


NEVER_AWAY = Away()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspension:
    """The parts of logs that are never read: all since ``paused`` (in seconds since 1970; None: not paused),
    the ``commits`` and parts of ``sessions`` made in earlier ``pauses``, and ``forgotten`` trajectories."""

    paused: float | None = None
    pauses: tuple[Pause, ...] = ()
    commits: tuple[str, ...] = ()
    sessions: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    forgotten: tuple[str, ...] = ()

    def is_paused(self, session: str) -> bool:
        """Whether this session (``agent:session``) is paused now."""
        spans = self.sessions.get(session, ())
        return bool(spans) and spans[-1].end is None

    def away(self, session: str, *, subagent: str | None = None) -> Away:
        """The parts that are not read of the log of a session (``agent:session``), or of an agent it started:
        in that agent's file only the times show what was written while recording was off."""
        pauses = tuple(p for p in self.pauses if p.session in (None, session))
        return Away(spans=() if subagent else self.sessions.get(session, ()), pauses=pauses)


def load_state(folder: Path) -> State | None:
    """Load the cursors. Return None if this version cannot use them: they are then rebuilt from the refs."""
    state = _load(State, own_folder(folder) / "cursors.json")
    if state is None or state.version != VERSION:
        return None
    if not all(len(stored) == 2 and stored[0].isdecimal() for stored in state.reflogs.values()):
        return None
    return replace(state, reflogs=relative_names(state.reflogs))


def load_suspension(folder: Path) -> Suspension:
    """Load what must not be read. Raises FormatError if the file is damaged: reading nothing is better than
    reading too much."""
    path = folder / "off.json"
    if not path.exists():
        return Suspension()
    off = _load(Suspension, path)
    if off is None:
        raise FormatError(f"{path} is damaged", "restore it, or remove it to read everything again")
    return off


def save(folder: Path, value: State | Suspension) -> None:
    """Write atomically. Raises StoreError."""
    body = dump(to_json(value))
    if isinstance(value, State):
        replace_file(LocalState(folder).own("cursors.json"), body)
    else:
        replace_file(folder / "off.json", body, like=folder.parent / "objects")


def _load(cls: type[T], path: Path) -> T | None:
    try:
        return from_json(cls, json.loads(path.read_bytes()))
    except (OSError, ValueError, FormatError):
        return None

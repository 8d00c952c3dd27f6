"""How far this clone has read, and what it must not read.

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
    """A call that made commits. ``stored`` is false when its part must never be written."""

    call: str
    commits: tuple[str, ...]
    evidence: Evidence
    stored: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A part that is in the refs. ``output``: read from an agent's output, not from its log."""

    range: Range
    commits: tuple[str, ...]
    files: tuple[str, ...] = ()
    segments: tuple[SegmentRef, ...] = ()
    explored: bool = False
    parked: bool = False
    cost: float | None = None
    usage: Usage | None = None
    rev: int = 1
    output: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """``size``: bytes of the log when last read. ``facts`` from the log before the cursor (no text).
    ``open_paths``: written by the session, not committed yet; ``left``: those of them written before the
    cursor. ``taken``: commits that contain some of those lines. ``settled``: only a commit or a prompt can
    still add to it. ``searched``: how many known secrets (keyed hashes in ``live.json``) its parts were last
    searched for."""

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
    yet. ``since``: seconds since the epoch; ``size``: bytes of that log when last read."""

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
    """``logs``: the paths that agents' hooks reported by session (``agent:session``), the latest last.
    ``gathered``: the ``rewrites`` that were squashed. ``notes``: the tip of the records ref whose tombstones
    are known; ``whole``: the tip up to which no overwritten record is missing; ``tips``: where our refs were
    after the last drain. ``mapped``: which map of ``git filter-repo`` was followed."""

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
    """Bytes of a log that were written while suspended; ``end`` is None while that is still so."""

    start: int
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A time (seconds since the epoch) of which nothing is read, for any session or one (``agent:session``).
    ``by_environment``: the agent ran with ``GIT_TRAJ=0``, until it ran without."""

    since: float
    until: float | None = None
    session: str | None = None
    by_environment: bool = False

    def covers(self, time: float) -> bool:
        """Whether it includes ``time``, which is as in logs: rounded down to whole milliseconds."""
        return self.since - 0.001 < time and (self.until is None or time <= self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Away:
    """Those parts of one log that are not read: spans of bytes, and events with a time in a pause."""

    spans: tuple[Span, ...] = ()
    pauses: tuple[Pause, ...] = ()


NEVER_AWAY = Away()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspension:
    """What is never read: everything since ``paused`` (seconds since the epoch; None: not paused now), the
    ``commits`` and parts of ``sessions`` made in earlier ``pauses``, and ``forgotten`` trajectories."""

    paused: float | None = None
    pauses: tuple[Pause, ...] = ()
    commits: tuple[str, ...] = ()
    sessions: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    forgotten: tuple[str, ...] = ()

    def away(self, session: str, *, subagent: str | None = None) -> Away:
        """The parts not to read of the log of a session (``agent:session``), or of an agent that it started:
        in that agent's file only the times show what was written while switched off."""
        pauses = tuple(p for p in self.pauses if p.session in (None, session))
        return Away(spans=() if subagent else self.sessions.get(session, ()), pauses=pauses)


def load_state(folder: Path) -> State | None:
    """Return None when this version cannot use it: it is then rebuilt from the refs."""
    state = _load(State, own_folder(folder) / "cursors.json")
    if state is None or state.version != VERSION:
        return None
    if not all(len(stored) == 2 and stored[0].isdecimal() for stored in state.reflogs.values()):
        return None
    return replace(state, reflogs=relative_names(state.reflogs))


def load_suspension(folder: Path) -> Suspension:
    """Raises FormatError when the file is damaged: then nothing may be read, rather than too much."""
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

"""Local state, in ``traj/`` of the common git directory.

Two files of different worth. ``cursors.json`` is a cache: how far logs and reflogs were read and what was
written for them; without it the next drain reads the refs. ``off.json`` is a promise: what was switched
off stays unread for ever, so it is not a cache.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from gittraj.errors import FormatError, unwritable
from gittraj.model.codec import dump, from_json, to_json
from gittraj.model.session_items import Cursor
from gittraj.model.values import Evidence, Range, SegmentRef, Usage
from gittraj.state.folder import discard

T = TypeVar("T")
VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchored:
    """A call that made commits. ``stored`` is false where its part must never be written."""

    call: str
    commits: tuple[str, ...]
    evidence: Evidence
    stored: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A part that stands in the refs. ``output``: it was not read in the session's own log."""

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
    """``size``: bytes of the log when last read. ``facts``: what the log said of itself above the cursor
    (no text). ``open_paths``: written by the session and not committed yet; ``left``: those of them that
    were written above the cursor. ``taken``: commits that took some of those lines. ``settled``: nothing
    of it waits for anything but a commit or a prompt. ``searched``: how many secrets (the keyed hashes of
    ``live.json``) were known when its parts were last searched for them."""

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
    """A commit whose hook named a session in which its call is not to be found yet. ``since``: seconds
    since the epoch; ``size``: bytes of that log at the last look."""

    commit: str
    kind: str
    sessions: tuple[str, ...]
    since: float
    call: str | None = None
    size: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """``logs``: where agents' hooks said that a session (``agent:session``) has its log, the latest last.
    ``gathered``: those of the ``rewrites`` that went into a squash.
    ``notes``: the tip of the records ref whose tombstones are known; ``whole``: the one up to which nothing
    in it is lost."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Bytes of a log written while switched off; ``end`` is ``None`` while that lasts."""

    start: int
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Off:
    """``paused``: since when nothing is read (seconds since the epoch). ``forgotten``: trajectories of which
    nothing is ever read again."""

    paused: float | None = None
    commits: tuple[str, ...] = ()
    sessions: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    forgotten: tuple[str, ...] = ()


def size_of(path: Path) -> int:
    """Bytes of a log; -1 for what is not there. Of a database, whose last changes overwrite each other in a
    file beside it, the time of the last in milliseconds: it changes as the log does, and that is asked."""
    try:
        return int(written_at(path) * 1000) if _beside(path).exists() else path.stat().st_size
    except OSError:
        return -1


def written_at(path: Path) -> float:
    """When a log last grew, in seconds since 1970. Raises OSError."""
    beside = _beside(path)
    return max(each.stat().st_mtime for each in (path, beside) if each is path or each.exists())


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def load_state(folder: Path) -> State | None:
    """``None`` when there is none that this version can use: it will be made anew from the refs."""
    state = _load(State, folder / "cursors.json")
    return state if state and state.version == VERSION else None


def load_off(folder: Path) -> Off:
    """Raises FormatError when the file is damaged: then nothing may be read, rather than too much."""
    path = folder / "off.json"
    if not path.exists():
        return Off()
    off = _load(Off, path)
    if off is None:
        raise FormatError(f"{path} is damaged", "restore it, or remove it to read everything again")
    return off


def save(folder: Path, value: State | Off) -> None:
    """Whole or not at all."""
    path = folder / ("cursors.json" if isinstance(value, State) else "off.json")
    fresh = path.with_suffix(f".{os.getpid()}")
    try:
        with fresh.open("wb") as stream:
            stream.write(dump(to_json(value)))
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as error:
        discard(fresh)
        raise unwritable(path, error) from None


def _load(cls: type[T], path: Path) -> T | None:
    try:
        return from_json(cls, json.loads(path.read_bytes()))
    except (OSError, ValueError, FormatError):
        return None

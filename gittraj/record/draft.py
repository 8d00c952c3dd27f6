"""The pipeline's input and output: values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from gittraj.model.values import FileChanged, Key, Line, Link, Role, SegmentRef, ToolCall, Trajectory
from gittraj.record.rewrite_segments import Renewal


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A commit that a part belongs to, and why."""

    commit: str
    link: Link
    role: Role = "produced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A part before redaction.

    ``positions`` says where its events are in the trajectory. ``also`` are earlier segments that wrote files
    of the commit, or keys of earlier parts of the same batch. ``calls`` are the calls of its results that are
    outside the part, or contain more than the part keeps of them. ``earlier`` are the segments of parts that
    are stored already; they were searched for the ``searched`` secrets known then. ``dropped`` is how many
    calls worked elsewhere; ``outside`` are the ids of results whose text is not stored. ``api_calls`` is
    the number of model calls that the log states, if its events do not show them. ``branch`` was checked out
    when the log began. ``source`` is the path of the log, which stays on this machine."""

    trajectory: Trajectory
    positions: tuple[int, ...]
    targets: tuple[Target, ...]
    files: tuple[FileChanged, ...] = ()
    also: tuple[SegmentRef | Key, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    earlier: tuple[SegmentRef, ...] = ()
    searched: int = 0
    dropped: int = 0
    outside: frozenset[str] = frozenset()
    rev: int = 1
    cost_usd: float | None = None
    api_calls: int | None = None
    branch: str | None = None
    source: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A part that could not be redacted: its log, its first and last event, and why; never its text."""

    source: str
    first: str
    last: str
    why: str


@dataclass(slots=True, kw_only=True)
class Written:
    """The result of a batch. ``segments`` are those of each part, also of earlier parts that were written
    again; ``commits`` are those whose notes changed; ``parked`` are parts that could not be redacted;
    ``exposed`` are trajectories with a secret that became known after it was pushed. ``remark`` is one line
    for the user about how thinking was sealed; ``searched`` is how many secrets were known."""

    segments: dict[Key, tuple[SegmentRef, ...]] = field(default_factory=dict)
    commits: set[str] = field(default_factory=set)
    parked: list[Parked] = field(default_factory=list)
    exposed: set[str] = field(default_factory=set)
    remark: str | None = None
    searched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Redacted parts. ``lines`` are their records and other lines of notes, with their commits; ``blobs`` are
    the ids of blobs with their events, by path on the data ref of ``month``. ``learned`` are keyed hashes of
    secrets that were found now; ``renewals`` are earlier parts that contained such a secret."""

    month: str
    lines: tuple[tuple[str, Line], ...] = ()
    blobs: Mapping[str, str] = field(default_factory=dict)
    learned: frozenset[str] = frozenset()
    renewals: tuple[Renewal, ...] = ()
    written: Written = field(default_factory=Written)


def this_month() -> str:
    """The month of the data ref that is written now."""
    return datetime.now(UTC).strftime("%Y-%m")

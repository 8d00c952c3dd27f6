"""Shortcuts for tests that write records and segments as a drain would."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gittraj.git import Repository
from gittraj.model.codec import decode_note, encode_note, encode_segments, segment_path
from gittraj.model.values import (
    AnyEvent,
    Line,
    Link,
    PartSummary,
    Range,
    Record,
    Role,
    SegmentRef,
    SessionInfo,
)
from gittraj.notes.store import DataRefs, NotesRef

MONTH = "2020-03"


def record(
    trajectory: str = "traj_one",
    *,
    at: int = 0,
    n: int = 1,
    link: Link | None = None,
    role: Role = "produced",
    rev: int = 1,
    whole: SessionInfo | None = None,
    segments: Sequence[SegmentRef] = (),
    also: Sequence[SegmentRef] = (),
    **figures: Any,
) -> Record:
    """A record of a part with ``n`` events, beginning with event ``e<at>``."""
    return Record(
        id=trajectory,
        rev=rev,
        role=role,
        link=link or Link(evidence="agent", call="call"),
        range=Range(first=f"e{at}", last=f"e{at + n - 1}", n=n, at=at),
        figures=PartSummary(**figures),
        whole=whole or SessionInfo(agent="claude-code", session="s1"),
        segments=tuple(segments),
        also=tuple(also),
    )


@dataclass(frozen=True, slots=True)
class Story:
    """Writes notes and segments into one repository."""

    repository: Repository

    def note(self, commit: str, *lines: Line) -> None:
        def add(body: bytes) -> bytes:
            return encode_note([*decode_note(body), *lines])

        NotesRef(self.repository).write({commit: add}, message="git-traj: a test")

    def notes(self, records: Mapping[str, Line]) -> None:
        """Write many notes at once."""
        bodies = {commit: encode_note([line]) for commit, line in records.items()}
        NotesRef(self.repository).write(
            {commit: lambda _, body=body: body for commit, body in bodies.items()}, message="a test"
        )

    def segment(self, trajectory: str, at: int, events: Sequence[AnyEvent]) -> SegmentRef:
        ((name, body),) = encode_segments((at + i, event) for i, event in enumerate(events))
        DataRefs(self.repository).write(MONTH, {segment_path(trajectory, name): body})
        digest = hashlib.sha256(body).hexdigest()
        return SegmentRef(name=name, month=MONTH, bytes=len(body), sha256=digest)

"""A log that was read, with what was known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gittraj.capture.own import Anchor
from gittraj.capture.session import Log
from gittraj.git import CommitChanges
from gittraj.record.drain.anchors import locate
from gittraj.record.drain.superseding import supersede
from gittraj.state.cursors import SessionState, Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A log that was read, and what was known of it: its anchors found before, as indexes of the log,
    and the latest one above it. ``gone``: parts whose place the log takes. ``first``:
    nothing was known. ``idle``: it counts as over; ``age``: seconds since the log grew."""

    log: Log
    path: Path
    size: int
    known: SessionState
    anchors: tuple[Anchor, ...] = ()
    before: Anchor | None = None
    gone: tuple[Stored, ...] = ()
    first: bool = False
    idle: bool = False
    age: float = 0.0

    @classmethod
    def of(cls, log: Log, path: Path, size: int, known: SessionState | None, *, idle: bool) -> Reading:
        state = known or SessionState(agent=log.agent, session=log.session, path=str(path))
        state, gone = supersede(state, log)
        inside, before = locate(log, state.anchors)
        return cls(
            log=log,
            path=path,
            size=size,
            known=state,
            anchors=inside,
            before=before,
            gone=gone,
            first=known is None or not known.path or bool(gone),  # or made anew from the refs
            idle=idle,
        )

    def past(self, changes: Mapping[str, CommitChanges]) -> list[tuple[CommitChanges, int | None]]:
        """The commits that took lines of this log before, with the call that each was made by."""
        past: list[tuple[CommitChanges, int | None]]
        past = [(changes[c], None) for c in self.known.taken if c in changes]
        for anchor in self.anchors:
            before = None if anchor.evidence == "content" else anchor.call
            past += [(changes[c], before) for c in anchor.commits if c in changes]
        return past

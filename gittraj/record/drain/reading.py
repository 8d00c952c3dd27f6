"""A log that was read, with the state of its session that was known before.

A session's log has more than the agent's printed output, its reports to hooks or another tool's notes: the
log replaces the parts that came from these.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gittraj.capture.own import Anchor
from gittraj.capture.session import Log
from gittraj.git import CommitChanges
from gittraj.model.times import seconds
from gittraj.record.drain.anchors import locate
from gittraj.state.cursors import SessionState, Stored

_PREFIXES = ("exec.", "stream.", "hook.", "note.", "atif.")
"""Prefixes of the ids of events that are not from a session's log. An ATIF document is not a log either."""
OUTPUT = "stream-json"
"""The tag of an output whose events have the ids of the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A log that was read, and what was known of it: the ``anchors`` found in it earlier, with positions in
    the log, and the latest anchor ``before`` its start. ``gone`` are parts that the log replaces. ``first``:
    nothing was known. ``idle``: the session counts as over; ``age``: seconds since the log grew."""

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
        state, gone = _supersede(state, log)
        inside, before = locate(log, state.anchors)
        return cls(
            log=log,
            path=path,
            size=size,
            known=state,
            anchors=inside,
            before=before,
            gone=gone,
            first=known is None or not known.path or bool(gone),  # no path: rebuilt from the refs
            idle=idle,
        )

    def past(self, changes: Mapping[str, CommitChanges]) -> list[tuple[CommitChanges, int | None]]:
        """The commits that took lines of this log earlier, each with the call that made it. They count as no
        older than their anchors, whatever their dates say: the times of their hooks are gone."""
        past: list[tuple[CommitChanges, int | None]]
        past = [(changes[c], None) for c in self.known.taken if c in changes]
        for anchor in self.anchors:
            before = None if anchor.evidence == "content" else anchor.call
            begun = seconds(self.log.entries[anchor.call].event.ts) or 0.0
            made = [changes[c] for c in anchor.commits if c in changes]
            past += [(replace(each, time=max(each.time, begun)), before) for each in made]
        return past


def is_output(first: str | None, tags: Collection[object]) -> bool:
    """Whether a log with these tags that begins with the event ``first`` (an id) is not a session's own log,
    but an agent's printed output or a similar source."""
    return OUTPUT in tags or (first is not None and first.startswith(_PREFIXES))


def is_output_log(log: Log) -> bool:
    first = log.entries[0].event.id if log.entries else None
    return is_output(first, log.facts.get("tag", ()))


def _supersede(known: SessionState, log: Log) -> tuple[SessionState, tuple[Stored, ...]]:
    """Return the state of a session once ``log`` is read, and the parts that the log replaces. The evidence
    for these parts is evaluated again."""
    gone = tuple(part for part in known.parts if part.output)
    if not gone or not log.entries or is_output_log(log):
        return known, ()
    anchors = tuple(a for a in known.anchors if a.evidence == "agent")
    parts = tuple(part for part in known.parts if not part.output)
    return replace(known, parts=parts, anchors=anchors, size=0), gone

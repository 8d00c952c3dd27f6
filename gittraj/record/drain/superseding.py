"""Replaces what an agent printed or reported to hooks, or what another tool noted, by the session's own log.

The log has more, and may turn up later.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gittraj.capture.session import Log
from gittraj.state.cursors import SessionState, Stored

_PREFIXES = ("exec.", "stream.", "hook.", "note.", "atif.")
"""Prefixes of the ids of events that are not from a session's log. An ATIF document is not a log either."""
OUTPUT = "stream-json"
"""The tag of an output whose events have the ids of the log."""


def is_output(first: str | None, tags: Collection[object]) -> bool:
    """Whether a log that begins with the event ``first`` is not a session's own."""
    return OUTPUT in tags or (first is not None and first.startswith(_PREFIXES))


def is_output_log(log: Log) -> bool:
    first = log.entries[0].event.id if log.entries else None
    return is_output(first, log.facts.get("tag", ()))


def supersede(known: SessionState, log: Log) -> tuple[SessionState, tuple[Stored, ...]]:
    """The state of a session once ``log`` is read, and the parts that the log replaces; their evidence is
    evaluated again."""
    gone = tuple(part for part in known.parts if part.output)
    if not gone or not log.entries or is_output_log(log):
        return known, ()
    anchors = tuple(a for a in known.anchors if a.evidence == "agent")
    parts = tuple(part for part in known.parts if not part.output)
    return replace(known, parts=parts, anchors=anchors, size=0), gone

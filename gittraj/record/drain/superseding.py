"""A session's own log has more than what its agent printed or reported to hooks, or what another tool noted.

When the log turns up, it replaces them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gittraj.capture.session import Log
from gittraj.state.cursors import SessionState, Stored

_PREFIXES = ("exec.", "stream.", "hook.", "note.", "atif.")
"""Of the ids of events that did not come from a session's own log. A document in ATIF is no log, either."""
OUTPUT = "stream-json"
"""The tag of an output whose events have the ids of the log."""


def is_output(first: str | None, tags: Collection[object]) -> bool:
    """Whether what begins with the event ``first`` is no session's own log."""
    return OUTPUT in tags or (first is not None and first.startswith(_PREFIXES))


def is_output_log(log: Log) -> bool:
    first = log.entries[0].event.id if log.entries else None
    return is_output(first, log.facts.get("tag", ()))


def supersede(known: SessionState, log: Log) -> tuple[SessionState, tuple[Stored, ...]]:
    """What stays known of a session when ``log`` is read, and the parts whose place it takes; what linked
    those is asked anew."""
    gone = tuple(part for part in known.parts if part.output)
    if not gone or not log.entries or is_output_log(log):
        return known, ()
    anchors = tuple(a for a in known.anchors if a.evidence == "agent")
    parts = tuple(part for part in known.parts if not part.output)
    return replace(known, parts=parts, anchors=anchors, size=0), gone

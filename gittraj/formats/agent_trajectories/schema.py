"""What the schema of the package ``agent-trajectories`` accepts in a document, a chapter and an event."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base.carried import Shown
from gittraj.formats.base.shapes import anything, faults, fits, fraction, non_empty, text, utc

Event = dict[str, Any]
ID = re.compile(r"traj_[a-z0-9_]+")
TITLE = 500  # characters
STATUSES = ("active", "completed", "abandoned")
SIGNIFICANCES = ("low", "medium", "high", "critical")

_DECISION = {
    "question": non_empty,
    "chosen": non_empty,
    "reasoning": non_empty,
    "alternatives": [anything],
    "*": anything,
}
DOCUMENT: dict[str, Any] = {
    "id": lambda value: isinstance(value, str) and ID.fullmatch(value),
    "task": {
        "title": lambda value: non_empty(value) and len(value) <= TITLE,
        "source?": {"system": text, "id": non_empty, "*": anything},
        "*": anything,
    },
    "status": lambda value: value in STATUSES,
    "startedAt": utc,
    "completedAt": utc,
    "agents": [{"name": non_empty, "role": non_empty, "joinedAt": utc, "leftAt?": utc, "*": anything}],
    "retrospective": {
        "summary": non_empty,
        "approach": non_empty,
        "confidence": fraction,
        "decisions?": [_DECISION],
        "*": anything,
        "challenges?": [text],
        "learnings?": [text],
        "suggestions?": [text],
        "timeSpent?": text,
    },
    "commits": [text],
    "filesChanged": [text],
    "tags": [text],
    "projectId": text,
    "workflowId": text,
    "_trace": {"startRef": non_empty, "endRef?": text, "traceId?": text, "*": anything},
}
"""The fields of a document."""
CHAPTER = {"id": non_empty, "title": non_empty, "agentName": non_empty, "startedAt": utc, "endedAt": utc}


_EVENT = {
    "ts": lambda value: type(value) is int and value > 0,
    "type": non_empty,
    "content": non_empty,
    "significance?": lambda value: value in SIGNIFICANCES,
    "confidence?": fraction,
    "tags?": [text],
    "*": anything,
}
_NEEDED = ("id", "task", "status", "startedAt", "agents", "chapters")


def document_faults(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a document is not one of agent-trajectories'."""
    if document.get("version") != 1:
        yield "version", "not 1"
    yield from ((name, "missing") for name in _NEEDED if name not in document)
    for name, value in document.items():
        if name in DOCUMENT:
            yield from faults(value, DOCUMENT[name], name)
    shape = {name + "?" * (name == "endedAt"): check for name, check in CHAPTER.items()}
    yield from faults(document.get("chapters"), [{**shape, "events": [_EVENT], "*": anything}], "chapters")


def strict(built: Event, ts: int) -> Event:
    """Without what their schema refuses."""
    wrong = {
        "significance": built.get("significance") not in SIGNIFICANCES,
        "confidence": not fraction(built.get("confidence")),
        "tags": not fits(built.get("tags"), [text]),
        "type": not non_empty(built.get("type")),
    }
    kept = {key: value for key, value in built.items() if not wrong.get(key)}
    if "content" in kept and not non_empty(kept["content"]):
        del kept["content"]
    timed = type(built.get("ts")) is int and built["ts"] > 0
    return {"type": "note", "content": "(empty)", **kept, "ts": built["ts"] if timed else ts}


def fitting(fields: Shown, shape: Event) -> Event:
    """The fields of theirs that their schema accepts, and those that it does not know."""
    return {key: value for key, value in fields.items() if key not in shape or fits(value, shape[key])}

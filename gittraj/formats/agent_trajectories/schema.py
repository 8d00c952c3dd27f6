"""What the schema of the package ``agent-trajectories`` accepts in a document, a chapter and an event."""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base.carried import Shown
from gittraj.formats.base.shapes import anything, fits, fraction, non_empty, text, utc

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

"""Checks documents, chapters and events against the schema of the package ``agent-trajectories``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base.carried import Shown
from gittraj.formats.base.shapes import anything, faults, fits, load

Event = dict[str, Any]
ID = re.compile(r"traj_[a-z0-9_]+")
TITLE = 500  # characters
STATUSES = ("active", "completed", "abandoned")

_SHAPES = load(__file__)
DOCUMENT: dict[str, Any] = _SHAPES["document"]
"""The fields of a document."""
CHAPTER: dict[str, Any] = {key: shape for key, shape in _SHAPES["chapter"].items() if key != "events"}
_NEEDED = ("id", "task", "status", "startedAt", "agents", "chapters")


def document_faults(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield where a document does not fit the schema, and why."""
    if document.get("version") != 1:
        yield "version", "not 1"
    yield from ((name, "missing") for name in _NEEDED if name not in document)
    for name, value in document.items():
        if name in DOCUMENT:
            yield from faults(value, DOCUMENT[name], name)
    yield from faults(document.get("chapters"), [_SHAPES["chapter"]], "chapters")


def strict(built: Event, ts: int) -> Event:
    """The event without the fields that the schema rejects; ``ts`` is used if its time is one of them."""
    accepted = fitting(built, _SHAPES["event"])
    return {"type": "note", "content": "(empty)", **accepted, "ts": accepted.get("ts", ts)}


def fitting(fields: Shown, shape: Event) -> Event:
    """The fields that the schema accepts, and those that it does not know."""
    known = {name.rstrip("?"): check for name, check in shape.items()}
    return {key: value for key, value in fields.items() if fits(value, known.get(key, anything))}

"""What the schema of agent-trace 0.1.0 accepts in a record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base.shapes import anything, faults, non_empty, text, time

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?")
_KINDS = ("human", "ai", "mixed", "unknown")


def _from_one(value: Any) -> bool:
    return type(value) is int and value >= 1


_CONTRIBUTOR = {"type": lambda value: value in _KINDS, "model_id?": text, "*": anything}
_RANGE = {
    "start_line": _from_one,
    "end_line": _from_one,
    "content_hash?": text,
    "contributor?": _CONTRIBUTOR,
    "*": anything,
}
_RECORD = {
    "version": lambda value: text(value) and _VERSION.fullmatch(value),
    "id": lambda value: text(value) and _UUID.fullmatch(value),
    "timestamp": time,
    "vcs?": {"type": text, "revision": non_empty, "*": anything},
    "tool?": {"*": anything},
    "files": [
        {
            "path": lambda value: non_empty(value) and not value.startswith("/"),
            "conversations": [{"contributor?": _CONTRIBUTOR, "ranges": [_RANGE], "*": anything}],
            "*": anything,
        }
    ],
    "*": anything,
}


def record_faults(record: Any) -> Iterator[tuple[str, str]]:
    """Where a record does not fit."""
    return faults(record, _RECORD)

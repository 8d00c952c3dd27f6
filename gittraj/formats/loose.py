"""Values out of logs whose shape nobody guarantees (``gittraj.loose``), and JSON inside of their texts."""

from __future__ import annotations

from typing import Any

from gittraj.formats import lines
from gittraj.loose import cost, count, mapping, number, objects, stamp, text

__all__ = ["cost", "count", "mapping", "number", "objects", "parsed", "stamp", "text"]


def parsed(value: Any) -> Any:
    """What a text holds as JSON; the text itself if it holds none."""
    if not isinstance(value, str):
        return value
    try:
        return lines.decode(value)
    except (ValueError, RecursionError):
        return value

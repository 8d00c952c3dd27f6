"""What tests of log formats write a log with, and take its items apart with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gittraj.model.session_items import Entry, Fact, Item


def written(*records: Any) -> bytes:
    """A record a line."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def entries(items: Iterable[Item]) -> list[Entry]:
    return [item for item in items if isinstance(item, Entry)]


def facts(items: Iterable[Item]) -> dict[str, Any]:
    return {item.name: item.value for item in items if isinstance(item, Fact)}

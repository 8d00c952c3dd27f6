"""Writes JSON documents: keys in insertion order, without lone surrogates, NaN and infinity."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def pretty(value: Any) -> str:
    return _text(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"


def line(value: Any) -> str:
    return _text(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))) + "\n"


def _text(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


def events_of(trajectory: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a trajectory, in its order."""
    return (event for chapter in trajectory["chapters"] for event in chapter["events"])

"""How every JSON document is written here: in the order in which it was made, without what is no JSON."""

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


def events_of(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a trajectory, in its order."""
    return (event for chapter in told["chapters"] for event in chapter["events"])

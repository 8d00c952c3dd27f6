"""Reads values from JSON whose shape nobody guarantees: each has the wanted type or is empty. Also the token
counts of model calls, which each agent names differently, and ids for sessions whose logs have none.

Agents change their formats without notice, so a reader takes what it needs and accepts what is there.
Nothing here may raise, whatever the JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from gittraj.formats.base import lines
from gittraj.model.values import Usage

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def text(value: Any) -> str | None:
    """``value`` if it is a non-empty text."""
    return value if isinstance(value, str) and value else None


def string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def at(value: Any, *keys: str) -> Any:
    """The value under nested ``keys``; None if one of them is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def either(*values: Any) -> str | None:
    """The first of the values that is a non-empty text."""
    return next(filter(None, map(text, values)), None)


def texts(value: Any) -> list[str]:
    """The texts of a list; everything else in it is left out."""
    return [v for v in sequence(value) if isinstance(v, str)]


def first(value: Any, *keys: str) -> str | None:
    """The first non-empty text under one of ``keys``: tools name the same argument differently."""
    return next((match for key in keys if (match := text(at(value, key)))), None)


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; everything else in it is left out."""
    return [v for v in sequence(value) if isinstance(v, dict)]


def count(value: Any) -> int:
    """A number of tokens, bytes or calls: never negative."""
    return max(value, 0) if type(value) is int else 0


def number(value: Any) -> int | None:
    return value if type(value) is int else None


def cost(value: Any) -> float | None:
    """US dollars, exactly as stated; None for a number that does not fit a float."""
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def stamp(value: Any) -> str | None:
    """A time as ISO 8601 UTC with milliseconds; ``None`` for anything else.

    A text without a zone counts as UTC; numbers are seconds, milliseconds, microseconds or
    nanoseconds since 1970, distinguished by their size.
    """
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            if _STAMP.fullmatch(value):
                return value
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = float(value)
            while abs(seconds) >= 1e11:
                seconds /= 1000
            time = datetime.fromtimestamp(seconds, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parsed(value: Any) -> Any:
    """The JSON value of a text; the text itself if it is not JSON."""
    if not isinstance(value, str):
        return value
    try:
        return lines.decode(value)
    except (ValueError, RecursionError):
        return value


_KINDS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")


def usage(value: Any, names: tuple[str | None, ...], *, cached_in_input: bool) -> Usage:
    """The counts in ``value``. ``names`` are its names for input, cache read, cache write, output and
    reasoning tokens: None if there is no such count; the last may be missing. ``cached_in_input``: the input
    count includes cached tokens."""
    numbers = mapping(value)
    named = zip(_KINDS, names, strict=False)
    counts = {kind: count(numbers.get(name)) if name else 0 for kind, name in named}
    if cached_in_input:
        cached = counts["cache_read_tokens"] + counts["cache_write_tokens"]
        counts["input_tokens"] = max(0, counts["input_tokens"] - cached)
    return Usage(**counts)


def usage_since(total: Usage, before: Usage) -> Usage:
    """The difference between ``total`` and ``before``; all of ``total`` if the count started again."""
    pairs = {name: (getattr(total, name), getattr(before, name)) for name in vars(total)}
    if any(now < then for now, then in pairs.values()):
        return total
    return Usage(**{name: now - then for name, (now, then) in pairs.items()})


Part = str | int | float | None
"""A role, a name, a length or a time."""


def shape_id(format: str, records: Iterable[Iterable[Part]]) -> str:  # noqa: A002 - no other word is right
    """An id for a session whose log has none: 20 hex digits, a hash of the format and of the shape of its
    first records (roles, names, lengths and times), never of their text.

    Every later import of the same log, grown or not, computes the same id; two runs of one task differ in
    when their first calls were answered and in how long the answers are.
    """
    described = json.dumps([format, *([*record] for record in records)], separators=(",", ":"))
    return hashlib.sha256(described.encode()).hexdigest()[:20]

"""What another format's own schema accepts, as far as a foreign file could get it wrong.

A shape is a predicate, ``[shape]`` for a list, a tuple for alternatives, or an object's fields by name: those
with ``?`` may be absent, with ``??`` be null too, and ``*`` lets others be there.
"""

from __future__ import annotations

import re
from typing import Any

from gittraj.model.times import parse_time

_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if not isinstance(shape, dict):
        return bool(shape(value))
    if not isinstance(value, dict):
        return False
    known = {name.rstrip("?"): name for name in shape}
    missing = any(not name.endswith("?") and name != "*" and name not in value for name in shape)
    strange = "*" not in shape and value.keys() - known.keys()
    if missing or strange:
        return False
    given = ((known[key], each) for key, each in value.items() if key in known)
    return all((each is None and name.endswith("??")) or fits(each, shape[name]) for name, each in given)


def text(value: Any) -> bool:
    return isinstance(value, str)


def said(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def whole(value: Any) -> bool:
    return type(value) is int


def count(value: Any) -> bool:
    return type(value) is int and value >= 0


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def share(value: Any) -> bool:
    return number(value) and 0 <= value <= 1


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def free(value: Any) -> bool:
    return isinstance(value, dict)


def anything(_: Any) -> bool:
    return True


def time(value: Any) -> bool:
    return isinstance(value, str) and parse_time(value.replace("Z", "+00:00")) is not None


def utc(value: Any) -> bool:
    return time(value) and _UTC.fullmatch(value) is not None

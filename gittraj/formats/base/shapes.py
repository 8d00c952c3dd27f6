"""Checks a value against the schema of another format.

A shape is a predicate, ``[shape]`` for a list, a tuple for alternatives, or a dict of an object's fields: a
name with ``?`` is optional, with ``??`` also nullable, and ``*`` allows further fields.
"""

from __future__ import annotations

import re
from typing import Any

from gittraj.model.times import parse_time

_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, tuple):
        return any(fits(value, item) for item in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if not isinstance(shape, dict):
        return bool(shape(value))
    if not isinstance(value, dict):
        return False
    known = {name.rstrip("?"): name for name in shape}
    missing = any(not name.endswith("?") and name != "*" and name not in value for name in shape)
    strange = "*" not in shape and value.keys() - known.keys()
    if missing or strange:
        return False
    fields = ((known[key], item) for key, item in value.items() if key in known)
    return all((item is None and name.endswith("??")) or fits(item, shape[name]) for name, item in fields)


def text(value: Any) -> bool:
    return isinstance(value, str)


def non_empty(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def integer(value: Any) -> bool:
    return type(value) is int


def count(value: Any) -> bool:
    return type(value) is int and value >= 0


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def fraction(value: Any) -> bool:
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

"""Checks a value against the schema of another format.

A shape is a predicate, ``[shape]`` for a list, a tuple for alternatives, or a dict of an object's fields: a
name with ``?`` is optional, with ``??`` also nullable, and ``*`` allows further fields.

The shapes of a format are in the ``shapes.json`` next to it. In that file a text is the name of a predicate
in this module, ``$name`` of an earlier shape, or a ``/pattern/`` for the whole text; a list of several shapes
has alternatives, and ``+`` adds the fields of another shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gittraj.model.times import parse_time

_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def load(module: str) -> dict[str, Any]:
    """The shapes in the folder of the file ``module``, by name."""
    shapes: dict[str, Any] = {}
    for name, written in json.loads(Path(module).with_name("shapes.json").read_text("utf-8")).items():
        shapes[name] = _parse(written, shapes)
    return shapes


def _parse(written: Any, known: dict[str, Any]) -> Any:
    if isinstance(written, dict):
        more = _parse(written["+"], known) if "+" in written else {}
        return more | {name: _parse(shape, known) for name, shape in written.items() if name != "+"}
    if isinstance(written, list):
        shapes = [_parse(shape, known) for shape in written]
        return shapes if len(shapes) == 1 else tuple(shapes)
    if written.startswith("$"):
        return known[written[1:]]
    return _matches(re.compile(written[1:-1])) if written.startswith("/") else globals()[written]


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def fits(value: Any, shape: Any) -> bool:
    return next(faults(value, shape), None) is None


def faults(value: Any, shape: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield where a value does not fit, and why: of alternatives, the faults of the one with the fewest."""
    if isinstance(shape, tuple):
        yield from min((list(faults(value, item, path)) for item in shape), key=len)
    elif isinstance(shape, list):
        if isinstance(value, list):
            for number, item in enumerate(value):
                yield from faults(item, shape[0], f"{path}[{number}]")
        else:
            yield path, "not a list"
    elif not isinstance(shape, dict):
        if not shape(value):
            yield path, "not allowed here"
    elif not isinstance(value, dict):
        yield path, "not an object"
    else:
        yield from _faults_of_fields(value, shape, f"{path}." if path else "")


def _faults_of_fields(value: dict[str, Any], shape: dict[str, Any], lead: str) -> Iterator[tuple[str, str]]:
    known = {name.rstrip("?"): name for name in shape}
    for key, name in known.items():
        if key == name != "*" and key not in value:
            yield f"{lead}{name}", "missing"
    for key, item in value.items():
        if key not in known:
            if "*" not in shape:
                yield f"{lead}{key}", "not a field here"
        elif not (item is None and known[key].endswith("??")):
            yield from faults(item, shape[known[key]], f"{lead}{key}")


def text(value: Any) -> bool:
    return isinstance(value, str)


def non_empty(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def integer(value: Any) -> bool:
    return type(value) is int


def count(value: Any) -> bool:
    return type(value) is int and value >= 0


def positive(value: Any) -> bool:
    return type(value) is int and value > 0


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def fraction(value: Any) -> bool:
    return number(value) and 0 <= value <= 1


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def free(value: Any) -> bool:
    """Whether the value is an object, with any fields."""
    return isinstance(value, dict)


def anything(_: Any) -> bool:
    return True


def time(value: Any) -> bool:
    return isinstance(value, str) and parse_time(value.replace("Z", "+00:00")) is not None


def utc(value: Any) -> bool:
    return time(value) and _UTC.fullmatch(value) is not None

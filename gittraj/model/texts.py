"""Reaches every text in a value of the model, so that redaction and escaping cannot miss one.

There is no list of fields to keep up to date: everything in a dataclass, tuple, list or mapping is reached.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
_SCALARS = frozenset((type(None), bool, int, float))


def map_texts(value: T, change: Callable[[str, str | None], str], name: str | None = None) -> T:
    """Return a copy of ``value`` in which ``change(text, name)`` has replaced every text, including the keys
    of mappings. ``name`` is the field or key of the text, None if the text is itself a key."""
    return _map(value, change, name)  # type: ignore[no-any-return]


def _map(value: Any, change: Callable[[str, str | None], str], name: str | None) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if isinstance(value, str):
        return change(str(value), name)
    if isinstance(value, tuple | list):
        return kind(_map(v, change, name) for v in value) if value else value
    if isinstance(value, Mapping):
        return {change(k, None): _map(v, change, k) for k, v in value.items()}
    return _map_fields(value, change)


def _map_fields(value: Any, change: Callable[[str, str | None], str]) -> Any:
    changed = {}
    for name in _field_names(type(value)):  # type: ignore[arg-type]
        old = getattr(value, name)
        new = old if type(old) in _SCALARS else _map(old, change, name)
        if new is not old and new != old:
            changed[name] = new
    return dataclasses.replace(value, **changed) if changed else value


@functools.cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass; empty for other types, which have no texts."""
    return tuple(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()

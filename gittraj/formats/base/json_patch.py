"""The difference between two JSON values, as JSON, so that one can be stored as a change to the other.

Objects are compared by key, lists of objects of equal length item by item; anything else is replaced. Fields
keep their names, so that a redactor still sees them.
"""

from __future__ import annotations

import json
from typing import Any

_REMOVED, _EACH, _WHOLE = "-", "[]", "="
_SIGNS = frozenset((_REMOVED, _EACH, _WHOLE))


def is_same(value: Any, other: Any) -> bool:
    """Equal as JSON: ``1``, ``1.0`` and ``true`` are three values."""
    return value is other or (value == other and _text(value) == _text(other))


def difference(wanted: Any, base: Any) -> Any:
    """The change with which :func:`patch` turns ``base`` into ``wanted``; ``{}`` if they are the same."""
    if is_same(wanted, base):
        return {}
    if isinstance(wanted, dict) and isinstance(base, dict) and not _SIGNS & (wanted.keys() | base.keys()):
        changed = {
            key: difference(value, base[key]) if key in base else _plain(value)
            for key, value in wanted.items()
            if key not in base or not is_same(value, base[key])
        }
        removed = sorted(base.keys() - wanted.keys())
        return {**changed, **({_REMOVED: removed} if removed else {})}
    if _are_objects(wanted) and _are_objects(base) and len(wanted) == len(base):
        return {_EACH: [difference(*pair) for pair in zip(wanted, base, strict=True)]}
    return {_WHOLE: wanted} if isinstance(wanted, dict) else wanted


def patch(base: Any, change: Any) -> Any:
    """``base``, changed. A change that does not fit is taken as the value itself."""
    if not isinstance(change, dict):
        return change
    if _WHOLE in change:
        return change[_WHOLE]
    changes = change.get(_EACH)
    if isinstance(base, list) and isinstance(changes, list) and len(changes) == len(base):
        return [patch(*pair) for pair in zip(base, changes, strict=True)]
    if not isinstance(base, dict):
        return change if change else base
    removed = change.get(_REMOVED)
    gone = {key for key in removed if isinstance(key, str)} if isinstance(removed, list) else set()
    kept = {key: value for key, value in base.items() if key not in gone}
    fresh = {
        key: patch(kept[key], value) if key in kept else _whole(value)
        for key, value in change.items()
        if key != _REMOVED
    }
    return {**kept, **fresh}


def _plain(value: Any) -> Any:
    """A new value; one that looks like a change is wrapped."""
    return {_WHOLE: value} if isinstance(value, dict) and _WHOLE in value else value


def _whole(value: Any) -> Any:
    return value[_WHOLE] if isinstance(value, dict) and value.keys() == {_WHOLE} else value


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)

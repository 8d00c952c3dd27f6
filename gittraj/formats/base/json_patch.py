"""The difference between two JSON values, as JSON: what to keep of one beside the other.

Objects are compared by key, lists of as many objects one by one, all else is replaced. A field stays under
its name, so a redactor still sees what a value is called.
"""

from __future__ import annotations

import json
from typing import Any

_REMOVED, _EACH, _WHOLE = "-", "[]", "="
_SIGNS = frozenset((_REMOVED, _EACH, _WHOLE))


def is_same(one: Any, other: Any) -> bool:
    """Equal as JSON: ``1``, ``1.0`` and ``true`` are three values."""
    return one is other or (one == other and _text(one) == _text(other))


def difference(wanted: Any, given: Any) -> Any:
    """What :func:`patch` makes ``wanted`` of ``given`` with; ``{}`` where they are the same."""
    if is_same(wanted, given):
        return {}
    if isinstance(wanted, dict) and isinstance(given, dict) and not _SIGNS & (wanted.keys() | given.keys()):
        changed = {
            key: difference(value, given[key]) if key in given else _plain(value)
            for key, value in wanted.items()
            if key not in given or not is_same(value, given[key])
        }
        removed = sorted(given.keys() - wanted.keys())
        return {**changed, **({_REMOVED: removed} if removed else {})}
    if _are_objects(wanted) and _are_objects(given) and len(wanted) == len(given):
        return {_EACH: [difference(*pair) for pair in zip(wanted, given, strict=True)]}
    return {_WHOLE: wanted} if isinstance(wanted, dict) else wanted


def patch(given: Any, change: Any) -> Any:
    """``given``, changed. A change that does not fit is taken as the value itself."""
    if not isinstance(change, dict):
        return change
    if _WHOLE in change:
        return change[_WHOLE]
    each = change.get(_EACH)
    if isinstance(given, list) and isinstance(each, list) and len(each) == len(given):
        return [patch(*pair) for pair in zip(given, each, strict=True)]
    if not isinstance(given, dict):
        return change if change else given
    removed = change.get(_REMOVED)
    gone = {key for key in removed if isinstance(key, str)} if isinstance(removed, list) else set()
    kept = {key: value for key, value in given.items() if key not in gone}
    fresh = {
        key: patch(kept[key], value) if key in kept else _whole(value)
        for key, value in change.items()
        if key != _REMOVED
    }
    return {**kept, **fresh}


def _plain(value: Any) -> Any:
    """A value where there was none: what looks like a change is wrapped."""
    return {_WHOLE: value} if isinstance(value, dict) and _WHOLE in value else value


def _whole(value: Any) -> Any:
    return value[_WHOLE] if isinstance(value, dict) and value.keys() == {_WHOLE} else value


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)

"""Stores our own fields inside a foreign format, and reads them back.

What is read back is as untrusted as the rest of the file: anything that is not a valid event is skipped. An
event is stored as a change to what a reader makes of the format alone. Objects are compared by key, lists of
objects of equal length item by item; anything else is replaced. Fields keep their names, so that a redactor
still sees them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from gittraj.errors import FormatError
from gittraj.formats.base import coerce
from gittraj.model.codec import event_from_json, event_to_json
from gittraj.model.session_items import Fact
from gittraj.model.values import AnyEvent

KEY = "git_traj"
Shown = Mapping[str, Any]
"""A trajectory, or an event, as ``git traj show --json`` prints it."""

_OF, _AT = "of", "n"
"""Keys of a stored event: the number of the event that it changes; its position in the trajectory."""
_HEADER = (
    *("id", "title", "agent", "agentVersion", "models", "session", "task", "tags", "participants"),
    *("parent", "status", "exit"),
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_EVENT_LIMIT = 200  # characters of an id


class Names:
    """Ids for records without one: derived from their shape, never from text, and stable across reads."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._seen: Counter[str] = Counter()

    def of(self, *shape: str | float | None) -> str:
        """An id that no other record got, even of the same ``shape``: names, lengths and times."""
        digest = hashlib.sha256(json.dumps(shape).encode()).hexdigest()[:12]
        self._seen[digest] += 1
        count = self._seen[digest]
        return f"{self._prefix}.{digest}" + (f"~{count}" if count > 1 else "")


def present(**fields: Any) -> dict[str, Any]:
    """The fields that are not empty, in their order."""
    return {key: value for key, value in fields.items() if value not in (None, "", [], {})}


def only(fields: Shown, *names: str) -> dict[str, Any]:
    """The fields with these names, in the order of ``fields``."""
    return {key: value for key, value in fields.items() if key in names}


# ---------------------------------------------------------------- events


def plain_event(event: Shown, agent: str | None) -> dict[str, Any]:
    """An event of ``show`` without default values and without the name of the trajectory's own ``agent``.
    A seal can only be opened where it is stored, so only the position and size of sealed thinking remain."""
    fields = {key: value for key, value in event.items() if not (key == "agent" and value == agent)}
    plain = event_to_json(event_from_json(fields))
    if not plain.get("usage"):
        plain.pop("usage", None)
    if "sealed" in plain:
        plain["sealed"] = {"bytes": plain["sealed"].get("bytes")}
    return plain


def carry(
    events: Sequence[Shown], understood: Sequence[Shown], positions: Sequence[int] | None
) -> list[dict[str, Any]]:
    """The difference between ``events`` and ``understood``, the events that a reader makes of the format
    alone; empty if they are equal.

    ``positions`` are the positions of the events in the trajectory, if the format has another order.
    """
    left = dict(enumerate(understood))
    carried: list[dict[str, Any]] = []
    for number, event in enumerate(events):
        at = next((k for k, t in left.items() if t["type"] == event["type"]), None)
        base = left.pop(at) if at is not None else {}
        row = difference(dict(event), dict(base))
        if at is not None:
            row[_OF] = at
        if positions is not None:
            row[_AT] = positions[number]
        carried.append(row)
    same = not left and [*carried] == [{_OF: k} for k in range(len(understood))]
    return [] if same else carried


def uncarry(understood: Sequence[Shown], carried: Any) -> list[tuple[dict[str, Any], int | None]]:
    """The reverse of :func:`carry`: events, with their positions if these were stored. If ``carried`` is not
    valid, the events that were ``understood``."""
    rows = coerce.sequence(carried)
    if rows and all(isinstance(row, dict) for row in rows):
        events = [(_restored(row, understood), coerce.number(row.get(_AT))) for row in rows]
        if all(to_event(event) is not None for event, _ in events):
            return events
    return [(dict(event), None) for event in understood]


def _restored(row: dict[str, Any], understood: Sequence[Shown]) -> dict[str, Any]:
    """The event of a row that :func:`carry` made."""
    of = row.get(_OF)
    base = understood[of] if type(of) is int and 0 <= of < len(understood) else {}
    event = patch(dict(base), {key: value for key, value in row.items() if key not in (_OF, _AT)})
    return coerce.mapping(event)


def to_event(value: Any) -> AnyEvent | None:
    """``value`` as an event, None if it is not valid. Files outside the repository are left out."""
    if not isinstance(value, dict):
        return None
    plain = {key: v for key, v in value.items() if key != "sealed"}
    files = plain.get("files")
    if isinstance(files, list):
        plain["files"] = [f for f in files if isinstance(f, dict) and is_inside(f.get("path"))]
    try:
        event = event_from_json(plain)
    except FormatError:
        return None
    return event if 0 < len(event.id) <= _EVENT_LIMIT else None


def is_inside(path: Any) -> bool:
    """Whether ``path`` is below the repository's top."""
    if not isinstance(path, str) or not path or path.startswith(("/", "\\", "~")) or path[1:2] == ":":
        return False
    return ".." not in PurePosixPath(path.replace("\\", "/")).parts


# ---------------------------------------------------------------- the trajectory


def without_carried(value: Shown, field: str) -> tuple[dict[str, Any], Any]:
    """The object without what we added to its ``field``, and what we added."""
    fields = value.get(field)
    if not isinstance(fields, dict) or KEY not in fields:
        return dict(value), None
    foreign = {key: item for key, item in fields.items() if key != KEY}
    plain = {key: item for key, item in value.items() if key != field}
    return {**plain, **({field: foreign} if foreign else {})}, fields[KEY]


def root_of(event: Shown, field: str) -> dict[str, Any] | None:
    """The fields of the whole document, if they were kept in this ``field`` of the event."""
    root = coerce.mapping(event.get(field)).get("root") if event["type"] == "checkpoint" else None
    return root if isinstance(root, dict) else None


def carried_header(header: Shown) -> dict[str, Any]:
    """The fields of a header that are not in its events."""
    fields = {key: header[key] for key in _HEADER if header.get(key)}
    cost = header.get("part", {}).get("costUsd")
    return {**fields, **({"costUsd": cost} if cost is not None else {})}


def facts(header: Any) -> Iterator[Fact]:
    """The fields of :func:`carried_header` as facts of a log."""
    fields = header if isinstance(header, dict) else {}
    yield from identity(fields.get("id"))
    for key, name in (("agent", "agent"), ("agentVersion", "agent_version"), ("title", "title")):
        yield from _fact(name, fields.get(key))
    yield from _fact("status", fields.get("status"))
    for key, name in (("models", "model"), ("tags", "tag")):
        for value in coerce.sequence(fields.get(key)):
            yield from _fact(name, value)
    yield from _task(coerce.mapping(fields.get("task")))
    for person in map(coerce.mapping, coerce.sequence(fields.get("participants"))):
        yield from participant(person.get("name"), person.get("role"))
    yield from parent(coerce.at(fields, "parent", "id"))
    for key, name in (("status", "exit_status"), ("submission", "submission"), ("error", "exit_error")):
        yield from _fact(name, coerce.mapping(fields.get("exit")).get(key))
    cost = coerce.cost(fields.get("costUsd"))
    if cost is not None:
        yield Fact(name="cost_usd", value=cost)


def identity(value: Any) -> Iterator[Fact]:
    """The foreign id: as the trajectory's id if it is valid as such, else as an alias."""
    if isinstance(value, str) and value:
        yield Fact(name="trajectory" if _ID.fullmatch(value) else "alias", value=value)


def parent(value: Any) -> Iterator[Fact]:
    if isinstance(value, str) and _ID.fullmatch(value):
        yield Fact(name="parent", value=value)


def participant(name: Any, role: Any) -> Iterator[Fact]:
    if isinstance(name, str) and name and ":" not in name:
        yield Fact(name="participant", value=f"{name}:{role}" if isinstance(role, str) and role else name)


def task(title: Any, system: Any, number: Any, url: Any) -> Iterator[Fact]:
    yield from _fact("task_title", title)
    yield from _fact("task_url", url)
    if isinstance(system, str) and system and isinstance(number, str) and number:
        yield from _fact("task", f"{system}:{number}")


def _task(fields: dict[str, Any]) -> Iterator[Fact]:
    source = coerce.mapping(fields.get("source"))
    system = None if source.get("system") == "url" else source.get("system")
    yield from task(fields.get("title"), system, source.get("id"), source.get("url"))


def _fact(name: str, value: Any) -> Iterator[Fact]:
    if isinstance(value, str) and value:
        yield Fact(name=name, value=value)


_REMOVED, _EACH, _WHOLE = "-", "[]", "="
"""Keys of a change: the removed fields; a change for each item of a list; a complete new value."""
_MARKERS = frozenset((_REMOVED, _EACH, _WHOLE))


def is_same(value: Any, other: Any) -> bool:
    """Whether both are equal as JSON: ``1``, ``1.0`` and ``true`` are three values."""
    return value is other or (value == other and _sorted_text(value) == _sorted_text(other))


def difference(wanted: Any, base: Any) -> Any:
    """The change with which :func:`patch` turns ``base`` into ``wanted``; ``{}`` if they are the same."""
    if is_same(wanted, base):
        return {}
    if isinstance(wanted, dict) and isinstance(base, dict) and not _MARKERS & (wanted.keys() | base.keys()):
        return _difference_of_objects(wanted, base)
    if _are_objects(wanted) and _are_objects(base) and len(wanted) == len(base):
        return {_EACH: [difference(*pair) for pair in zip(wanted, base, strict=True)]}
    return {_WHOLE: wanted} if isinstance(wanted, dict) else wanted


def _difference_of_objects(wanted: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    changed = {
        key: difference(value, base[key]) if key in base else _wrap(value)
        for key, value in wanted.items()
        if key not in base or not is_same(value, base[key])
    }
    removed = sorted(base.keys() - wanted.keys())
    return {**changed, **({_REMOVED: removed} if removed else {})}


def patch(base: Any, change: Any) -> Any:
    """``base`` with the change applied. A change that does not fit ``base`` replaces it."""
    if not isinstance(change, dict):
        return change
    if _WHOLE in change:
        return change[_WHOLE]
    changes = change.get(_EACH)
    if isinstance(base, list) and isinstance(changes, list) and len(changes) == len(base):
        return [patch(*pair) for pair in zip(base, changes, strict=True)]
    return _patch_object(base, change) if isinstance(base, dict) else change or base


def _patch_object(base: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    removed = {*coerce.texts(change.get(_REMOVED))}
    kept = {key: value for key, value in base.items() if key not in removed}
    changed = {
        key: patch(kept[key], value) if key in kept else _unwrap(value)
        for key, value in change.items()
        if key != _REMOVED
    }
    return {**kept, **changed}


def _wrap(value: Any) -> Any:
    """The form in which a change contains a new value: one that looks like a change itself is wrapped."""
    return {_WHOLE: value} if isinstance(value, dict) and _WHOLE in value else value


def _unwrap(value: Any) -> Any:
    return value[_WHOLE] if isinstance(value, dict) and value.keys() == {_WHOLE} else value


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _sorted_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)

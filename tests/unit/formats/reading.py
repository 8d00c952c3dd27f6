"""Helpers for tests of log formats: they write a log, and select items that were read."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from gittraj.model.session_items import Entry, Fact, Item, Mark
from tests.sizes import size

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)


def written(*records: Any) -> bytes:
    """Return the records as JSON Lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def entries(items: Iterable[Item]) -> list[Entry]:
    return [item for item in items if isinstance(item, Entry)]


def facts(items: Iterable[Item]) -> dict[str, Any]:
    return {item.name: item.value for item in items if isinstance(item, Fact)}


def list_slots(value: Any) -> list[tuple[Any, Any]]:
    """Return all pairs of an object or array in a JSON value, at any depth, and a key or index of it."""
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    inner_slots = [slot for _, inner in pairs if isinstance(inner, dict | list) for slot in list_slots(inner)]
    return [(value, key) for key, _ in pairs] + inner_slots


def spoiled(data: st.DataObject, value: Any, most: int = 4) -> Any:
    """Draw a copy of ``value`` with up to ``most`` of its values replaced by others."""
    spoiled_copy = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, most))):
        container, key = data.draw(st.sampled_from(list_slots(spoiled_copy)))
        container[key] = data.draw(JSON)
    return spoiled_copy


def check_cuts(reader: Any, log: bytes) -> None:
    """Check that a log cut anywhere (in an ordinary run, at every 7th byte) gives its first items."""
    whole = list(reader.read(io.BytesIO(log)))
    for length in range(0, len(log), size(7, 1)):
        part = list(reader.read(io.BytesIO(log[:length])))
        assert part == whole[: len(part)]


def check_marks(reader: Any, log: bytes, count: int) -> None:
    """Check that there are ``count`` marks, that reading from each of them gives the same items, and that a
    mark's state is JSON."""
    items = list(reader.read(io.BytesIO(log)))
    marks = [(n, item.cursor) for n, item in enumerate(items) if isinstance(item, Mark)]
    assert len(marks) == count
    for at, cursor in marks:
        assert json.loads(json.dumps(cursor.state)) == cursor.state
        assert list(reader.read(io.BytesIO(log), cursor=cursor)) == items[at + 1 :]

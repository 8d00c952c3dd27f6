"""Reading one JSON document, whole or cut."""

from __future__ import annotations

import io
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats.base import document


def load(data: bytes) -> tuple[Any, int | None]:
    value, damage = document.load(io.BytesIO(data))
    return value, damage.at if damage else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":[1,2]}', ({"a": [1, 2]}, None)),
        ('{"a":[1,2', ({"a": [1]}, 7)),
        ('{"a":[1,{"b":2},[[', ({"a": [1, {"b": 2}]}, 15)),
        ('[{"a":1},{"b', ([{"a": 1}], 8)),
        ("[[1],[2]}", ([[1], [2]], 8)),
        ('[1,"a,]', ([1], 2)),
        ("x", (None, 0)),
        ("", (None, 0)),
    ],
)
def test_a_cut_document_is_read_up_to_the_cut(text: str, expected: tuple[Any, int | None]) -> None:
    assert load(text.encode()) == expected


LEAF = st.integers() | st.text() | st.dictionaries(st.text(), st.none())


@given(st.lists(st.lists(LEAF)), st.data())
def test_a_document_cut_anywhere_gives_a_beginning_of_the_whole(
    value: list[list[Any]], data: st.DataObject
) -> None:
    text = json.dumps(value).encode()
    found, _ = load(text[: data.draw(st.integers(0, len(text)))])
    assert found is None or found[:-1] == value[: max(len(found) - 1, 0)]


def test_the_time_grows_in_proportion_to_the_length() -> None:
    def took(n: int) -> float:
        start = time.process_time()
        load(b"[" * n + b"1," * n)
        return time.process_time() - start

    took(1000)  # to warm up
    assert min(took(64_000) for _ in range(3)) < 8 * min(took(16_000) for _ in range(3)) + 0.1

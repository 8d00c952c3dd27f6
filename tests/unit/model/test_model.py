"""map_texts reaches every text: redaction, sealing and escaping rely on that."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.model.texts import map_texts
from gittraj.model.values import (
    Counts,
    Event,
    FileTouched,
    Link,
    Prompt,
    Range,
    Record,
    Tombstone,
    ToolCall,
    Trajectory,
    Usage,
)
from tests.unit.strategies import EVENTS, events, values_of

MARK = "PLANTED"
MARKED = st.text("ab", max_size=3).map(MARK.__add__)


def remove(text: str, _: str | None) -> str:
    return text.replace(MARK, "")


@pytest.mark.parametrize("cls", [*EVENTS, Record, Tombstone, Trajectory], ids=lambda cls: cls.__name__)
@given(data=st.data())
def test_a_marker_planted_in_any_text_of_any_type_does_not_survive(cls: type, data: st.DataObject) -> None:
    value = data.draw(values_of(cls, MARKED))
    assert MARK in repr(value)
    assert MARK not in repr(map_texts(value, remove))


def test_keys_and_texts_at_any_depth_are_reached_with_the_name_of_their_field() -> None:
    deep: Any = "leaf"
    for depth in range(20):
        deep = [deep] if depth % 2 else {f"key{depth}": deep}
    call = ToolCall(id="e", name="n", arguments={"password": ["p", {"in": "q"}]}, raw=deep)
    seen: dict[str, str | None] = {}

    def note(text: str, name: str | None) -> str:
        seen[text] = name
        return text

    assert map_texts(call, note) == call
    assert seen["p"] == "password"
    assert seen["q"] == "in"
    assert seen["password"] is None
    assert seen["leaf"] == "key0"
    assert seen["e"] == "id"
    assert set(re.findall(r"key\d+", " ".join(seen))) == {f"key{n}" for n in range(0, 20, 2)}


@given(events())
def test_values_that_are_not_texts_stay(event: Event) -> None:
    assert map_texts(event, lambda text, _: text) == event
    changed = map_texts(event, lambda text, _: f"{text}!")
    assert type(changed) is type(event)
    assert changed.usage == event.usage
    assert changed.duration_ms == event.duration_ms
    assert changed.id == f"{event.id}!"


def test_a_value_without_changes_is_the_same_object() -> None:
    """A redactor that finds nothing makes no copy."""
    prompt = Prompt(id="a", content="b", files=(FileTouched(path="f"),), usage=Usage(input_tokens=1))
    assert map_texts(prompt, lambda text, _: text) is prompt


def test_sums_add_every_field() -> None:
    assert Usage(input_tokens=1, reasoning_tokens=2) + Usage(input_tokens=3, cache_read_tokens=4) == Usage(
        input_tokens=4, cache_read_tokens=4, reasoning_tokens=2
    )
    assert Counts(prompts=1, dropped=2) + Counts(errors=3) == Counts(prompts=1, dropped=2, errors=3)


def test_the_key_of_a_part_is_its_trajectory_and_first_event() -> None:
    stub = Record(id="t", link=Link(evidence="agent"), incomplete=True)
    part = Record(id="t", link=Link(evidence="agent"), range=Range(first="a", last="b", n=2))
    assert (stub.key, part.key) == (("t", None), ("t", "a"))

"""The difference between two JSON values, and applying it as a patch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gittraj.formats.base.carried import difference, is_same, patch

KEYS = st.sampled_from(["a", "b", "-", "[]", "="])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([1.0, "x"]),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(KEYS, inside, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_applying_a_difference_gives_the_wanted_value(wanted: object, given_: object) -> None:
    assert is_same(patch(given_, difference(wanted, given_)), wanted)


def test_a_difference_contains_only_what_differs() -> None:
    assert difference({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 2, "e": 4}}) == {
        "b": {"d": 3, "-": ["e"]}
    }
    assert difference([{"a": 1, "b": 2}], [{"a": 1}]) == {"[]": [{"b": 2}]}
    assert difference({"a": True}, {"a": 1}) == {"a": True}
    assert difference({"a": 1}, {"a": 1}) == {}


@given(VALUES, VALUES)
def test_a_patch_that_does_not_fit_raises_nothing(given_: object, change: object) -> None:
    patch(given_, change)

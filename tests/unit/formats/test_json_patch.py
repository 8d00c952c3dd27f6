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
def test_a_value_changed_by_its_difference_is_the_other(wanted: object, given_: object) -> None:
    assert is_same(patch(given_, difference(wanted, given_)), wanted)


def test_only_what_differs_is_kept_under_its_name() -> None:
    assert difference({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 2, "e": 4}}) == {
        "b": {"d": 3, "-": ["e"]}
    }
    assert difference([{"a": 1, "b": 2}], [{"a": 1}]) == {"[]": [{"b": 2}]}
    assert difference({"a": True}, {"a": 1}) == {"a": True}
    assert difference({"a": 1}, {"a": 1}) == {}


@given(VALUES, VALUES)
def test_a_change_that_fits_nothing_is_no_error(given_: object, change: object) -> None:
    patch(given_, change)

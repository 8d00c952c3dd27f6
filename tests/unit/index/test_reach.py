"""Commits reached from a tip: walking joints finds what walking all commits does, also in a grown history."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gittraj.index.reach import NamesByHeight, Stored, build_reach, extend_reach

Steps = dict[int, list[tuple[int, str, str]]]
"""By height: the number of a parent, a name at the commit, the name at that parent."""


@st.composite
def histories(draw: st.DrawFn) -> list[list[int]]:
    """Draw the parents of each height from 1 on; the last commit reaches all others."""
    size = draw(st.integers(1, 25))
    parents: list[list[int]] = [[]]
    for height in range(2, size + 1):
        near = st.integers(max(1, height - 4), height - 1)
        parents.append(
            draw(st.lists(near, min_size=draw(st.sampled_from((0, 1, 1, 1))), max_size=3, unique=True))
        )
        if draw(st.booleans()) and height - 1 not in parents[-1]:
            parents[-1].insert(0, height - 1)
    reached = {child for above in parents for child in above}
    parents[-1] += sorted({*range(1, size)} - reached - {*parents[-1]})
    return parents


def listed(parents: list[list[int]]) -> dict[str, list[str]]:
    return {f"c{h}": [f"c{p}" for p in parents[h - 1]] for h in range(len(parents), 0, -1)}


def naive(parents: list[list[int]], steps: Steps) -> dict[int, frozenset[str]]:
    names = {height: frozenset[str]() for height in range(1, len(parents) + 1)}
    names[len(parents)] = frozenset("a")
    for height in range(len(parents), 0, -1):
        for number, parent in enumerate(parents[height - 1]):
            table = {new: old for step, new, old in steps.get(height, ()) if step == number}
            names[parent] |= {table.get(name, name) for name in names[height]}
    return names


@given(histories(), st.data())
def test_names_are_handed_down_to_every_parent(parents: list[list[int]], data: st.DataObject) -> None:
    step = st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.sampled_from("abc"))
    steps = data.draw(st.dictionaries(st.integers(1, len(parents)), st.lists(step, max_size=2), max_size=5))
    rows = listed(parents)
    numbers = {commit: int(commit[1:]) * 2 for commit in rows}
    whole = build_reach(rows, numbers)
    inherited = NamesByHeight(whole, frozenset("a"), steps)
    assert {h: inherited.at(h) for h in range(1, len(parents) + 1)} == naive(parents, steps)
    assert [whole.parents(h) for h in range(1, len(parents) + 1)] == parents


@given(histories(), st.data())
def test_an_extended_reach_equals_one_made_at_once(parents: list[list[int]], data: st.DataObject) -> None:
    """Joints are an exception: an extended reach may have more than necessary."""
    cut = data.draw(st.integers(1, len(parents)))
    if {child for above in parents[:cut] for child in above} != {*range(1, cut)}:
        return  # the lower part has several tips
    rows, lower = listed(parents), listed(parents[:cut])
    numbers = {commit: int(commit[1:]) for commit in rows}
    upper = {commit: above for commit, above in rows.items() if commit not in lower}
    heights, *rest = build_reach(lower, numbers).write()
    below = Stored(heights, lambda: rest)
    grown = extend_reach(below, upper, numbers, {commit: int(commit[1:]) for commit in lower})
    whole = build_reach(rows, numbers)
    for name in ("heights", "numbers", "links", "more"):
        assert list(getattr(grown, name)) == list(getattr(whole, name)), name
    assert {*whole.joints} <= {*grown.joints}


FIELDS = ("heights", "numbers", "links", "more", "joints")


@given(histories(), st.integers(1, 2))
def test_a_written_reach_is_read_back(parents: list[list[int]], stride: int) -> None:
    """At first only its heights are read, and the rest when it is needed."""
    rows = listed(parents)
    whole = build_reach(rows, {commit: int(commit[1:]) * stride for commit in rows})
    heights, *rest = whole.write()
    asked: list[int] = []

    def read_rest() -> list[bytes]:
        asked.append(1)
        return rest

    stored = Stored(heights, read_rest)
    assert stored.height(stride) == 1
    assert not asked
    for name in FIELDS:
        expected = list(getattr(whole, name))
        assert list(getattr(stored, name)) == expected, name
    assert len(asked) == 1
    if stride == 1:
        assert len(heights) == len(rest[0]) == 4  # of a range only the length is written

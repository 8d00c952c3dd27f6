"""Which commits are copies of which others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest

from gittraj.history.copies import (
    find_splits,
    match_displaced,
    match_patches,
    match_picked,
    match_trees,
    read_quotes,
)
from gittraj.history.history import History, Kin
from gittraj.history.squashes import match_squashes
from tests.unit.history.tables import table


def copies(
    history: History,
    known: Collection[str],
    targets: Collection[str],
    same: str,
    became: Mapping[str, list[str]] | None = None,
) -> set[tuple[str, str]]:
    """Return the pairs of original and copy; the commits in ``same`` have the same patch."""
    history.patches.clear()
    history.patches.update({change: "P" for c in same.split() if (change := history.change(c))})
    return {*match_patches(known, targets, history=history, kin=Kin(history, known), became=became or {})}


ROWS = """
    base - t0 base
    old base t1 work
    m base t2 m
    one m t3 {one}
    two m t4 {two}
    again one t5 again
"""


def test_a_commit_with_the_same_patch_is_a_copy() -> None:
    history = table(ROWS.format(one="other", two="more"), reachable="one")
    assert copies(history, ["old"], ["one"], "old one") == {("old", "one")}
    assert copies(history, ["old"], ["one"], "old") == set()


def test_of_several_candidates_the_one_with_the_same_subject_is_the_copy() -> None:
    history = table(ROWS.format(one="other", two="work"), reachable="one two")
    assert copies(history, ["old"], ["one", "two"], "old one two") == {("old", "two")}
    history = table(ROWS.format(one="work", two="work"), reachable="one two")
    assert copies(history, ["old"], ["one", "two"], "old one two") == set()


def test_all_candidates_committed_later_than_authored_are_copies() -> None:
    rows = ROWS.format(one="work 1 9", two="work 1 9")
    assert copies(table(rows, reachable="one two"), ["old"], ["one", "two"], "old one two") == {
        ("old", "one"),
        ("old", "two"),
    }


def test_a_commit_older_than_the_original_is_not_a_copy() -> None:
    rows = ROWS.format(one="x 1 4", two="y").replace("work\n", "work 5 5\n")
    assert copies(table(rows, reachable="one"), ["old"], ["one"], "old one") == set()


def test_a_descendant_with_the_same_patch_is_not_a_copy() -> None:
    history = table(ROWS.format(one="work", two="x"), reachable="again")
    assert copies(history, ["one"], ["again"], "one again") == set()


def test_a_rewritten_original_is_represented_by_its_copy() -> None:
    history = table(ROWS.format(one="work", two="x"), reachable="one two")
    found = copies(history, ["old", "one"], ["two"], "old one two", {"old": ["one"]})
    assert found == {("one", "two")}
    assert copies(history, ["old", "one"], ["two"], "old one two") == set()


def test_a_cherry_pick_with_a_conflict_is_matched_by_subject_and_author() -> None:
    history = table(ROWS.format(one="work", two="x"), reachable="one two")
    assert {*match_picked(["one", "two"], ["old"], history=history, became={})} == {("old", "one")}


def test_a_cherry_pick_copies_the_commit_as_it_was_at_that_time() -> None:
    rows = "base - t0 b\nold base t1 work 2 2\nbecame base t2 work 2 {became}\npick base t3 work 2 5"
    for became, source in ((9, "old"), (3, "became")):
        history = table(rows.format(became=became), reachable="became pick")
        found = match_picked(
            ["pick"],
            ["old", "became"],
            history=history,
            became={"old": ["became"]},
        )
        assert [*found] == [(source, "pick")]


def test_a_cherry_pick_of_another_commit_with_the_same_patch_is_not_ours() -> None:
    history = table(ROWS.format(one="twin", two="twin"), reachable="one two")
    history.patches.update({change: "P" for c in ("old", "one", "two") if (change := history.change(c))})
    assert [*match_picked(["two"], ["old"], history=history, became={})] == []


def test_a_commit_with_the_same_tree_and_parents_is_a_copy() -> None:
    history = table("base - t0 base\nold base t1 x\nnew base t1 y\nempty base t0 z\nnone base t0 w")
    assert [*match_trees(["old", "empty"], ["new", "none"], history=history, became={})] == [("old", "new")]


def test_a_chain_from_the_same_parent_to_the_same_tree_is_a_split() -> None:
    history = table("base - t0 b\nold base t9 o\np base t1 p\nq p t9 q\nr q t2 r", reachable="r")
    assert [*find_splits(["old"], ["p", "q", "r"], history=history)] == [("old", ["p", "q"])]
    assert [*find_splits(["old"], ["q", "r"], history=history)] == []


def test_originals_are_read_from_messages_that_quote_them() -> None:
    history = table("base - t0 b\nnew base t1 n")
    one, two = "1" * 40, "2" * 40

    def read(message: str) -> list[tuple[str, str, bool]]:
        commits = {**history.commits, "new": replace(history.commits["new"], message=message)}
        return [*read_quotes(replace(history, commits=commits), [one])]

    assert read(f"n\n\n(cherry picked from commit {one})\n") == [(one, "new", False)]
    assert read(f"n\n\nSquashed commit of the following:\n\ncommit {two}\n\ncommit {one}\n") == [
        (one, "new", True)
    ]
    assert read(f"n\n\nThis reverts commit {one}.\n") == []
    assert read(f"n\n\ncommit {one}\n") == []
    assert read(f"n\n\nsee (cherry picked from commit {one})\n") == []


def test_a_squash_needs_all_of_its_range() -> None:
    history = table(
        """
        base - t0 base
        a base t1 a
        b a t2 b
        undo b t1 undo
        redo undo t3 redo
        m base t4 m
        new m t5 new
        """,
        reachable="new",
    )
    kin = Kin(history, ["a", "b", "redo"])
    patches = {("t0", "t3"): "P", ("t4", "t5"): "P"}

    def match(known: list[str], patches: dict[tuple[str, str], str]) -> set[tuple[str, str]]:
        history.patches.update(patches)
        return {*match_squashes([("base", "redo")], known, ["new"], history=history, kin=kin, became={})}

    assert match(["a", "b", "redo"], patches) == {("a", "new"), ("b", "new"), ("redo", "new")}
    assert not match(["a"], {**patches, ("t1", "t3"): "P"})


@pytest.mark.parametrize(
    ("became", "base", "expected"),
    [
        ({}, "m", set()),
        ({"a": ["c"], "b": ["d"]}, "m", {("c", "new"), ("d", "new")}),
        ({}, "base", {("c", "new"), ("d", "new")}),
    ],
    ids=["unknown", "rewritten", "same base"],
)
def test_of_two_ranges_with_a_squashs_patch_the_one_that_remains_is_the_source(
    became: dict[str, list[str]], base: str, expected: set[tuple[str, str]]
) -> None:
    history = table(
        f"""
        base - t0 base
        a base t1 a
        b a t2 b
        c base t3 c
        d c t5 d
        m base t4 m
        new {base} t5 new
        """,
        reachable="b d new",
    )
    history.patches.update(dict.fromkeys((("t0", "t2"), ("t0", "t5"), ("t4", "t5")), "P"))
    found = match_squashes(
        [("base", "b"), ("base", "d")],
        ["a", "b", "c", "d"],
        ["new"],
        history=history,
        kin=Kin(history, ["b", "d"]),
        became=became,
    )
    assert {*found} == expected


def test_a_copy_is_younger_than_its_original() -> None:
    rows = ROWS.format(one="work 1 9", two="x").replace("old base t1 work\n", "old base t1 work 1 5\n")
    history = table(rows, reachable="old one")
    assert copies(history, ["old"], ["one"], "old one") == {("old", "one")}
    assert copies(history, ["one"], ["old"], "old one") == set()


def test_an_amended_commit_is_not_a_copy_of_its_amend() -> None:
    history = table("old - t0 begin 1 1\nnew - t0 said 1 5", reachable="old new")
    assert copies(history, ["new"], ["old"], "old new") == set()
    assert [*match_trees(["new"], ["old"], history=history, became={})] == []
    assert [*match_trees(["old"], ["new"], history=history, became={})] == [("old", "new")]


def test_a_commit_made_again_twice_is_a_copy_of_the_second() -> None:
    """If the original was rewritten before, its rewritten form is the source."""
    history = table("old - t0 one 1 1\nagain - t0 two 2 2\nnew - t0 three 3 3", reachable="again new")
    pairs = match_trees(["old", "again"], ["new"], history=history, became={"old": ["again"]})
    assert [*pairs] == [("again", "new")]


def places(rows: str, *, names: str = "") -> set[tuple[str, str]]:
    """Return the pairs that ``match_displaced`` finds; the commits in ``names`` change the file ``f``."""
    history = table("base - t0 base\nold base t1 work\n" + rows, reachable="new")
    here = {b"f": (b"", b"")}
    history.paths.update({change: here for c in names.split() if (change := history.change(c))})
    return {*match_displaced(["old", "base"], history=history)}


def test_a_commit_with_the_same_parent_and_tree_replaces_the_original() -> None:
    assert places("new base t1 other") == {("old", "new")}
    assert places("new base t2 other") == set()
    assert places("mid base t1 one\nside base t1 two\nnew mid,side t3 both") == set()


def test_a_commit_with_the_same_author_date_subject_and_files_is_an_amend() -> None:
    assert places("new base t2 work 1 9", names="old new") == {("old", "new")}
    assert places("new base t2 work 1 1", names="old new") == set()
    assert places("new base t2 work 2 9", names="old new") == set()
    assert places("new base t2 said 1 9", names="old new") == set()
    assert places("new base t2 work 1 9", names="old") == set()

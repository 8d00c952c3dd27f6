"""Which original commit each step of a rebase applied."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gittraj.history.history import Change, History, Paths
from gittraj.history.rebases import match_rebase, read_steps
from gittraj.history.story import read_story
from tests.unit.history.tables import log, table

# originals a b c on base, and what they became on main; a commit's tree is named after it
COMMITS = """
    base - base base
    a base a a
    b a b b
    c b c c
    main base main main
    a2 main a2 a
    b2 a2 b2 b
    c2 b2 c2 c
    ab main ab a
    c3 ab c3 c
    x2 a2 x2 x
"""


def match(
    entries: str, patches: Mapping[str, str], paths: Mapping[Change, Paths] | None = None, rows: str = COMMITS
) -> set[tuple[str, str]]:
    """Match a rebase's steps; the keys of ``patches`` are pairs of trees, ``before..after``."""
    history: History = table(rows)
    (rebase,) = read_story([log(f"c main rebase (start): checkout main\n{entries}")], []).rebases
    history.patches.update({(k.split("..")[0], k.split("..")[1]): v for k, v in patches.items()})
    history.paths.update(paths or {})
    return {*match_rebase(history.between("main", "c"), read_steps(rebase, history), history)}


PICKED = "main a2 rebase (pick): a\na2 b2 rebase (pick): b\nb2 c2 rebase (pick): c"


def test_steps_are_matched_by_subject_and_author() -> None:
    assert match(PICKED, {}) == {("a", "a2"), ("b", "b2"), ("c", "c2")}


def test_an_equal_patch_counts_more_than_the_subject() -> None:
    patches = {"base..a": "P", "a2..x2": "P"}
    assert match("main a2 rebase (pick): z\na2 x2 rebase (reword): x", patches) == {("a", "x2")}


def test_dropped_commits_have_no_copy() -> None:
    assert match("main a2 rebase (pick): a", {}) == {("a", "a2")}


def test_a_fixup_replaces_the_pick_before_it() -> None:
    entries = "main a2 rebase (pick): a\na2 ab rebase (fixup): a"
    assert match(entries, {"a..b": "B", "a2..ab": "B"}) == {("a", "a2"), ("a2", "ab"), ("b", "ab")}


@pytest.mark.parametrize(
    ("paths", "found"), [(("f", "f"), True), (("f", "g"), False)], ids=["same path", "other path"]
)
def test_the_remaining_original_belongs_to_a_resolved_fixup(paths: tuple[str, str], found: bool) -> None:
    touched = {
        ("a", "b"): {paths[0].encode(): (b"1", b"2")},
        ("a2", "ab"): {paths[1].encode(): (b"3", b"4")},
    }
    entries = "main a2 rebase (pick): a\na2 ab rebase (continue): a\nab c3 rebase (pick): c"
    pairs = match(entries, {}, touched)
    assert (("b", "ab") in pairs) is found


def test_a_stop_for_an_edit_adds_no_original() -> None:
    touched = {("a", "b"): {b"f": (b"1", b"2")}, ("a2", "ab"): {b"f": (b"3", b"4")}}
    entries = "main a2 rebase (edit): a\na2 ab rebase (continue): a"
    assert match(entries, {}, touched) == {("a", "a2"), ("a2", "ab")}


def test_commits_with_equal_patches_and_subjects_keep_their_order() -> None:
    rows = COMMITS.replace("b a b b", "b a b a").replace("b2 a2 b2 b", "b2 a2 b2 a")
    patches = dict.fromkeys(["base..a", "a..b", "main..a2", "a2..b2"], "P")
    entries = "main a2 rebase (pick): a\na2 b2 rebase (pick): a"
    assert match(entries, patches, rows=rows) == {("a", "a2"), ("b", "b2")}
    assert match("main a2 rebase (pick): a", patches, rows=rows) == set()


def test_steps_whose_commits_are_gone_are_left_out() -> None:
    assert match("main gone rebase (pick): a\ngone b2 rebase (pick): b", {}) == set()

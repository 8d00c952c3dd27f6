"""Reading amends, rebases and copies from reflogs, entry by entry."""

from __future__ import annotations

import pytest

from gittraj.history.story import choose, read_story
from tests.unit.history.tables import log, table

HEAD = """
    base x    commit: x
    x    y    commit (amend): x
    y    main rebase (start): checkout main
    main y2   rebase (pick): y
    y2   y2   rebase (finish): returning to refs/heads/topic
"""
BRANCH = """
    x y  commit (amend): x
    y y2 rebase (finish): refs/heads/topic onto main
"""


def test_heads_reflog_has_the_steps_and_the_branchs_the_tips() -> None:
    story = read_story([log(HEAD)], [log(BRANCH)])
    assert story.amends == (("x", "y"),)
    (rebase,) = story.rebases
    assert (rebase.onto, rebase.tips, rebase.end) == ("main", ("y",), "y2")
    assert [e.new for e in rebase.steps] == ["y2"]


def test_a_branchs_reflog_alone_has_both_tips() -> None:
    (rebase,) = read_story([], [log(BRANCH)]).rebases
    assert (rebase.onto, rebase.tips, rebase.end, rebase.steps) == ("main", ("y",), "y2", ())


def test_another_command_may_run_the_rebase() -> None:
    entries = HEAD.replace("rebase (", "pull --rebase origin main (")
    (rebase,) = read_story([log(entries)], [log(BRANCH)]).rebases
    assert [e.new for e in rebase.steps] == ["y2"]


def test_an_aborted_rebase_is_ignored() -> None:
    entries = HEAD.replace("(finish)", "(abort)")
    assert read_story([log(entries)], []).rebases == ()


def test_a_rebase_in_progress_has_no_end() -> None:
    entries = log(HEAD)[:-1]
    (rebase,) = read_story([entries], []).rebases
    assert (rebase.tips, rebase.end) == (("y",), None)


@pytest.mark.parametrize(
    ("message", "copies"),
    [
        ("cherry-pick: x", ("n",)),
        ("commit (cherry-pick): x", ("n",)),
        ("am: x", ("n",)),
        ("cherry-pick: fast-forward", ()),
        ("revert: Revert x", ()),
        ("commit: cherry-pick: x", ()),
    ],
)
def test_a_cherry_picks_entry_is_a_copy(message: str, copies: tuple[str, ...]) -> None:
    assert read_story([log(f"o n {message}")], []).copies == copies


def test_only_rebases_of_the_given_commits_are_chosen() -> None:
    history = table("""
        base - t0 base
        x base t1 x
        y base t1 y
        main base t2 main
        y2 main t3 y
    """)
    story = read_story([log(HEAD)], [log(BRANCH)])
    assert [originals for _, originals in choose(story, history, ["x"])] == [["y"]]
    assert choose(story, history, ["main"]) == []

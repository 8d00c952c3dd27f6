"""The flags of the comment, which say where a reviewer should look first."""

from __future__ import annotations

import dataclasses
import gc
import re
import weakref
from dataclasses import replace

import pytest

from gittraj.model.values import Decision, FileChanged, TestRuns
from gittraj.query.change import Change
from gittraj.render.comment.comment import CommentOptions, render_comment
from gittraj.render.comment.flags import find_flags
from gittraj.render.comment.tables import Location
from tests.integration.story import record
from tests.unit.render.changes import A, B, C, change_of, figures, full_change, whole

LOCATION = Location(
    server="https://github.example", repository="acme/shop", number=7, run="https://github.example/run"
)


def render(change: Change, options: CommentOptions = CommentOptions()) -> str:  # noqa: B008 - frozen
    return render_comment(change, LOCATION, options)


def test_a_doubt_is_shown_at_the_file_that_it_names() -> None:
    flags = {flag.quoted: flag.path for flag in find_flags(full_change()) if flag.quoted}
    assert flags["Retry-After as an HTTP date is not covered by test_retry.py."] == "tests/test_retry.py"
    assert flags["retry-after as seconds only"] is None, "its session made another commit, too"
    doubt = figures(
        decisions=(Decision(chosen="a guess", by="agent", confidence=0.4),), caveats=("Is it up?",)
    )
    of_one = find_flags(change_of({A: [record("traj_one", **doubt)]}))
    assert {flag.path for flag in of_one if flag.quoted} == {"src/retry.py"}, "the only file of its commit"
    of_session = change_of({A: [record("traj_one", **doubt)], C: [record("traj_one", at=1, **doubt)]})
    assert {flag.path for flag in find_flags(of_session) if flag.quoted} == {None}
    (of_two, *_) = find_flags(change_of({B: [record("traj_one", **doubt)]}))
    assert (of_two.path, of_two.commits) == (None, (B,)), (
        "it names neither of two files: the flag is at the commit"
    )


def test_without_flags_nothing_is_listed_to_look_at_first() -> None:
    quiet = record("traj_one", whole=whole(), **figures())
    text = render(change_of({A: [quiet], B: [quiet], C: [quiet]}))
    assert "Look here first" not in text
    bare = change_of({})
    assert (
        "No agent trajectory is attached to these 3 commits; `refs/notes/traj` was read at `ddddddd`. "
        "If you have records of them: `git traj push`." in render(bare)
    )
    assert "the repository has no records" in render(replace(bare, notes=None))
    assert "Look here" not in render(bare)


def test_a_change_of_code_without_a_test_run_is_left_open() -> None:
    never = record("traj_one", whole=whole(), **figures(tests=None))
    change = change_of({A: [never], B: [never], C: [never]})
    assert not find_flags(change), "an omission does not belong to a line"
    assert "**Left open:** no test run is recorded for these commits." in render(change)
    assert "no test run is recorded" not in render(replace(change, files=("README.md", "docs/a.rst")))


def test_a_failed_test_is_shown_above_a_doubt() -> None:
    failed = TestRuns(runs=1, ran=True, kind="test", outcome="failed", last_failed=1)
    unsure = Decision(chosen="seconds only", by="agent", confidence=0.6)
    part_record = record("traj_one", whole=whole(), **figures(tests=failed, decisions=(unsure,)))
    assert [flag.icon for flag in find_flags(change_of({A: [part_record]}))[:2]] == ["❌", "⚠️"]


def test_a_doubt_names_the_later_commit_that_answered_it_or_changed_its_file() -> None:
    """A doubt is answered if a later decision on it is sure; whether a change settled it is unknown."""
    asked = Decision(chosen="five", by="agent", question="How often?", confidence=0.3)
    guess = Decision(chosen="seconds only", by="agent", confidence=0.6)
    first = figures(decisions=(asked, guess), caveats=("Not covered by test_retry.py.", "Is Redis up?"))
    for later in (
        replace(asked, chosen="three", confidence=0.9),
        replace(asked, by="human", confidence=None),
    ):
        second = record("traj_two", whole=whole(), **figures(decisions=(later,)))
        change = change_of({A: [record("traj_one", whole=whole(), **first)], B: [second]})
        flags = [flag for flag in find_flags(change) if flag.quoted]
        assert [(flag.quoted, flag.since, flag.later) for flag in flags] == [
            ("seconds only", "changed again in", B),
            ("Not covered by test_retry.py.", "changed again in", B),
            ("Is Redis up?", "changed again in", B),
            ("How often? five", "answered in", B),
        ]
        assert [flag.icon for flag in flags] == ["⚠️"] * 3 + ["✔️"]
        assert "five” (answered in [`b2b2b2b`](" in render(change)
    open_still = change_of({B: [record("traj_one", whole=whole(), **first)], A: [second]})
    assert not any(flag.later for flag in find_flags(open_still)), "an earlier commit answers nothing"


def test_a_doubt_that_was_stated_again_after_the_answer_is_open() -> None:
    """Of equal doubts the last is shown, at its own commit."""
    asked = Decision(chosen="seconds", by="agent", question="Which unit?", confidence=0.5)
    decisions = (asked, replace(asked, chosen="ms", confidence=0.9), replace(asked, confidence=0.4))
    first, answer, again = (
        record(f"traj_{n}", whole=whole(), **figures(decisions=(each,))) for n, each in enumerate(decisions)
    )
    change = change_of({A: [first], B: [answer], C: [again]})
    (flag,) = [flag for flag in find_flags(change) if flag.quoted]
    assert (flag.icon, flag.path, flag.later) == ("⚠️", "src/pool.py", None)
    assert "unsure (40\u00a0%)" in flag.reason
    other = replace(asked, chosen="minutes", confidence=0.4)
    doubted = record("traj_3", whole=whole(), **figures(decisions=(other,)))
    change = change_of({A: [first], B: [answer], C: [doubted]})
    assert [flag.icon for flag in find_flags(change) if flag.quoted] == ["⚠️", "⚠️"]


def test_the_cache_of_flags_keeps_no_change_in_memory() -> None:
    change = full_change()
    gone = weakref.ref(change)
    assert find_flags(change)
    del change
    gc.collect()
    assert gone() is None


def test_doubts_about_files_not_changed_later_come_first() -> None:
    fields = figures(caveats=("Is retry.py right?", "Is pool.py right?"))
    flags = find_flags(change_of({A: [record("traj_one", whole=whole(), **fields)]}))
    assert [flag.path for flag in flags[:2]] == ["src/retry.py", "src/pool.py"], "no commit came after"
    change = change_of({A: [record("traj_one", whole=whole(), **fields)]})
    moved = replace(change, commits=(change.commits[2], *change.commits[:2]))
    assert [(f.path, f.later) for f in find_flags(moved)[:2]] == [("src/pool.py", None), ("src/retry.py", B)]


def test_all_flags_are_counted_including_those_not_shown() -> None:
    doubts = tuple(f"{n} may be wrong." for n in range(1_500))
    change = change_of({A: [record("traj_one", whole=whole(), **figures(caveats=doubts))]})
    assert len([flag for flag in find_flags(change) if flag.quoted]) == 1_500
    more = re.search(r"More to look at \((\d+)\)</summary>.*?\n\n(\d+) more\.", render(change), re.S)
    assert more and int(more[1]) > 1_490 and int(more[2]) in (int(more[1]) - 40, int(more[1]) - 10)


@pytest.mark.parametrize(
    ("run", "icon", "how"),
    [
        (TestRuns(runs=1, ran=True, kind="test", outcome="failed"), "❌", "failed"),
        (TestRuns(runs=1, ran=True, kind="test", outcome="error", last_errors=2), "❌", "ended in 2 errors"),
        (TestRuns(runs=1, ran=True, kind="test", outcome="error"), "❔", "gave no result"),
        (TestRuns(runs=1, ran=False, kind="test", outcome="error"), "❔", "did not start"),
    ],
)
def test_a_run_without_a_result_is_not_called_an_error(run: TestRuns, icon: str, how: str) -> None:
    flags = find_flags(change_of({A: [record("traj_one", whole=whole(), **figures(tests=run))]}))
    [flag] = [flag for flag in flags if "test run" in flag.why]
    assert (flag.icon, flag.why) == (icon, f"The last test run of a session {how} (recorded on {A[:7]})")


def test_a_failed_run_says_that_a_later_commits_session_passed() -> None:
    failed = TestRuns(runs=1, ran=True, kind="test", outcome="failed", last_failed=1)
    first = record("traj_one", whole=whole(), **figures(tests=failed, caveats=("It may be slow.",)))
    second = record("traj_two", whole=whole(), **figures())
    warned, flag = find_flags(change_of({A: [first], B: [second]}))[:2]
    assert (warned.icon, flag.commits) == ("⚠️", (B,))
    why = f"The last test run of a session failed: 1 failed (recorded on {A[:7]})"
    assert flag.why == f"{why}; that of a later commit's session passed"
    assert find_flags(change_of({A: [second], B: [first]}))[0].why == why.replace(A[:7], B[:7])


def test_a_failed_run_is_shown_with_the_last_commit_that_records_it() -> None:
    failed = TestRuns(runs=1, ran=True, kind="test", outcome="failed", last_failed=1)
    lint = TestRuns(runs=1, ran=True, kind="lint", outcome="failed")
    runs = {A: failed, B: failed, C: lint}
    parts = [record("traj_one", at=n, whole=whole(), **figures(tests=runs[at])) for n, at in enumerate(runs)]
    flags = find_flags(change_of({at: [part] for at, part in zip(runs, parts, strict=True)}))
    assert flags[0].why.endswith(f"failed: 1 failed (recorded on {B[:7]})")


def test_a_file_without_a_recorded_edit_is_flagged() -> None:
    part_record = record("traj_one", **figures(files=(FileChanged(path="src/a.py", edits=1),)))
    change = change_of({A: [part_record]}, files=("src/a.py", "README"))
    found = find_flags(change)
    why = "No recorded edit names it; a command may have written it"
    assert (found[-1].path, found[-1].why) == ("README", why)
    found = find_flags(dataclasses.replace(change, written={}))
    assert (found[-1].path, found[-1].why) == ("README", "No recorded edit matches its lines")
    written = dataclasses.replace(change, written={"README": {"traj_one"}})
    assert "❔" not in [flag.icon for flag in find_flags(written)]
    many = change_of({A: [part_record]}, files=("src/a.py", *(f"made/{n}" for n in range(9))))
    assert "❔" not in [flag.icon for flag in find_flags(many)]

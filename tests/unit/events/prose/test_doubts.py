"""Doubts, and sentences that only look like one."""

from __future__ import annotations

import pytest

from gittraj.events.prose.doubts import find_doubts


@pytest.mark.parametrize(
    "said",
    [
        "The Windows path has never been tested.",
        "I was unable to reach the staging database.",
        "Retries across restarts are not supported.",
        "Two tests still fail, with or without this change.",
        "The limit is set to 100 for now.",
        "Older clients may break on the new field.",
        "Uploads above 2 GB do not work yet.",
        "Note: the cache must be cleared by hand after an upgrade.",
        "Heads-up: the endpoint only accepts UTF-8.",
        "The migration was skipped, and I did not run it on production data.",
        "I'm not entirely sure that the lock is needed.",
        "I committed it with `--no-verify`, as the hook hangs here.",
        "The dashboard was left untouched and still reads the old table.",
        "No Docker is available here, so the image was not built.",
    ],
)
def test_a_doubt(said: str) -> None:
    assert [doubt.quote for doubt in find_doubts([f"All done.\n\n{said} Bye for today."])] == [said]


@pytest.mark.parametrize("head", ["## Known issues", "**Not done:**", "### Limitations", "Follow-ups:"])
def test_a_list_of_doubts(head: str) -> None:
    message = f"Done.\n\n{head}\n\n- Pagination of the archive\n- Dark mode on the login page\n"
    assert [doubt.quote for doubt in find_doubts([message])] == [
        "Pagination of the archive",
        "Dark mode on the login page",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Rendering needs 300 MB of memory.",
        "Thumbnails are only made once somebody opens the page.",
        "The second branch looks wrong, but it has been so for years.",
        "The webhook was checked against a fake.",
        "The pool size must be raised by an administrator.",
    ],
)
def test_a_limit_counts_in_a_report_of_work_done(said: str) -> None:
    assert [doubt.quote for doubt in find_doubts([f"I added the gallery.\n\n{said}"])] == [said]
    assert find_doubts([f"Here is how it works.\n\n{said}"]) == ()


def test_in_a_list_of_notes_what_limits_is_a_doubt() -> None:
    message = (
        "I added the export.\n\nA few things to know:\n\n- Rows are no longer sorted\n- It has its own page\n"
    )
    message += "- Empty files are still written\n"
    assert [doubt.quote for doubt in find_doubts([message])] == ["Empty files are still written"]


@pytest.mark.parametrize(
    "said",
    [
        "I fixed it. Double entries are dropped by id.",
        "I fixed it. It lists the files that are ignored.",
        "All tests pass.",
        "I fixed the test that was failing.",
        "The crash is fixed and can no longer happen.",
        "Should I leave the old endpoint in place for now?",
        "Let me check why it does not work.",
        "If you want to test it, run `make demo`.",
        '"This may break old clients."',
        "> This may break old clients.",
        "```\nThis may break old clients.\n```",
        "I added a section named Known issues to the README.",
        "## Known issues\n\nNone.",
        'The README says: "It is fast. Warning: do not use it in threads."',
    ],
)
def test_no_doubt(said: str) -> None:
    assert find_doubts([said]) == ()


@pytest.mark.parametrize(
    "message",
    [
        # before the mend
        "Uploads above 2 GB do not work. Fixed by reading in chunks.",
        "The cache may lose entries on a restart.\n\nI added a journal that is replayed at the start.",
        # the past of the problem
        "I fixed it. The loop was copied from the old importer and would break on an empty page.",
        "The watcher did not cover symlinks, so a change could be lost. It follows them now.",
        # what is offered, planned or explained
        "## Options\n\n- Force push: this will overwrite the branch of others",
        "There are two ways to close the gap:\n- Leave the page as it is for now",
        "This resolves:\n- Reader threads may break on old files",
        # how code behaves, in a wrapped text without a person
        "fix(parse): keep the order\n\nA batch that is not new will overwrite\nthe rows of the next, and "
        "readers may miss\nwhat is between.",
        "Tests: a large batch is deferred to the queue.",
        "Nothing is lost by leaving it out.",
    ],
)
def test_the_problem_before_its_mend_and_what_is_explained_are_no_doubts(message: str) -> None:
    assert find_doubts([message]) == ()


def test_in_a_long_report_weak_words_tell_how_it_works() -> None:
    steps = " ".join(f"Step {name} reads its own table." for name in "ABCDEFGH")
    weak, own = "The second reader rejects what it has seen.", "I did not migrate the third reader."
    assert find_doubts([f"I added the readers. {weak}"])
    assert [doubt.quote for doubt in find_doubts([f"I added the readers. {steps} {weak} {own}"])] == [own]


def test_a_guess_at_what_should_be_is_a_doubt() -> None:
    said = "Probably `redeem` should lock the row, too."
    assert [doubt.quote for doubt in find_doubts([f"I added the vouchers. {said}"])] == [said]


@pytest.mark.parametrize(
    "message",
    [
        "Things I did:\n- Replaced the manual loop with a map",
        "Notes:\n- Only the parser was changed.",
        "Notes:\n- Replaced the manual loop with a map",
    ],
)
def test_what_was_done_is_no_doubt_under_a_heading_of_notes(message: str) -> None:
    assert find_doubts([message]) == ()
    assert find_doubts([f"I reworked the parser.\n\n{message}"]) == ()


@pytest.mark.parametrize(
    "said",
    [
        "Removed files are still in the index",
        "Only the first of two was changed",
        "Limited to one manual run",
    ],
)
def test_a_note_that_limits_stays_a_doubt(said: str) -> None:
    assert [doubt.quote for doubt in find_doubts([f"Notes:\n- {said}"])] == [said]

"""Sentences that differ by little from those that look like them: each says what is told of it."""

from __future__ import annotations

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts

DONE = "I added the gallery.\n\n"


@pytest.mark.parametrize(
    "said",
    [
        "Environment variables are replaced by their values when the config is read.",
        "Next steps: replace the stub with the real client.",
        "Replace the filter with the new one and run it again.",
        "Drop the cache in favor of a direct read.",
        "Nothing else changed. I tried Redis, but it needs a server.",
        "Tests pass. I tried the other port, but it was taken.",
        "Running the build. I tried npm ci, but the lock file is out of date.",
        "Tests: green. A longer run would have meant a second worker.",
        "A reload would work, so we know the socket is fine.",
        "Output looked right, so I committed it.",
        "A retry might work, but I could not try it.",
        "Files that were replaced by links are skipped.",
        "The index is used where a full scan is too slow.",
        "The cache is kept while a download is too slow.",
        "Lint: clean – all 40 files. A longer run would have meant a second worker.",
        "## Not intentional\n- The typo in line 3 (it was there before my change)",
        "In CSS, `gap` is preferred over margins for flex children, so many guides recommend it.",
        "The lint rule prefers `const` over `let`, since reassignments are rare.",
        "Favoured by many teams over rows, columns are fast.",
        "I moved the helper over to utils since both need it.",
        "It learns preferences over time, using feedback.",
        "**Context**: the service was using the old list instead of the new one",
        "The old code used a list instead of a set, so lookups were slow.",
        "- **Isolation**: Secrets are not exposed in logs",
        "- **Phases**: say so when moving from analysis to a fix",
        "Goals: the first version focuses on insights, not widgets",
        "The page is tuned for pasting, with the whole context needed to mend a failure.",
        "The list is there. Our changes are in the file but haven't been pushed.",
        "The finding is real and was proved rather than assumed.",
        "Sessions are filtered by worktree, preventing cross-worktree noise.",
        "We were deploying to the wrong project instead of the right one.",
        "**Services Not Running**: the frontend had stopped, which caused the errors.",
        "The `gh` tool prefers `GH_TOKEN` over `GITHUB_TOKEN`.",
        "Optional: a section on how to move from memory to a database.",
        "I left those for a follow-up.",
        "I prefer tabs over spaces.",
        "Developers prefer pytest over unittest because it is short.",
        "Preferring clarity over speed, I wrote it as two loops.",
        "I added the endpoint and its tests.\n\nPolling would have meant more load.",
    ],
)
def test_no_choice(said: str) -> None:
    assert find_choices([said]) == ()


@pytest.mark.parametrize(
    ("said", "chosen", "other", "why"),
    [
        (
            "A view would have been faster, yet refreshing made it a poor fit; I've added a covering index",
            "a covering index",
            "A view",
            None,
        ),
        ("- Now uses `find_all` instead of a plain subtraction", "`find_all`", "a plain subtraction", None),
        ("My first thought was a queue, but a table is simpler.", "a table", "a queue", "is simpler"),
        (
            "I drop the dots if a comma follows; a regular expression was my first thought, but a replace"
            " reads better.",
            "a replace",
            "a regular expression",
            "reads better",
        ),
        ("A queue would work, but I used a table to keep it simple.", "a table", "A queue", "it simple"),
        (
            "The old endpoint was dropped in favor of the new one because clients moved.",
            "the new one",
            "The old endpoint",
            "clients moved",
        ),
        ("Parsing is now replaced by a table.", "a table", "Parsing", None),
        (
            "We went for SQLite instead of Postgres because it is one file.",
            "SQLite",
            "Postgres",
            "it is one file",
        ),
        ("I plumped for ruff instead of flake8.", "ruff", "flake8", None),
        ("Engine: Pagefind. Algolia would have meant an account.", "Engine: Pagefind", "Algolia", None),
        ("**Engine** – Pagefind. Algolia would have meant an account.", "Engine – Pagefind", "Algolia", None),
        (
            "## Not renamed (on purpose)\n- The module in the core (it would touch every import)",
            "not: The module in the core",
            "The module in the core",
            "it would touch every import",
        ),
        (
            "## Deliberately not done\n- Renaming the module (it would touch every import)",
            "not: Renaming the module",
            "Renaming the module",
            "it would touch every import",
        ),
        ("Using a set instead of a list makes membership O(1).", "a set", "a list", "makes membership O(1)"),
        ("Used f(x) instead of g(x) in the loop (twice).", "f(x)", "g(x) in the loop (twice)", None),
        ("Kept run(a) rather than run(b) (one caller needs it).", "run(a)", "run(b)", "one caller needs it"),
        (
            "Polling would work, but wastes requests, so I used a webhook.",
            "a webhook",
            "Polling",
            "wastes requests",
        ),
        (
            "I added the cache.\n\nRedis would have worked, but it adds a service, so I stayed with memory.",
            "memory",
            "Redis",
            "it adds a service",
        ),
        (
            "The runner is a loop. **Alternative considered**: a cron job, rejected because it needs root.",
            "The runner is a loop.",
            "a cron job",
            "it needs root.",
        ),
        (
            "I added it.\n\n**Alternative considered**: a cron job, rejected because it needs root.",
            "not: a cron job",
            "a cron job",
            "it needs root.",
        ),
        (
            "I prefer two loops over one clever one, because it reads better.",
            "two loops",
            "one clever one",
            "it reads better",
        ),
        ("I prefer `pathlib` over `os.path` here for readability.", "`pathlib`", "`os.path`", "readability"),
        (
            "I added it.\n\nI considered returning 0 but rejected it because a typo would pass silently.",
            "not: returning 0",
            "returning 0",
            "a typo would pass silently",
        ),
        (
            "I considered a queue, but ruled it out since it needs a server.",
            "not: a queue",
            "a queue",
            "it needs a server",
        ),
    ],
)
def test_a_choice_and_its_sides(said: str, chosen: str, other: str, why: str | None) -> None:
    [found] = find_choices([said])
    assert (found.chosen, found.rejected) == (chosen, (other,))
    assert why is None or found.reason == why


@pytest.mark.parametrize(
    "said",
    [
        "The command runs without errors and the tests pass.",
        "The type checker runs without warnings.",
        "Old links still work.",
        "Existing links still work.",
        "I think this covers everything you asked for.",
        "Dependencies are pinned to exact versions in the lock file.",
        "Nothing is left open.",
        "The middleware leaves the request body untouched.",
        "Each field needs a label, and each has one.",
        "It was caused by a value that was not initialized.",
        "I added a spinner that disappears after loading.",
        "The field temporarily stored the token.",
        "The network is stubbed in the tests.",
        "This raises when the file will not open.",
        "Requests that are not signed are rejected.",
        "Send is disabled during processing.",
        "Note: the badge correctly uses the new name, which does not clash.",
        "This keeps the notes while removing the security risk.",
        "My recommendation is to renumber it, since the next part hasn't been implemented.",
        "Keep the key secret: it is not encrypted.",
        "There are no errors left.",
        "There is no dead code left.",
        "There is enough room left.",
        "There are only two callers left, both updated.",
        "I tried to keep the diff small but complete.",
        "I tried to reuse the helper, but it lives in a private module, so I copied the three lines.",
        "It still reports 3 passed.",
        "The old alias still reports 200.",
        "The command fails because Docker is not running, so I added a check with a clear message.",
        "The switch can be off.",
        "Each ticket may have a bug label.",
    ],
)
def test_no_doubt_of_a_report(said: str) -> None:
    assert find_doubts([DONE + said]) == ()


@pytest.mark.parametrize(
    "said",
    [
        "Users who have old clients will fail to log in.",
        "Clients who are offline will lose their edits.",
        "Jobs that run when the disk is full will fail silently.",
        "I temporarily disabled the flaky test.",
        "I skipped the pre-commit hook.",
        "npm audit reports 4 high vulnerabilities.",
        "The timeout is a guess.",
        "It is possible that two writers collide.",
        "The migration was postponed.",
        "That is out of scope for this change.",
        "The old client is stubbed.",
        "I have no way to test the email path.",
        "I was not able to reproduce the crash, so I guessed the cause.",
        "The spec is ambiguous about empty names.",
        "I tried npm ci, but the lock file is out of date.",
        "Under clock skew the refill may be off by a second.",
        "I attempted to run the suite, but the sandbox blocked it.",
        "The suite couldn't be exercised: it wants a broker.",
        "The end-to-end run failed because the services aren't running.",
        "The error recovery test is still failing because no toast appears.",
        "`npm audit` still reports 2 moderate issues.",
        "`mypy` still reports 2 errors.",
        "I tried to reproduce the crash, but it never happened.",
        "The integration tests fail because Postgres is not running.",
        "The totals may be off by one cent.",
        "This may have issues with links.",
    ],
)
def test_a_doubt_outside_of_a_report_too(said: str) -> None:
    assert [doubt.quote for doubt in find_doubts([f"Running the build.\n\n{said}"])] == [said]


@pytest.mark.parametrize(
    ("said", "rejected"),
    [
        ("All 5 tests pass. I rejected mocking the clock because it hides the drift.", "mocking the clock"),
        ("I did not choose Redis because it needs a server.", "Redis"),
        ("I rejected a lock because only one thread writes.", "a lock"),
    ],
)
def test_what_was_rejected_is_told_where_what_was_taken_is_not(said: str, rejected: str) -> None:
    (choice,) = find_choices([said])
    assert (choice.chosen, choice.rejected) == (f"not: {rejected}", (rejected,))


@pytest.mark.parametrize("left", ["two callers", "three failing tests", "two TODOs", "a race"])
def test_open_work_that_is_left_is_a_doubt_of_a_report(left: str) -> None:
    assert len(find_doubts([f"{DONE}There are {left} left."])) == 1


def test_a_report_may_begin_with_how_things_are_now() -> None:
    said = "Dark mode is in. The charts still use hard-coded colours."
    assert [doubt.quote for doubt in find_doubts([said])] == ["The charts still use hard-coded colours."]


def test_what_could_not_be_tried_is_told_before_what_was_done_too() -> None:
    said = "The suite couldn't be run: it wants a broker."
    assert [doubt.quote for doubt in find_doubts([said + " I fixed the types."])] == [said]

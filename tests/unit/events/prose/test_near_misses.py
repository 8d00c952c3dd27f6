"""Sentences that differ by little from those that look like them: each says what is told of it."""

from __future__ import annotations

import pytest

from gittraj.events.prose.doubts import find_doubts

DONE = "I added the gallery.\n\n"


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
    ],
)
def test_a_doubt_outside_of_a_report_too(said: str) -> None:
    assert [doubt.quote for doubt in find_doubts([f"Running the build.\n\n{said}"])] == [said]

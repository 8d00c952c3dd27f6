"""Prose that no rule was made for: what is and what is no doubt, choice or reason, by the sentence's form."""

from __future__ import annotations

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts
from gittraj.events.prose.reader import read_prose
from gittraj.model.values import FileTouched, Message, Prompt, ToolCall

DONE = "I added the export button and the tests pass.\n\n"


@pytest.mark.parametrize(
    "said",
    [
        "I don't know whether a script of yours parses the bare number; that would break with the suffix.",
        "It seems right, but I could be wrong about what the shop expects.",
        "I took that from your message and have not checked it against the tariff.",
        "The premium isn't rounded, so prices can now have fractions of a cent.",
        "It's a bit fragile.",
        "I have no idea whether the cron job is still active.",
        "The cache path is unexercised.",
        "The import is only half there.",
        "I may have broken the Windows build.",
        "I skipped the e2e suite.",
        "You'll want to double-check the French translations.",
    ],
)
def test_a_doubt(said: str) -> None:
    assert [doubt.quote for doubt in find_doubts([DONE + said])] == [said]
    assert not find_choices([DONE + said])


@pytest.mark.parametrize(
    "said",
    [
        "I left it uncommitted as you asked.",
        "The warning about unverified certificates is gone.",
        "I've confirmed that there are no remaining callers of the old function.",
        "I didn't commit, since you wanted to look at it first.",
        "I amended the previous commit because it had not been pushed.",
        "I didn't touch the README.",
        "Sorry, the patch was never applied: its context was that of an older file.",
        "Please check it against your contract.",
        "I reverted my first attempt because it could not handle nested lists.",
        "None of the existing tests had to be changed.",
        "The cache is never written to disk, so nothing leaks.",
    ],
)
def test_no_doubt(said: str) -> None:
    assert find_doubts([DONE + said]) == ()


@pytest.mark.parametrize(
    ("said", "chosen", "rejected"),
    [
        ("Two places could check: the cart, or the parser. I'm doing it in the parser, since it has it.",
         "the parser", "the cart"),
        ("Postgres or SQLite? SQLite it is: there is only one writer.", "SQLite", "Postgres"),
        ("Works. `cache` would be the one-liner, but it never evicts. I'll use `lru_cache`.",
         "`lru_cache`", "`cache`"),
        ("Works. I was tempted to use `pint` but one more dependency seemed excessive.",
         "not: use `pint`", "use `pint`"),
        ("I considered the dearest zone, but a wrong price is worse than none, so I'll raise an error.",
         "raise an error", "the dearest zone"),
        ("It would have been simpler to lock the file; that blocks readers.",
         "not: lock the file", "lock the file"),
    ],
)  # fmt: skip
def test_a_choice(said: str, chosen: str, rejected: str) -> None:
    (found,) = find_choices([said])
    assert (found.chosen, found.rejected) == (chosen, (rejected,))
    assert not find_doubts([said], without={found.quote})


@pytest.mark.parametrize(
    "said",
    [
        "Unknown countries now raise an error and the program exits with 2 instead of dumping a traceback.",
        "The button now opens the dialog instead of reloading the page.",
        "I read the log rather than the code first.",
        "I'll run only the unit tests instead of the whole suite because it's slow.",
        "Both are empirical, so let me measure rather than theorize.",
        "It keeps its own path on purpose and now says so in its comment.",
    ],
)
def test_no_choice(said: str) -> None:
    assert find_choices([DONE + said]) == ()


def test_who_reviews_or_explains_chooses_only_in_the_first_person() -> None:
    own, other = "I used a set instead of a list.", "The parser reads bytes, not runes, since that is faster."
    assert len(find_choices([f"{other} {own}"])) == 2
    assert [choice.quote for choice in find_choices([f"{other} {own}"], own=True)] == [own]
    review = f"⚠️ Line 12: {other}\n\n⚠️ Line 40: no test."
    assert find_choices([review]) == ()


def test_a_turn_that_wrote_nothing_explains() -> None:
    said = "The parser reads bytes, not runes, since that is faster."
    wrote = ToolCall(id="2", name="Edit", files=(FileTouched(path="a.py"),))
    asked, told = Prompt(id="3", content="How does it read?"), Message(id="4", content=said)
    assert not read_prose([Prompt(id="1", content="Do it"), wrote, asked, told], [], None).decisions
    assert read_prose([Prompt(id="1", content="Do it"), wrote, told], [], None).decisions


@pytest.mark.parametrize(
    "said",
    [
        "I haven't changed that because it's unrelated.",
        "The minimum is missing; I left that alone because rounding belongs to the quote as a whole.",
        "I amended the commit since it had not been pushed.",
        "I thought about wrapping the call too, but the parser turns every error into a message.",
    ],
)
def test_why_is_no_reason_for_what_was_left_alone(said: str) -> None:
    assert read_prose([Message(id="1", content=DONE + said)], [], None).why is None

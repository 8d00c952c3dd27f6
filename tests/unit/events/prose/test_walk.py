"""What agents said in a small web shop: two choices are two, a bug is none, the strongest doubt is told."""

from __future__ import annotations

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts
from gittraj.events.prose.reader import read_prose
from gittraj.model.values import FileTouched, Message, ToolCall

DONE = "I added the export button and the tests pass.\n\n"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I could validate in the store or at the edge; I'm going with the edge, in `app.py`,"
            " because the store"
            " is used from scripts. I considered jsonschema, but a dependency for two fields isn't worth it.",
            [
                ("at the edge", ("in the store",), "the store is used from scripts"),
                ("not: jsonschema", ("jsonschema",), "a dependency for two fields isn't worth it"),
            ],
        ),
        (
            "Two options here: offset paging or a cursor. Offset paging is simpler, but it skips"
            " rows when orders are"
            " deleted. I'll use a cursor on the id (`after=`), since ids only ever grow.",
            [("a cursor", ("offset paging",), "ids only ever grow")],
        ),
        (
            "I could read the version from git or keep a constant. A constant is the safer choice"
            " since the container"
            " has no git.",
            [("keep a constant", ("read the version from git",), "the container has no git")],
        ),
        (
            "There are two ways to do this: `csv.DictReader` or pandas. Pandas would be faster for"
            " large files, but"
            " it's a 60 MB dependency, so DictReader it is.",
            [("DictReader", ("Pandas",), "it's a 60 MB dependency")],
        ),
        (
            "Adding VAT. Rounding happens once at the end rather than per row, because rounding rows made the"
            " invoices disagree with the ledger.",
            [
                (
                    "Rounding happens once at the end",
                    ("per row",),
                    "rounding rows made the invoices disagree with the ledger",
                )
            ],
        ),
        (
            "I'll add the limit as a fixed window. A token bucket would be smoother, but it's more"
            " state to keep.",
            [
                (
                    "add the limit as a fixed window",
                    ("A token bucket",),
                    "a token bucket would be smoother, but it's more state to keep",
                )
            ],
        ),
        (
            "I first thought of wrapping in serve.py, but then tests would not cover it; wrapping"
            " `app` is better.",
            [("wrapping `app`", ("wrapping in serve.py",), "tests would not cover it")],
        ),
        (
            "I decided on 404 for a second delete, not 204: the caller learns that someone else was faster.",
            [("404 for a second delete", ("204",), "the caller learns that someone else was faster")],
        ),
        (
            "For persistence I'm choosing SQLite over a JSON file: two processes would overwrite each other.",
            [("SQLite", ("a JSON file",), "two processes would overwrite each other")],
        ),
        (
            "I've decided to round half up — that's what the tax office expects — and to leave"
            " `total` unrounded.",
            [("to round half up", (), "that's what the tax office expects")],
        ),
        (
            "I'm capping the limit at 200 instead of rejecting larger values: a client should get something.",
            [("capping the limit at 200", ("rejecting larger values",), "a client should get something")],
        ),
        (
            "I picked Monday instead of Sunday as the first day because ISO 8601 says so.",
            [("Monday", ("Sunday",), "ISO 8601 says so")],
        ),
        (
            "I chose a set over a list because the list would be slow because of the scan.",
            [("a set", ("a list",), "the list would be slow")],
        ),
        (
            "I chose port 8081 instead of 8080 as the default because 8080 is taken.",
            [("port 8081", ("8080",), "8080 is taken")],
        ),
    ],
)  # fmt: skip
def test_choices(said: str, told: list[tuple[str, tuple[str, ...], str]]) -> None:
    found = find_choices([said], own=True)
    assert [(choice.chosen, choice.rejected, choice.reason) for choice in found] == told


@pytest.mark.parametrize(
    "said",
    [
        "The bug: parse() returned None instead of raising because the except clause swallowed it.",
        "Root cause: the client sent GET instead of POST because the flag was inverted.",
        "The regression: we compared ids rather than names, since names were empty.",
        "I accidentally deleted the table instead of the row.",
        "I used the wrong key instead of the right one.",
        "TODO: use a heap instead of sorting because it's O(n).",
        "FIXME: store UTC instead of local time.",
        "Follow-up: use a queue rather than polling, because polling costs money.",
        "Suggestion: use a queue rather than polling, because polling costs money.",
        "I first used asyncio instead of threads, but then reverted that.",
        "I went with threads instead of asyncio, then switched back to asyncio.",
        "I tried a set instead of a list because it dedups, which broke the order, so I undid it.",
        "Note that numpy uses float64 rather than float32 because of precision.",
        "Git stores snapshots rather than diffs because lookups are faster.",
        "Before this change, the parser returned None instead of raising.",
        "At the moment, the worker polls instead of listening because the socket is flaky.",
        "I'm reading the docs rather than the source.",
    ],
)
def test_no_choices(said: str) -> None:
    assert find_choices([said]) == ()


@pytest.mark.parametrize(
    "said",
    [
        "I'll add a guard. Parsing returns None instead of raising because the except clause swallows it.",
        "I'm adding logging. Errors vanish rather than surface because the handler swallows them.",
        "I could use a queue or a cron job. Which one do you prefer?",
        "Two bugs: the parser or the lexer. I'll fix the lexer.",
    ],
)
def test_no_choices_before_a_call(said: str) -> None:
    assert find_choices([said], own=True) == ()


@pytest.mark.parametrize(
    ("said", "doubts"),
    [
        ("Open question: should this be 400 like malformed JSON?", 1),
        (
            "I kept 422 because the JSON is valid, but I'm only about 60% sure your clients see it that way.",
            1,
        ),
        ("One thing to be aware of: `page` sorts all ids for every request.", 1),
        ("A body that is no object is still a 500 and should be handled separately.", 1),
        ("I'm 100% sure that it holds.", 0),
        ("I left that alone because you only asked about fields.", 0),
        ("I assumed that is acceptable.", 0),
        ("I left it as is because changing it breaks old clients.", 1),
    ],
)
def test_doubts(said: str, doubts: int) -> None:
    assert len(find_doubts([DONE + said])) == doubts


def test_why_it_was_committed_is_not_why() -> None:
    said = (
        "The test fails: 0.595 is rounded to 0.60. I'm committing as it is, because the"
        " rounding is your decision."
    )
    edit = ToolCall(id="c", name="Edit", call_id="c", arguments={}, files=(FileTouched(path="bill.py"),))
    assert read_prose([edit, Message(id="m", content=said)], [], "Add VAT").why is None

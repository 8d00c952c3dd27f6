"""Choices and doubts in an agent's prose, and the many sentences that state neither."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts
from tests.sizes import some

ONE_FILE = "it is one file"


@pytest.mark.parametrize(
    ("sentence", "chosen", "other", "why"),
    [
        ("I used ruff instead of flake8.", "ruff", "flake8", None),
        ("We'll go with SQLite rather than Postgres because it is one file.", "SQLite", "Postgres", ONE_FILE),
        ("I decided on a lock over a socket, since it is one file", "a lock", "a socket", ONE_FILE),
        ("I've rejected threads in favour of processes.", "processes", "threads", None),
        ("Done.\n- I kept the old name and not the new one.", "the old name", "the new one", None),
        ("I chose to write a parser rather than use a regex.", "to write a parser", "use a regex", None),
        ("To avoid a lock, I used a queue instead of a list.", "a queue", "a list", None),
        ("I ruled out a map in favor of a list because of its size.", "a list", "a map", "of its size"),
        ("We decided on ruff, not flake8.", "ruff", "flake8", None),
        ("I picked ruff\nover flake8.", "ruff", "flake8", None),
        ("Options were:\n- aa\n- bb\n\nI chose aa rather than bb.", "aa", "bb", None),
        ("I used ruff instead of flake8. Shall I commit it?", "ruff", "flake8", None),
        (
            "We now mock `a` instead of `b`, which is the transport below.",
            "mock `a`",
            "`b`",
            "the transport below",
        ),
        ("I replaced `a` with `b` for better safety, added a flag.", "`b`", "`a`", "for better safety"),
    ],
)
def test_a_choice_names_the_rejected_alternative(
    sentence: str, chosen: str, other: str, why: str | None
) -> None:
    [result] = find_choices(sentence)
    assert (result.chosen, result.rejected, result.reason) == (chosen, (other,), why)
    assert result.quote in sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "I used ruff.",
        "You should use ruff instead of flake8.",
        "The tests use ruff instead of flake8.",
        "```\nI used ruff instead of flake8.\n```",
        "```\nI used ruff instead of flake8.",
        "Should I use ruff instead of flake8?",
        "I chose ruff over flake8 for speed — wait, is it faster? Leaving it for now.",
        'From the log of the other project: "v2.0: we chose ruff over flake8 because of speed". Good.',
        "I would use ruff rather than flake8 if it were my project.",
        "We could use ruff instead of flake8.",
        "If we use ruff instead of flake8, the run is faster.",
        "When I use ruff instead of flake8 the run is faster.",
        "I won't use ruff instead of flake8.",
        "I did not use ruff instead of flake8.",
        "I used to prefer tabs over spaces.",
        "You said that we use tabs instead of spaces.",
        'You wrote "I used tabs instead of spaces."',
        'You wrote "It is slow. I used tabs instead of spaces. Mend it."',
        "> I used tabs instead of spaces.",
        "They used tabs instead of spaces.",
        "The previous author noted: I used tabs instead of spaces.",
        "Previously I used tabs instead of spaces.",
        "I used tabs instead of spaces by mistake.",
        "I used tabs instead of spaces. That was wrong.",
        "I used tabs instead of spaces, but it failed.",
        "I used a loop over the items.",
        "I used grep to see why it is not working.",
        "I keep getting 404 instead of 200.",
        "I discarded the changes for now.",
        "I ruled out the cache for performance reasons.",
        "I chose JSON over HTTP.",
        "I went with one pass over all files.",
        "I used the flag, not because it is fast.",
        "I used ruff, not sure whether it fits.",
        "We use tabs instead of spaces in this repository.",
        "Let me know whether I use ruff or flake8 instead of both.",
        "I'll use ruff instead of flake8. Is that fine?",
        "Shall we go with ruff rather than flake8?",
        "I think I might have kept tabs rather than spaces.",
        "You could:\n- I use ruff instead of flake8\n- I keep flake8 rather than ruff",
        "Which one?\n1. I'll use ruff instead of flake8.\n2. I'll keep flake8 instead of ruff.",
        "The README says:\n\nI used ruff instead of flake8.",
        "Should\nI use ruff instead of flake8",
        "`I used ruff instead of flake8.`",
        "~~~\nI used ruff instead of flake8.\n~~~",
        "Example:\n\n    I used ruff instead of flake8.",
        "I'll use ruff instead of flake8 unless you object.",
        "I asked whether I use ruff instead of flake8.",
        "I'd rather use ruff instead of flake8.",
        "Why I used ruff instead of flake8 is told below.",
        "I prefer ruff over flake8.",
        "I've been asked to use ruff instead of flake8.",
        "I have never used ruff instead of flake8.",
        "We decided against ruff for the time being.",
        "There are two options:\n1. I use ruff instead of flake8.\n2. I keep flake8 rather than ruff.",
        "I used " + "x" * 400 + " instead of y.",
        "",
    ],
)
def test_no_choice_is_found_in_a_sentence_without_one(sentence: str) -> None:
    assert find_choices(sentence) == ()


def test_a_heading_within_a_list_does_not_end_it() -> None:
    sentence = "- # Storage\n- I used a file instead of a table.\n\nI used a queue instead of a thread."
    assert [choice.rejected for choice in find_choices(sentence)] == [("a table",), ("a thread",)]


def test_each_choice_counts_once_and_their_number_is_limited() -> None:
    sentence = [f"I used a{n} instead of b{n}." for n in (0, 0, *range(11))]
    assert [d.chosen for d in find_choices(" ".join(sentence))] == [f"a{n}" for n in range(8)]


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm not sure this is enough.",
        "I haven’t tested it on Windows.",
        "I could not run the tests.",
        "I assumed the file is UTF-8.",
        "This may break old clients.",
    ],
)
def test_a_doubt_is_quoted_word_for_word(sentence: str) -> None:
    assert find_doubts(f"All done. {sentence} Bye.") == (sentence,)


@pytest.mark.parametrize("sentence", ["All tests pass.", "I tested it."])
def test_no_doubt_is_found_in_a_sentence_without_one(sentence: str) -> None:
    assert find_doubts(sentence) == ()


@given(st.text(max_size=180))
def test_any_text_is_read_without_an_error(sentence: str) -> None:
    assert all(
        quote in sentence for quote in (*find_doubts(sentence), *(c.quote for c in find_choices(sentence)))
    )


@pytest.mark.parametrize(
    "unit",
    some(
        [
            "I use a over b over ",
            "I use ",
            " over b",
            "I rejected a for ",
            "as ",
            "```",
            "[",
            "\n",
            ". ",
            "- ",
            "I use a as b ",
            "a. B ",
            "  ",
            '" ',
            '"I ',
        ],
        5,
    ),
)
def test_a_hostile_text_is_read_quickly(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    broken = "\n".join((unit * 400)[:395] + ";x" for _ in range(100))
    start = time.process_time()
    find_choices(text)
    find_choices(broken)
    find_doubts(text)
    find_doubts(broken)
    assert time.process_time() - start < 10.0


DECIMAL = "I'll use Decimal rather than float, because cents must not be lost to rounding."


@pytest.mark.parametrize("verb", ["considered", "thought about", "looked at", "tried"])
def test_an_option_considered_but_with_a_drawback_is_a_rejected_alternative(verb: str) -> None:
    against = "the accountant's export has three places for fuel"
    sentence = f"I {verb} integers of cents, but {against}."
    assert find_choices(sentence) == ()
    (choice,) = find_choices(f"I decided on Decimal, because cents must not be lost. {sentence}")
    assert (choice.chosen, choice.rejected) == ("Decimal", ("integers of cents",))
    assert choice.reason == f"cents must not be lost; {against}"
    alone = [("integers of cents",)] if verb in ("considered", "thought about") else []
    for between in (" ", "\n\n"):  # a choice that names its own alternative gets no other
        apart = [choice.rejected for choice in find_choices(f"{DECIMAL}{between}{sentence}")]
        assert apart == [("float",), *alone]
    assert find_choices("I considered using a queue instead of a table, but it needs a server.") == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "I considered a queue, but went with a table.",
        "I considered a queue, but I kept the table.",
        "I considered a queue, but a table is simpler.",
        "I thought about a queue, but in the end used a table.",
    ],
)
def test_an_option_considered_with_another_one_taken_is_a_choice(sentence: str) -> None:
    (choice,) = find_choices(sentence)
    assert choice.rejected == ("a queue",)
    assert "table" in choice.chosen


def test_a_first_thought_with_a_drawback_is_not_a_choice() -> None:
    assert find_choices("A regex was my first thought, but it is slower.") == ()


def test_choosing_one_time_over_another_is_a_choice() -> None:
    (choice,) = find_choices("I'll reserve the stock at checkout rather than when the payment arrives.")
    assert choice.rejected == ("when the payment arrives",)


@pytest.mark.parametrize(
    "sentence",
    [
        "Tests: a large batch is posted in chunks instead of dropped.",
        "Some systems accept the short name instead of the long one.",
        "Multiplayer syncs through the **Crowded Kingdoms Game API** (UDP over WebSocket).",
        "The GPT-5-nano model uses `max_completion_tokens` instead of `max_tokens`.",
    ],
)
def test_a_description_of_a_test_or_product_is_not_a_choice(sentence: str) -> None:
    assert find_choices(sentence) == ()


def test_an_option_dismissed_in_its_own_paragraph_is_a_rejection() -> None:
    sentence = "I considered the tenacity package, but it is a new dependency."
    (choice,) = find_choices(f"Retry each request three times.\n\n{sentence}")
    assert (choice.chosen, choice.rejected) == ("not: the tenacity package", ("the tenacity package",))

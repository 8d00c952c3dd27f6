"""What is told of a sentence can stand for itself: things as sides, a clause as reason, each once."""

from __future__ import annotations

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts
from gittraj.events.prose.reader import read_prose
from gittraj.model.values import Message
from gittraj.render.events import because


@pytest.mark.parametrize(
    "said",
    [
        "The surcharge replaces the total instead of adding to it. Fixing.",
        "The handler swallows the error instead of raising it.",
        "The old text preferred FTP over rsync; that is not mine to judge.",
        "The previous author chose YAML over TOML; I left that alone.",
        "The old client sent the header twice instead of once.",
        "The user asked for short text rather than a full section, so I kept it short.",
        "pretty(0) is empty, which is probably wrong. I left it, because the task did not say.",
        "The alternative would be to bump the version.",
        "The page loads in 200 ms instead of two seconds.",
        "I fixed it. The alternative was tested too.",
        "The other way is to call the API directly, which is what the docs recommend.",
        "The client asked for a table instead of a chart.",
        "The README explains how to use uv instead of pip.",
        "Nothing else. A second run would be slower, but the cache is warm.",
        "A newer Node would help, but the server has 16, so tests are skipped.",
        "## Alternatives considered\n- Redis: chosen, because it is there",
        "## Alternatives considered\n- Pros: fast and well known",
        "A retry would work, but I could not try it.",
        "I added the alias. The alternative spelling is accepted too.",
    ],
)
def test_no_choice(said: str) -> None:
    assert find_choices([said]) == ()


@pytest.mark.parametrize(
    ("said", "chosen", "others", "why"),
    [
        (
            "You may want to double-check the weights. **Rejected:** a lookup table – it would be longer",
            "not: a lookup table",
            ("a lookup table",),
            "it would be longer",
        ),
        (
            "A table of tiers it is. A formula such as log10 would be shorter but nobody could read it, so I"
            " rejected that.",
            "A table of tiers",
            ("A formula such as log10",),
            "nobody could read it",
        ),
        (
            "I added it. Modulus 11 would catch more, but the scanners do not know it, so modulus 10.",
            "modulus 10",
            ("Modulus 11",),
            "the scanners do not know it",
        ),
        ("A set over a list, for the lookup", "A set", ("a list",), "for the lookup"),
        (
            "I used sub() rather than sub(a, b), because strings fail later.",
            "sub()",
            ("sub(a, b)",),
            "strings fail later",
        ),
        (
            "I'm going with a loop instead of methods. The alternative would be parametrize, which I rejected"
            " because nobody has pytest.",
            "a loop",
            ("methods", "parametrize"),
            "parametrize: nobody has pytest",
        ),
        (
            "I chose refusing them over a sign, which would mean a new rule.",
            "refusing them",
            ("a sign",),
            "a sign would mean a new rule",
        ),
        ("Refusing them over a sign, because would mean a new rule.", "Refusing them", ("a sign",), None),
        (
            "I chose polling over webhooks, which keeps the firewall closed.",
            "polling",
            ("webhooks",),
            "it keeps the firewall closed",
        ),
        (
            "I added the parser. A library such as pytimeparse would do the same but I wanted no more.",
            "not: A library such as pytimeparse",
            ("A library such as pytimeparse",),
            "I wanted no more",
        ),
        ("Kept it as a function instead of a class.", "a function", ("a class",), None),
        (
            "I left `pretty` as it was, because nobody calls it.",
            "left `pretty` as it was",
            (),
            "nobody calls it",
        ),
        ("I looked at `cattrs` but rejected it: cents.", "not: `cattrs`", ("`cattrs`",), "cents"),
        (
            "Strings it is. Numbers would lose the zeros.",
            "Strings",
            ("Numbers",),
            "Numbers would lose the zeros",
        ),
        ("I considered rounding but rejected it: cents.", "not: rounding", ("rounding",), "cents"),
        (
            "I considered a group per unit but decided against it.",
            "not: a group per unit",
            ("a group per unit",),
            None,
        ),
        (
            "It raises now. Returning None was the alternative.",
            "not: Returning None",
            ("Returning None",),
            None,
        ),
        (
            "We could also make the width configurable, but I decided against it: there is one printer.",
            "not: make the width configurable",
            ("make the width configurable",),
            "there is one printer",
        ),
        (
            "I tried an Enum, but json could not write it, so I went back to a tuple.",
            "a tuple",
            ("an Enum",),
            "json could not write it",
        ),
        (
            "Hours are strings. Tuples of hours would be easier to compare, but nothing compares them.",
            "not: Tuples of hours",
            ("Tuples of hours",),
            "nothing compares them",
        ),
        (
            "## Alternatives considered\n- SQLite: one more file to back up",
            "not: SQLite",
            ("SQLite",),
            "one more file to back up",
        ),
        (
            "## Key decisions\n- The flag is a keyword argument, so existing callers do not change",
            "The flag is a keyword argument",
            (),
            "existing callers do not change",
        ),
    ],
)
def test_a_choice_can_be_told(said: str, chosen: str, others: tuple[str, ...], why: str | None) -> None:
    [found] = find_choices([said])
    assert (found.chosen, found.rejected, found.reason and found.reason.rstrip(".")) == (chosen, others, why)


@pytest.mark.parametrize(
    "said",
    [
        "Please review and commit it yourself.",
        "There is no risk here and nothing is untested.",
        "I don't think this needs review.",
        "One of the tests fails without the fix, as it should.",
        "Nothing here needs review.",
        "This does not need a review.",
        "The file is generated, so I did not edit it.",
        "I changed the message only.",
        "One of the tests failed before; it passes now.",
    ],
)
def test_no_doubt(said: str) -> None:
    assert find_doubts([f"I fixed it. {said}"]) == ()


@pytest.mark.parametrize(
    "said",
    [
        "You may want to double-check the weights with the carrier.",
        "Committed, but be careful: `test_known` fails, since I guessed the digit.",
        "I worry that isdigit() accepts superscripts.",
        "Uncertain whether an alias shows up in help().",
        "`pretty(0)` gives an empty string, which is probably wrong.",
        "The second run is slower, which I cannot explain.",
        "One of the two tests fails.",
        "The importer skips rows without an id; I guessed that this is wanted.",
        "This breaks the build on 3.8.",
        "One test in test_old.py still errors; it did before.",
        "I did not add tests for it.",
        "I did not add a migration test.",
    ],
)
def test_a_doubt(said: str) -> None:
    assert [doubt.quote for doubt in find_doubts([f"I renamed it. {said}"])] == [said]


def test_an_open_question_is_a_doubt() -> None:
    said = "I added it.\n\n## Open questions\n- Should the width be configurable?"
    assert [doubt.quote for doubt in find_doubts([said])] == ["Should the width be configurable?"]


def test_what_is_left_on_the_way() -> None:
    [doubt] = find_doubts(["The snapshot test still fails, but I'm committing anyway."], on_the_way=True)
    assert doubt.quote.startswith("The snapshot test")


def test_a_warning_is_no_reason() -> None:
    said = "Committed, but be careful: `test_known` fails, since I guessed the expected digit."
    prose = read_prose([Message(id="m", content=said)], (), None)
    assert (prose.why, prose.caveats) == (None, (said,))


def test_of_two_tellings_the_fuller_stands() -> None:
    said = (
        "I wrote one regex instead of a scanner. The width may be wrong for emoji.",
        "A regex was chosen over a hand-written scanner because the grammar is flat. The width may be wrong"
        " for emoji and for flags.",
    )
    messages = [Message(id=str(at), content=text) for at, text in enumerate(said)]
    prose = read_prose(messages, (), None)
    assert [(d.alternatives, d.reasoning) for d in prose.decisions] == [
        (("a hand-written scanner",), "the grammar is flat")
    ]
    assert prose.caveats == ("The width may be wrong for emoji and for flags.",)


def test_doubts_of_different_things_stand_beside_each_other() -> None:
    said = "I fixed it. The test in client.py still fails here. The test in server.py still fails here."
    assert len(read_prose([Message(id="m", content=said)], (), None).caveats) == 2


def test_choices_of_different_names_stand_beside_each_other() -> None:
    said = (
        "- Replaced two `strings.Contains` checks with one `bytes.Equal` against `redacted`\n"
        "- Replaced `strings.Contains` with exact `!=` against `redacted`"
    )
    assert len(read_prose([Message(id="m", content=said)], (), None).decisions) == 2


def test_a_reason_stands_behind_because_or_alone() -> None:
    assert because("it is small") == "because it is small"
    assert because("for the lookup") == "for the lookup"

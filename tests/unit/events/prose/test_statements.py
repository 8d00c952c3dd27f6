"""How sentences are read: the table ``statements.txt``, and cases of several messages or events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts
from gittraj.events.prose.reader import Prose, read_prose
from gittraj.model.sides import because
from gittraj.model.values import FileTouched, Message, Prompt, ToolCall


class Row(NamedTuple):
    """A sentence in its ``message``, and the ``expected`` choices or doubts; ``kind`` is a key of CHECKS."""

    kind: str
    text: str
    message: str
    expected: list[str]


def _rows() -> Iterator[Row]:
    row, section = None, [""]
    for line in Path(__file__).with_name("statements.txt").read_text("utf-8").splitlines():
        text = line.replace("\\n", "\n")
        if line.startswith("["):
            section = text[1:-1].split(" | ")
        elif line.startswith("    = ") and row:
            row.expected.append(text[6:])
        elif line and not line.startswith("# "):
            if row:
                yield row
            kind, before, after = (*section, "", "")[:3]
            row = Row(kind, text, before + text + after, [])
    if row:
        yield row


def _choices(message: str, *, own: bool = False) -> list[str]:
    """Return the choices in the form of the table."""
    found = find_choices(message, own=own)
    return [f"{c.chosen} | {' ; '.join(c.rejected)} | {(c.reason or '').rstrip('.')}" for c in found]


def _agrees(found: list[str], expected: list[str]) -> bool:
    """Compare with the table; if it gives ``…`` as the reason, any reason is right."""
    pairs = zip(found, expected, strict=True)
    return all(one.startswith(other[:-1]) if other.endswith("| …") else one == other for one, other in pairs)


def _read(message: str) -> Prose:
    return read_prose([Message(id="1", content=message)], [], None)


def _is_kept(row: Row) -> bool:
    prose = _read_before_edits(row)
    return [*(decision.chosen for decision in prose.decisions), *prose.caveats] == row.expected


def _read_before_edits(row: Row) -> Prose:
    messages = [Message(id=str(at), content=text) for at, text in enumerate(row.text.split(" // "))]
    edit = ToolCall(id="e", name="Edit", files=(FileTouched(path="a.py"),))
    return read_prose([event for message in messages for event in (message, edit)], [], None)


CHECKS: dict[str, Callable[[Row], bool]] = {
    "stays of messages": _is_kept,
    "why of messages": lambda row: [*filter(None, [_read_before_edits(row).why])] == row.expected,
    "a doubt": lambda row: find_doubts(row.message) == (row.text,),
    "a doubt, and no choice": lambda row: (
        find_doubts(row.message) == (row.text,) and not find_choices(row.message)
    ),
    "a doubt of a report": lambda row: (
        find_doubts(row.message) == (row.text,) and not find_doubts(f"Here is how it works.\n\n{row.text}")
    ),
    "doubts": lambda row: [*find_doubts(row.message)] == row.expected,
    "doubts on the way": lambda row: [*find_doubts(row.message, on_the_way=True)] == row.expected,
    "no doubt": lambda row: not find_doubts(row.message),
    "no choice": lambda row: not find_choices(row.message),
    "no choice on the way": lambda row: not find_choices(row.message, own=True),
    "no reason": lambda row: _read(row.message).why is None,
    "choices, and no doubt": lambda row: (
        _agrees(_choices(row.message), row.expected)
        and not find_doubts(row.message, without={c.quote for c in find_choices(row.message)})
    ),
    "choices": lambda row: _agrees(_choices(row.message), row.expected),
    "choices on the way": lambda row: _choices(row.message, own=True) == row.expected,
}


@pytest.mark.parametrize("row", [*_rows()], ids=lambda row: f"{row.kind}: {row.text[:60]!r}")
def test_each_sentence_is_read_as_the_table_says(row: Row) -> None:
    assert CHECKS[row.kind](row), (find_doubts(row.message), _choices(row.message))


def test_in_a_review_or_explanation_only_first_person_choices_count() -> None:
    own, other = "I used a set instead of a list.", "The parser reads bytes, not runes, since that is faster."
    assert len(find_choices(f"{other} {own}")) == 2
    assert [choice.quote for choice in find_choices(f"{other} {own}", own=True)] == [own]
    review = f"⚠️ Line 12: {other}\n\n⚠️ Line 40: no test."
    assert find_choices(review) == ()


def test_a_turn_without_an_edit_has_no_decisions() -> None:
    sentence = "The parser reads bytes, not runes, since that is faster."
    wrote = ToolCall(id="2", name="Edit", files=(FileTouched(path="a.py"),))
    question, answer = Prompt(id="3", content="How does it read?"), Message(id="4", content=sentence)
    assert not read_prose([Prompt(id="1", content="Do it"), wrote, question, answer], [], None).decisions
    assert read_prose([Prompt(id="1", content="Do it"), wrote, answer], [], None).decisions


def test_the_reason_for_committing_is_not_the_reason_for_the_work() -> None:
    sentence = (
        "The test fails: 0.595 is rounded to 0.60. I'm committing as it is, because the"
        " rounding is your decision."
    )
    edit = ToolCall(id="c", name="Edit", call_id="c", arguments={}, files=(FileTouched(path="bill.py"),))
    assert read_prose([edit, Message(id="m", content=sentence)], [], "Add VAT").why is None


def test_in_a_long_report_weak_words_are_not_doubts() -> None:
    steps = " ".join(f"Step {name} reads its own table." for name in "ABCDEFGH")
    weak, own = "The second reader rejects what it has seen.", "I did not migrate the third reader."
    assert find_doubts(f"I added the readers. {weak}")
    assert find_doubts(f"I added the readers. {steps} {weak} {own}") == (own,)


def test_a_warning_is_a_doubt_and_not_a_reason() -> None:
    sentence = "Committed, but be careful: `test_known` fails, since I guessed the expected digit."
    prose = read_prose([Message(id="m", content=sentence)], (), None)
    assert (prose.why, prose.caveats) == (None, (sentence,))


def test_of_two_versions_of_a_statement_the_fuller_is_kept() -> None:
    versions = (
        "I wrote one regex instead of a scanner. The width may be wrong for emoji.",
        "A regex was chosen over a hand-written scanner because the grammar is flat. The width may be wrong"
        " for emoji and for flags.",
    )
    messages = [Message(id=str(at), content=text) for at, text in enumerate(versions)]
    prose = read_prose(messages, (), None)
    assert [(d.alternatives, d.reasoning) for d in prose.decisions] == [
        (("a hand-written scanner",), "the grammar is flat")
    ]
    assert prose.caveats == ("The width may be wrong for emoji and for flags.",)


def test_doubts_about_different_things_are_both_kept() -> None:
    sentence = "I fixed it. The test in client.py still fails here. The test in server.py still fails here."
    assert len(read_prose([Message(id="m", content=sentence)], (), None).caveats) == 2


def test_choices_with_different_names_are_both_kept() -> None:
    sentence = (
        "- Replaced two `strings.Contains` checks with one `bytes.Equal` against `redacted`\n"
        "- Replaced `strings.Contains` with exact `!=` against `redacted`"
    )
    assert len(read_prose([Message(id="m", content=sentence)], (), None).decisions) == 2


def test_a_reason_is_shown_after_because_or_alone() -> None:
    assert because("it is small") == "because it is small"
    assert because("for the lookup") == "for the lookup"
    assert because("so that it ends") == "so that it ends"
    assert because("so many use it") == "because so many use it"
    assert because("A keyword argument would change it") == "because a keyword argument would change it"
    assert because("For the lookup") == "for the lookup"
    for name in ("Redis is there", "A* is exact", "HTTP has it", "The Hague is near", "I know it"):
        assert because(name) == f"because {name}"

"""Only those parts of a program's answer are accepted that quote the agent's own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gittraj.errors import TrajError
from gittraj.model.values import Message, Prompt, Thinking, ToolCall, ToolResult
from gittraj.summarizer.answer import Understood, understand
from gittraj.summarizer.request import LIMIT, write_request

MESSAGE = "I took a set,\nnot a list, for speed. Windows is untested."
EVENTS = [
    Prompt(id="p", content="Use a set and not a list, please"),
    Thinking(id="sealed", content="", seal="s1", sealed_bytes=20),
    Message(id="m", content=MESSAGE),
    ToolResult(id="r", content="I chose the dark side of it"),
]


def answer(*, decisions: Any = (), doubts: Any = (), summary: Any = "It is fast now.") -> Understood:
    text = json.dumps({"summary": summary, "decisions": decisions, "doubts": doubts})
    return understand(f"Here you are:\n```json\n{text}\n```", EVENTS, by="model:m1")


def decision(**fields: Any) -> dict[str, Any]:
    return {
        "chosen": "a set",
        "alternatives": ["a list"],
        "reasoning": "speed",
        "event": "m",
        "quote": "I took a set, not a list, for speed.",
        **fields,
    }


def test_a_decision_keeps_the_words_of_the_log() -> None:
    (result,) = answer(decisions=[decision()]).decisions
    assert (result.chosen, result.alternatives, result.reasoning) == ("a set", ("a list",), "speed")
    assert (result.by, result.event, result.quote) == (
        "model:m1",
        "m",
        "I took a set,\nnot a list, for speed.",
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"quote": "I took a map"},  # words that nobody said
        {"event": "nobody"},
        {"event": "p", "quote": "Use a set and not a list"},  # the user's words
        {"event": "r", "quote": "I chose the dark side"},  # a program's
        {"event": "sealed", "quote": ""},
        {"quote": "set,"},  # a single word is everywhere
        {"quote": None},
        {"event": ["m"]},
        {"chosen": "  "},
        {"chosen": 3},
    ],
)
def test_an_unsupported_decision_is_refused_and_counted(fields: dict[str, Any]) -> None:
    result = answer(decisions=[decision(**fields), decision()])
    assert (len(result.decisions), result.refused) == (1, 1)


def test_doubts_are_quoted_from_the_log() -> None:
    result = answer(doubts=[{"event": "m", "quote": "Windows is untested."}, "Linux is untested", None])
    assert result.doubts == (("m", "Windows is untested."),)
    assert result.refused == 2


def test_more_entries_than_requested_are_refused() -> None:
    result = answer(decisions=[decision()] * 100)
    assert (len(result.decisions), result.refused) == (8, 92)


@pytest.mark.parametrize("text", ["", "no", "[1]", "{", "{'summary': 1}", "[" * 100_000, "{" * 100_000 + "}"])
def test_an_answer_other_than_the_requested_json_is_refused(text: str) -> None:
    with pytest.raises(TrajError, match="not the JSON"):
        understand(text, EVENTS, by="model:m1")


@pytest.mark.parametrize("summary", [None, 3, " ", ["x"]])
def test_an_answer_without_a_summary_is_refused(summary: Any) -> None:
    with pytest.raises(TrajError, match="no summary"):
        answer(summary=summary)


def test_values_that_are_not_lists_are_ignored() -> None:
    assert answer(decisions={"a": 1}, doubts="x").refused == 0


def test_a_long_summary_is_cut() -> None:
    assert len(answer(summary="word " * 10_000).summary) <= 1_200


def test_a_request_has_the_agents_words_but_no_sealed_text() -> None:
    lines = [json.loads(line) for line in write_request(EVENTS).splitlines() if line.startswith('{"id"')]
    assert [(line["id"], line["kind"]) for line in lines] == [("p", "asked"), ("m", "said"), ("r", "got")]


def test_of_a_long_log_calls_are_left_out_first_and_then_the_oldest_words() -> None:
    calls = [ToolCall(id=f"c{n}", name="Bash", arguments={"command": "x" * 500}) for n in range(1_000)]
    words = [Message(id=f"m{n}", content="y" * 7_000) for n in range(100)]
    request = write_request([*calls, *words, EVENTS[2]])
    assert len(request) < LIMIT + 5_000
    assert '"c1"' not in request
    assert '"m0"' not in request
    assert '"m99"' in request
    assert '"m"' in request

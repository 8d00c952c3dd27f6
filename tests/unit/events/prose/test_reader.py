"""What a record keeps of an agent's prose."""

from __future__ import annotations

from gittraj.events.prose.reader import read_prose
from gittraj.model.values import Decision, Message

SUMMARY = """Perfect! I've successfully added retries to the client.

## Key decisions

- **Full jitter over a fixed delay**: fixed delays re-align the bursts
- Kept the queue in `src/queue.py:42` rather than in Redis, so that nothing new has to run

| Decision | Rejected | Why |
|---|---|---|
| one worker | a pool | the API allows one connection |

## Not covered

- A `Retry-After` given as a date
"""


def test_a_summary_in_markdown() -> None:
    prose = read_prose([Message(id="m1", content=SUMMARY)], (), "add retries")
    assert [(d.chosen, d.alternatives, d.reasoning) for d in prose.decisions] == [
        ("Full jitter", ("a fixed delay",), "fixed delays re-align the bursts"),
        ("the queue in `src/queue.py:42`", ("in Redis",), "nothing new has to run"),
        ("one worker", ("a pool",), "the API allows one connection"),
    ]
    assert all(d.quote and d.quote in SUMMARY for d in prose.decisions)
    assert [(d.event, d.path, d.line) for d in prose.decisions][1] == ("m1", "src/queue.py", 42)
    assert prose.caveats == ("A `Retry-After` given as a date",)
    assert [(s.event, s.by) for s in prose.sources] == [("m1", "inferred")]
    assert prose.result == "I've successfully added retries to the client."
    assert prose.why == "Full jitter over a fixed delay: fixed delays re-align the bursts"


def test_what_the_user_asked_for_is_no_choice_of_the_agent() -> None:
    said = Message(id="m", content="I used SQLite instead of Postgres.")
    assert [d.chosen for d in read_prose([said], (), "make it faster").decisions] == ["SQLite"]
    assert read_prose([said], (), "use SQLite please").decisions == ()


def test_a_stated_reason_comes_first() -> None:
    said = [Message(id="m", content="I chose A over B because it is small.")]
    stated = Decision(chosen="X", by="agent", reasoning="the licence")
    assert read_prose(said, [stated], None).why == "X, because the licence"
    long = Decision(chosen="X" * 200, by="agent", reasoning="the licence")
    assert read_prose(said, [long], None).why == "the licence"


def test_nothing_is_made_up() -> None:
    prose = read_prose([Message(id="m", content="Let me look at the file.")], (), "why?")
    assert (prose.decisions, prose.caveats, prose.result, prose.why) == ((), (), None, None)


def test_what_a_summary_repeats_stands_once() -> None:
    on_the_way = Message(id="1", content="I'll use floor division instead of rounding.")
    summary = Message(id="2", content="## Decisions\n\n- **Floor division over rounding**: boxes are whole")
    (decision,) = read_prose([on_the_way, summary], (), None).decisions
    assert (decision.chosen, decision.alternatives, decision.event) == ("floor division", ("rounding",), "1")

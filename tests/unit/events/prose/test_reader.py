"""Decisions, doubts, results and reasons that a record gets from an agent's prose."""

from __future__ import annotations

import pytest

from gittraj.events.prose.reader import read_prose
from gittraj.model.values import AnyEvent, Decision, FileTouched, Message, ToolCall

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


def test_a_summary_in_markdown_gives_decisions_doubts_and_result() -> None:
    prose = read_prose([Message(id="m1", content=SUMMARY)], (), "add retries")
    assert [(d.chosen, d.alternatives, d.reasoning) for d in prose.decisions] == [
        ("Full jitter", ("a fixed delay",), "fixed delays re-align the bursts"),
        ("the queue in `src/queue.py:42`", ("in Redis",), "so that nothing new has to run"),
        ("one worker", ("a pool",), "the API allows one connection"),
    ]
    assert all(d.quote and d.quote in SUMMARY for d in prose.decisions)
    assert [(d.event, d.path, d.line) for d in prose.decisions][1] == ("m1", "src/queue.py", 42)
    assert prose.caveats == ("A `Retry-After` given as a date",)
    assert [(s.event, s.by) for s in prose.sources] == [("m1", "inferred")]
    assert prose.result == "I've successfully added retries to the client."
    assert prose.why == "Full jitter over a fixed delay: fixed delays re-align the bursts"


@pytest.mark.parametrize(
    ("named", "path"),
    [
        ("`math.log`", None),
        ("`os.path.join`", None),
        ("example.com", None),
        ("`tasks.log`", "tasks.log"),  # written by a call
        ("`var/tasks.old`", "var/tasks.old"),
        ("`series.py`", "series.py"),
        ("`index.d.ts` or `main.tsx`", "main.tsx"),
    ],
)
def test_a_name_with_a_dot_is_a_path_only_if_it_is_like_one(named: str, path: str | None) -> None:
    edit = ToolCall(id="c", name="Write", files=(FileTouched(path="var/tasks.log", kind="add"),))
    said = Message(id="m", content=f"I used {named} instead of a table, because it is exact.")
    [decision] = read_prose([said, edit], (), None).decisions
    assert decision.path == path


def test_an_option_that_the_user_asked_for_is_not_the_agents_choice() -> None:
    sentence = Message(id="m", content="I used SQLite instead of Postgres.")
    assert [d.chosen for d in read_prose([sentence], (), "make it faster").decisions] == ["SQLite"]
    assert read_prose([sentence], (), "use SQLite please").decisions == ()


def test_the_reason_of_a_stated_decision_is_preferred() -> None:
    sentence = [Message(id="m", content="I chose A over B because it is small.")]
    stated = Decision(chosen="X", by="agent", reasoning="the licence")
    assert read_prose(sentence, [stated], None).why == "X, because the licence"
    purpose = Decision(chosen="X", by="agent", reasoning="so that it ends")
    assert read_prose([], [purpose], None).why == "X, so that it ends"
    long = Decision(chosen="X" * 200, by="agent", reasoning="the licence")
    assert read_prose(sentence, [long], None).why == "the licence"


def test_a_message_without_substance_gives_nothing() -> None:
    prose = read_prose([Message(id="m", content="Let me look at the file.")], (), "why?")
    assert (prose.decisions, prose.caveats, prose.result, prose.why) == ((), (), None, None)


def test_a_choice_that_a_summary_repeats_is_listed_once() -> None:
    on_the_way = Message(id="1", content="I'll use floor division instead of rounding.")
    summary = Message(id="2", content="## Decisions\n\n- **Floor division over rounding**: boxes are whole")
    (decision,) = read_prose([on_the_way, summary], (), None).decisions
    assert (decision.chosen, decision.alternatives, decision.event) == ("Floor division", ("rounding",), "2")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Redis is overkill for a single process, so lru_cache it is.",
            ("lru_cache", (), "Redis is overkill for a single process"),
        ),
        (
            "UUIDv4 vs UUIDv7: v7 sorts by time but needs Python 3.14, so I'm going with v4.",
            ("v4", (), "v7 sorts by time but needs Python 3.14"),
        ),
        (
            "I could share a table, or loop over the units. A loop over divmod is simpler, so I chose it;"
            " the table would need a build step.",
            ("A loop over divmod", (), "it is simpler"),
        ),
        (
            "Instead of Intl.DurationFormat, which Safari does not ship yet, I'll write the units by hand.",
            ("write the units by hand", ("Intl.DurationFormat",), "Safari does not ship yet"),
        ),
        (
            "We could pull in date-fns, but toISOString does all we need.",
            ("not: pull in date-fns", ("pull in date-fns",), "toISOString does all we need"),
        ),
        (
            "I initially tried an RLock, but that hid a re-entrancy bug, so I switched to a plain Lock.",
            ("a plain Lock", ("an RLock",), None),
        ),
        (
            "I'll cap with min() in `take` because it is one line; a property would be evaluated later.",
            (
                "cap with min() in `take`",
                ("a property",),
                "it is one line; a property would be evaluated later",
            ),
        ),
        (
            "I went for a flag and not for a second command, because scripts have it.",
            ("a flag", ("a second command",), "scripts have it"),
        ),
        ("The test fails, so I'll look at the fixture.", None),
        ("I might be wrong, but the race is in the pool.", None),
        ("I could reproduce the bug, but the log shows nothing useful at all.", None),
        ("I could only find one caller, but there may be others in plugins.", None),
        ("I could fix the first two tests, but the third one needs a network.", None),
        ("The tests pass on all versions, so I switched to the next task.", None),
        ("It's a small change, so I took a look at the docs.", None),
    ],
)
def test_a_conclusion_is_a_choice(
    sentence: str, expected: tuple[str, tuple[str, ...], str | None] | None
) -> None:
    decisions = read_prose([Message(id="m", content=sentence)], (), None).decisions
    assert [(d.chosen, d.alternatives, d.reasoning) for d in decisions] == ([expected] if expected else [])


def test_a_sentence_before_an_edit_is_the_reason_if_there_is_no_other() -> None:
    def why(sentence: str, *then: AnyEvent) -> str | None:
        edit = ToolCall(id="c", name="Edit", files=(FileTouched(path="a.py", kind="update"),))
        return read_prose([Message(id="m", content=sentence), edit, *then], (), None).why

    sentence = "Regexes get unreadable here, so I'll write a small tokenizer."
    assert why(sentence) == sentence
    assert why(f"{sentence} Let me see.", Message(id="n", content="It is done.")) == sentence
    reason = "I used a table because it is shorter."
    assert why(sentence, Message(id="n", content=reason)) == reason
    assert why("That file is not there, so I'll look in src.") is None
    queue, lock = (
        "I'll use a queue, because it keeps the order.",
        "That deadlocks. I'll put a lock around it.",
    )
    assert why(queue, Message(id="n", content="Now the tests.")) == queue
    assert why(queue, Message(id="n", content=lock), ToolCall(id="d", name="Bash")) is None
    assert why("If the port is taken, so we would stop.") is None


def test_a_doubt_before_the_committing_call_counts() -> None:
    edit = ToolCall(id="e", name="Edit", files=(FileTouched(path="a.py", kind="update"),))
    sentence = Message(id="m", content="Green. I'm unsure whether the clock counts while a laptop sleeps.")
    look = ToolCall(id="c", name="Bash", call_id="t", arguments={"command": "git log --grep commit"})
    doubts = ("I'm unsure whether the clock counts while a laptop sleeps.",)
    assert read_prose([edit, sentence, look], (), None, committing={"t"}).caveats == doubts
    assert read_prose([sentence, edit, look], (), None, committing={"t"}).caveats == ()
    for command in (
        "git log --grep commit",
        "grep -rn 'git commit' docs",
        "git commit --dry-run",
        "git commit-graph",
    ):
        look = ToolCall(id="c", name="Bash", call_id="t", arguments={"command": command})
        assert read_prose([edit, sentence, look], (), None).caveats == ()
    for command in (
        "git commit -am x",
        "make && git -c user.name=a commit -m x",
        ["bash", "-lc", "git commit -m x"],
    ):
        commits = ToolCall(id="c", name="Bash", call_id="t", arguments={"command": command})
        assert read_prose([edit, sentence, commits], (), None).caveats == doubts
    settled = Message(
        id="m", content="I added the floor. It applies after rounding, so that doubt is settled."
    )
    assert read_prose([edit, settled], (), None).why is None


def test_a_choice_that_the_next_message_scraps_is_not_a_decision() -> None:
    edit = ToolCall(id="e", name="Edit", files=(FileTouched(path="a.py", kind="update"),))
    first = Message(
        id="1", content="I'll use a dataclass rather than a tuple because the fields read better."
    )
    scraps = Message(
        id="2",
        content="Hm, wait. Actually, scrap that: a NamedTuple it is. The queue pickles labels by position.",
    )
    other = Message(id="3", content="The label is done.")
    assert [d.chosen for d in read_prose([first, edit, other], (), None).decisions] == ["a dataclass"]
    expected = read_prose([first, edit, scraps, edit, other], (), None)
    assert "a dataclass" not in [d.chosen for d in expected.decisions]
    assert expected.why is None


def test_a_state_after_a_semicolon_is_not_a_reason() -> None:
    sentence = Message(id="1", content="Raised instead of defaulted; uncommitted.")
    assert [d.reasoning for d in read_prose([sentence], (), None).decisions] == [None]


def test_a_doubt_after_a_semicolon_is_a_doubt_and_not_the_end_of_a_reason() -> None:
    content = "I used a map instead of a list because lookups repeat; I have not verified the speed."
    prose = read_prose([Message(id="1", content=content)], (), None)
    assert ([d.reasoning for d in prose.decisions], prose.caveats) == (["lookups repeat"], (content,))

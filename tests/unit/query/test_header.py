"""Totals of records: every part counts once, wherever and however often it is stored."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.model import words_of_tests
from gittraj.model.codec import decode_line, encode_note
from gittraj.model.values import (
    Counts,
    Decision,
    FileChanged,
    Link,
    Record,
    Retrospective,
    SessionInfo,
    Summary,
    TaskRef,
    TaskSource,
    TestRuns,
    Tombstone,
    Usage,
)
from gittraj.query.header import Folded, fold
from gittraj.query.records import Recorded
from tests.integration.story import record

_EDIT = {"kind": "update", "edits": 1, "reverts": 0, "lines": None}
A, B, C = "a" * 40, "b" * 40, "c" * 40


def test_unknown_values_are_null() -> None:
    stub = Record(id="traj_one", link=Link(evidence="output"), incomplete=True)
    figures: dict[str, Any] = {
        "startedAt": None,
        "endedAt": None,
        "durationSeconds": None,
        "usage": {
            "inputTokens": None,
            "cacheReadTokens": None,
            "cacheWriteTokens": None,
            "outputTokens": None,
            "reasoningTokens": None,
        },
        "costUsd": None,
        "costSource": "unknown",
        "counts": {
            "prompts": 0,
            "messages": 0,
            "thinking": 0,
            "toolCalls": 0,
            "apiCalls": None,
            "errors": 0,
            "subagents": 0,
            "outside": 0,
            "omitted": 0,
            "malformed": 0,
        },
    }
    assert fold({A: [stub]}).header(A) == {
        "id": "traj_one",
        "title": None,
        "status": None,
        "agent": None,
        "agentVersion": None,
        "models": [],
        "session": None,
        "task": None,
        "tags": [],
        "participants": [],
        "parent": None,
        "startedAt": None,
        "completedAt": None,
        "prompt": None,
        "summary": None,
        "summaryBy": None,
        "summaryId": None,
        "confidence": None,
        "retrospective": None,
        "decisions": [],
        "caveats": [],
        "caveatSources": [],
        "result": None,
        "why": None,
        "tests": None,
        "filesChanged": [],
        "part": {"number": None, "of": 0, **figures},
        "total": figures,
        "link": {"evidence": "output", "carried": False, "role": "produced", "carriedFrom": []},
        "exit": None,
        "run": None,
        "thinking": "none",
        "readers": None,
        "redactions": 0,
        "redactionsAtMost": False,
        "incomplete": True,
    }


def test_the_records_of_one_commit_make_one_header() -> None:
    chose = Decision(chosen="a dict", alternatives=("a list",), by="inferred")
    first = record(
        at=0,
        n=5,
        prompt="Build it",
        summary=Summary(text="Half done.", by="agent"),
        started_at="2026-01-01T10:00:00.000Z",
        ended_at="2026-01-01T10:01:00.000Z",
        usage=Usage(input_tokens=10, output_tokens=1),
        cost_usd=0.5,
        cost_source="reported",
        counts=Counts(prompts=1, tool_calls=2),
        decisions=(chose,),
        caveats=("Not tested.",),
        tests=TestRuns(runs=2, ran=True, kind="test", outcome="failed", last_failed=1),
        files=(FileChanged(path="a.py", kind="add", edits=1), FileChanged(path="b.py", edits=1)),
        redactions_by_rule={"token": 2},
        thinking="dropped",
    )
    second = record(
        at=5,
        n=2,
        prompt="Go on",
        summary=Summary(text="Done.", by="agent"),
        started_at="2026-01-01T10:02:00.000Z",
        ended_at="2026-01-01T10:03:30.500Z",
        usage=Usage(input_tokens=5, cache_read_tokens=7),
        decisions=(chose,),
        tests=TestRuns(runs=1, ran=True, kind="test", outcome="passed", last_passed=3),
        files=(FileChanged(path="a.py", edits=2, reverts=1),),
        redactions_by_rule={"name": 1},
        thinking="clear",
    )
    header = fold({A: [first, second], B: [record(at=7)]}).header(A)

    assert (header["prompt"], header["summary"], header["summaryBy"]) == ("Build it", "Done.", "agent")
    assert [decision["chosen"] for decision in header["decisions"]] == ["a dict"]
    assert header["caveats"] == ["Not tested."]
    assert header["tests"] == {
        "runs": 3,
        "ran": True,
        "kind": "test",
        "outcome": "passed",
        "lastPassed": 3,
        "lastFailed": None,
        "lastSkipped": None,
        "lastErrors": None,
        "lastExit": None,
        "failedBefore": 1,
        "editedAfter": None,
        "carried": False,
    }
    assert header["filesChanged"] == [
        {"path": "a.py", "kind": "add", "edits": 3, "reverts": 1, "lines": None},
        {"path": "b.py", "kind": "update", "edits": 1, "reverts": 0, "lines": None},
    ]
    assert (header["thinking"], header["redactions"], header["redactionsAtMost"]) == ("clear", 3, True)
    part = header["part"]
    assert (part["number"], part["of"], part["durationSeconds"]) == (1, 2, 210.5)
    assert (part["usage"]["inputTokens"], part["usage"]["cacheReadTokens"]) == (15, 7)
    assert (part["costUsd"], part["costSource"]) == (0.5, "reported")
    assert part["counts"]["toolCalls"] == 2


def test_session_fields_are_those_of_the_last_part_that_has_them() -> None:
    early = SessionInfo(title="First words", agent="codex", models=("small",), tags=("x",), status="active")
    late = SessionInfo(
        agent="codex",
        models=("small", "big"),
        task=TaskRef(title="Speed", source=TaskSource(system="github", id="7")),
        status="completed",
        retrospective=Retrospective(by="agent", summary="It went well.", confidence=0.7),
    )
    folded = fold(
        {
            A: [record(at=0, whole=early, started_at="2026-01-01T10:00:00Z")],
            B: [record(at=1, whole=late, ended_at="2026-01-02T10:00:09Z")],
        }
    )
    for commit in (A, B):
        header = folded.header(commit)
        assert (header["title"], header["status"]) == ("First words", "completed")
        assert (header["models"], header["tags"]) == (["small", "big"], ["x"])
        assert header["task"] == {
            "title": "Speed",
            "source": {"system": "github", "id": "7", "url": None},
        }
        assert header["startedAt"] == "2026-01-01T10:00:00Z"
        assert header["completedAt"] == "2026-01-02T10:00:09Z"
        assert header["confidence"] == header["retrospective"]["confidence"] == 0.7


_BACK = Retrospective(by="agent", summary="x is in", challenges=("zero",), confidence=0.9)
_TOLD, _SILENT = SessionInfo(agent="codex", retrospective=_BACK), SessionInfo(agent="codex")
_AGAIN = replace(_TOLD, retrospective=replace(_BACK, confidence=0.4))


def _later(time: str, whole: SessionInfo) -> Record:
    """A part that was added by hand: it has no position in the log."""
    added = record(whole=whole, started_at=time, ended_at=time)
    assert added.range
    return replace(added, range=replace(added.range, first=f"ev_{time}", last=f"ev_{time}", at=None))


@pytest.mark.parametrize(
    ("a", "b", "confidences"),
    [
        # said at the end of A's turn; the log's later parts repeat it
        ([record(at=0, whole=_SILENT), record(at=1, whole=_TOLD)], [record(at=2, whole=_TOLD)], (0.9, None)),
        # said in the part itself, after the other one
        ([record(at=0, whole=_SILENT)], [record(at=2, whole=_TOLD)], (0.9, 0.9)),
        # the last one counts for all the work before it
        ([record(at=0, whole=_TOLD)], [record(at=2, whole=_TOLD), record(at=3, whole=_AGAIN)], (0.4, 0.4)),
        # added by hand: between the two, and after both
        ([record(started_at="1"), _later("2", _TOLD)], [record(at=2, started_at="3")], (0.9, None)),
        ([record(started_at="1"), _later("4", _TOLD)], [record(at=2, started_at="3")], (0.9, 0.9)),
        # not known which was first
        ([record(), _later("2", _TOLD)], [record(at=2)], (0.9, 0.9)),
    ],
)
def test_a_retrospective_is_not_about_the_work_after_it(
    a: list[Record], b: list[Record], confidences: tuple[float | None, ...]
) -> None:
    folded = fold({A: a, B: b})
    assert tuple(folded.header(commit)["confidence"] for commit in (A, B)) == confidences
    backs = [folded.header(commit)["retrospective"] for commit in (A, B)]
    assert [back and back["confidence"] for back in backs] == [*confidences]
    assert folded.header(None)["retrospective"]
    assert folded.across([A, B])["retrospective"]


def test_a_session_that_did_not_end_is_not_completed() -> None:
    running = record(whole=SessionInfo(status="active"), ended_at="2026-01-01T10:00:00Z")
    assert fold({A: [running]}).header(A)["completedAt"] is None


def test_a_rewritten_commit_is_the_same_commit_and_counts_once() -> None:
    one, two = (record(at=at, n=4, usage=Usage(input_tokens=1)) for at in (0, 4))
    folded = fold({A: [one], B: [two], C: [carried(two, B)]})

    assert [number_and_count(folded, commit) for commit in (A, B, C)] == [(1, 2), (2, 2), (2, 2)]
    assert folded.header(C)["link"]["carriedFrom"] == [B]
    assert folded.header(C)["total"]["usage"]["inputTokens"] == 2


def test_a_squash_is_one_commit_with_the_parts_of_all() -> None:
    one, two = (record(at=at, n=4, usage=Usage(input_tokens=1)) for at in (0, 4))
    folded = fold({A: [one], B: [two], C: [carried(one, A), carried(two, B)]})

    assert number_and_count(folded, C) == (1, 1)
    header = folded.header(C)
    assert header["part"]["usage"]["inputTokens"] == header["total"]["usage"]["inputTokens"] == 2
    assert header["link"]["carriedFrom"] == [A, B]


def test_commits_of_one_call_share_a_part_and_are_numbered_in_order() -> None:
    call, result = record(at=0, n=4), record(at=4)
    folded = fold({B: [call], A: [call, result]})
    assert [number_and_count(folded, commit) for commit in (B, A)] == [(1, 2), (2, 2)]


def test_the_link_is_that_of_the_commits_own_record() -> None:
    old = carried(record(at=0, link=Link(evidence="output")), A)
    own = record(at=1, link=Link(evidence="content"))
    assert fold({B: [old, own]}).header(B)["link"] == {
        "evidence": "content",
        "carried": False,
        "role": "produced",
        "carriedFrom": [A],
    }


def test_overlapping_parts_add_nothing() -> None:
    edit = (FileChanged(path="a", edits=1),)
    whole, inside, across = (
        record(at=at, n=n, prompt=f"{at}", usage=Usage(input_tokens=1), files=edit)
        for at, n in ((0, 10), (3, 2), (8, 5))
    )
    folded = fold({A: [whole, inside], B: [across]})

    assert folded.header(A)["total"]["usage"]["inputTokens"] == 1
    assert folded.header(A)["filesChanged"] == [{"path": "a", **_EDIT}]
    assert folded.header(B)["prompt"] == "8"


def test_explored_work_is_shown_only_on_request() -> None:
    done = record(at=0, n=2, usage=Usage(input_tokens=1))
    tried = record(at=2, n=2, role="explored", usage=Usage(input_tokens=5))
    folded = fold({A: [done, tried], B: [record(at=9, n=2, role="explored", usage=Usage(input_tokens=5))]})

    assert folded.records(B) == []
    assert folded.header(B, explored=True)["link"]["role"] == "explored"
    assert folded.header(A)["part"]["usage"]["inputTokens"] == 1
    assert folded.header(A, explored=True)["part"]["usage"]["inputTokens"] == 6
    assert folded.header(A, explored=True)["link"]["role"] == "produced"
    assert folded.header(A)["total"]["usage"]["inputTokens"] == 11


def test_the_highest_revision_of_a_part_in_any_note_counts() -> None:
    old = record(prompt="with a secret", link=Link(evidence="output"))
    new = replace(old, rev=2, figures=replace(old.figures, prompt="clean"), link=Link(evidence="manual"))
    (folded,) = recorded({A: [old], B: [new]}).on(A)
    assert folded.header(A)["prompt"] == "clean"
    assert folded.header(A)["link"]["evidence"] == "output"


def test_a_forgotten_trajectory_is_hidden_on_every_commit() -> None:
    line = record()
    stone = Tombstone(id="traj_one", deleted="forgotten", scope="all")
    notes = recorded({A: [line, stone], B: [carried(line, A)], C: [record("traj_other")]})
    assert (notes.on(A), notes.on(B), [*notes.ids()]) == ([], [], ["traj_other"])


def test_a_stub_is_replaced_by_a_record_on_another_commit() -> None:
    stub = Record(id="traj_one", link=Link(evidence="output"), incomplete=True)
    folded = fold({A: [stub], B: [record(usage=Usage(input_tokens=3))]})
    assert folded.header(A)["total"]["usage"]["inputTokens"] == 3
    assert (folded.header(A)["incomplete"], folded.header(B)["incomplete"]) == (True, False)


@given(
    spans=st.dictionaries(st.integers(0, 12), st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1),
    rng=st.randoms(use_true_random=False),
)
def test_neither_order_nor_copies_change_the_total(
    spans: dict[int, tuple[int, int]], rng: random.Random
) -> None:
    """However the parts are distributed over commits and carried, each event counts at most once."""
    notes: dict[str, list[Record]] = {}
    for at, (commit, n) in spans.items():
        line = record(at=at, n=n, usage=Usage(input_tokens=2**at))
        notes.setdefault(f"{commit}" * 40, []).append(line)
    mixed = [*notes.items()]
    for old, lines in notes.items():
        mixed.append((f"{int(old[0]) + 5}" * 40, [carried(line, old) for line in lines]))
    rng.shuffle(mixed)

    taken: set[int] = set()
    total = 0
    for at, (_, n) in sorted(spans.items()):
        if taken.isdisjoint(range(at, at + n)):
            taken |= {*range(at, at + n)}
            total += 2**at
    for parts in (dict(notes), dict(mixed)):
        folded = fold(parts)
        assert folded.header(None)["total"]["usage"]["inputTokens"] == total
        assert folded.of == len(notes)


def carried(line: Record, old: str) -> Record:
    return replace(line, link=replace(line.link, carried_from=(old,)))


def recorded(notes: dict[str, list[Any]]) -> Recorded:
    return Recorded((commit, encode_note(lines)) for commit, lines in notes.items())


def number_and_count(folded: Folded, commit: str) -> tuple[int, int]:
    part = folded.header(commit)["part"]
    return part["number"], part["of"]


def test_a_part_with_impossible_positions_is_shown() -> None:
    """Anybody may have pushed it; it must not stop a listing."""
    strange = record(at=-9, n=-5, prompt="Here")
    assert fold({"a": [strange]}).header("a")["prompt"] == "Here"


def test_values_of_a_later_version_are_unknown() -> None:
    line = b"""{"files":[{"kind":"copy","path":"a"}],"id":"t","link":{"evidence":"hearsay"},"range":
        {"first":"1","last":"1","n":1},"status":"paused","thinking":"shredded"}"""
    later = decode_line(line.replace(b"\n", b""))
    assert isinstance(later, Record)
    header = fold({A: [later]}).header(A)
    assert (header["link"]["evidence"], header["thinking"]) == ("unknown", "unknown")
    assert header["status"] == "paused"
    assert [file["kind"] for file in header["filesChanged"]] == ["unknown"]


def test_a_run_whose_outcome_was_not_recorded_is_unknown() -> None:
    header = fold({A: [record(tests=TestRuns(runs=2, last_passed=3, last_exit=0))]}).header(A)
    tests = header["tests"]
    assert (tests["kind"], tests["outcome"], tests["ran"], tests["lastPassed"]) == (
        "test",
        "unknown",
        True,
        3,
    )


def test_a_linters_run_does_not_replace_that_of_the_tests() -> None:
    tested = record(tests=TestRuns(runs=2, ran=True, kind="test", outcome="failed", last_failed=1))
    linted = record(at=5, tests=TestRuns(runs=1, ran=True, kind="lint", outcome="passed"))
    header = fold({A: [tested, linted]}).header(A)
    assert (header["tests"]["runs"], header["tests"]["kind"], header["tests"]["outcome"]) == (
        2,
        "test",
        "failed",
    )


def test_a_cost_of_zero_with_many_tokens_is_unknown() -> None:
    def shown(tokens: int) -> tuple[Any, Any]:
        usage = Usage(input_tokens=tokens, output_tokens=10)
        part = record(usage=usage, cost_usd=0.0, cost_source="reported")
        header = fold({A: [part]}).header(A)
        return header["part"]["costUsd"], header["part"]["costSource"]

    assert shown(5_000) == (None, "unknown")
    assert shown(5) == (0.0, "reported")


def test_a_choice_that_a_later_part_repeats_is_listed_once() -> None:
    first = record(decisions=(Decision(chosen="a dict", alternatives=("a list",), by="inferred", quote="1"),))
    again = record(
        at=5, decisions=(Decision(chosen="A dict", alternatives=("a list",), by="inferred", quote="2"),)
    )
    header = fold({A: [first, again]}).header(A)
    assert [decision["quote"] for decision in header["decisions"]] == ["1"]


def _told(*records: Record) -> str | None:
    return words_of_tests.tests(fold({B: list(records)}).header(B)["tests"])


def test_tests_of_a_carried_commit_are_marked_as_run_before_the_rewrite() -> None:
    """Tests in the last part are not marked if a call made the commit: they may have run after that call, and
    so after the rewrite. Nor are tests in a part that was not carried."""
    ran = TestRuns(runs=2, ran=True, kind="test", outcome="passed", last_passed=3)
    link = Link(evidence="agent", call="c", carried_from=(A,))
    run, rest = record(link=link, tests=ran), record(at=5, link=link)
    rewritten = "3 passed (last of 2 runs, before the commit was rewritten)"
    assert _told(run, rest) == rewritten
    assert _told(record(link=link), replace(rest, figures=run.figures)) == "3 passed (last of 2 runs)"
    assert _told(replace(run, link=replace(link, evidence="content"))) == rewritten
    assert _told(run, record(at=5)) == rewritten
    assert _told(record(tests=ran)) == _told(rest, record(at=9, tests=ran)) == "3 passed (last of 2 runs)"


def test_tests_before_the_last_edit_are_marked() -> None:
    """The edit may also be in a later part, as after a commit that is then amended."""
    ran = TestRuns(runs=1, ran=True, kind="test", outcome="passed", last_passed=3)
    edits, link = (FileChanged(path="a.py", edits=1),), Link(evidence="agent", call="c", carried_from=(A,))
    marked = "3 passed (before the last edit)"
    assert _told(record(tests=replace(ran, edited_after=True))) == marked
    assert _told(record(tests=ran), record(at=5, files=edits)) == marked
    assert _told(record(link=link, tests=ran), record(at=5, files=edits)) == marked
    assert _told(record(files=edits), record(at=5, tests=ran, files=edits)) == "3 passed"


def test_the_closing_message_of_a_turn_with_several_commits_is_not_the_last_commits_result() -> None:
    asked = record(prompt="Two things", result="One works.", counts=Counts(prompts=1))
    rest = record(at=5, prompt="Two things", result="One still works.")
    parts = fold({A: [asked], B: [rest], C: [asked, rest]})
    assert [parts.header(commit)["result"] for commit in (A, B, C)] == [
        "One works.",
        None,
        "One still works.",
    ]

"""Ranking what is most useful for the next change of a file."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.model.values import Decision, FileChanged, Retrospective, Role, SessionInfo, Summary, TestRuns
from gittraj.query.context.neighbours import Near
from gittraj.query.context.takeaways import Source, rank_takeaways
from gittraj.query.header import fold
from tests.integration.story import record

FAILED = TestRuns(runs=2, ran=True, kind="test", outcome="failed", last_passed=3, last_failed=1)


def source(
    number: int = 0, *, path: str = "a.py", weight: float = 1, neighbour: bool = False, **fields: Any
) -> Source:
    commit = f"{number:040x}"
    role: Role = fields.pop("role", "produced")
    ranked = record(f"traj_{number}", role=role, **fields)
    header = fold({commit: [ranked]}).header(commit, explored=True)
    near = Near(commit, weight, path, neighbour)
    return Source(near, short=commit[-7:], date="2026-03-01T09:00:00Z", newer=number, header=header)


def chose(chosen: str, *others: str, by: str = "agent", **more: Any) -> dict[str, Any]:
    return {"decisions": (Decision(chosen=chosen, alternatives=others, by=by, **more),)}


def texts(*sources: Source, names: tuple[str, ...] = ()) -> list[str]:
    return [takeaway["text"] for takeaway in rank_takeaways(sources, names)]


def test_every_kind_of_takeaway_is_read_from_a_record() -> None:
    whole = SessionInfo(
        retrospective=Retrospective(
            by="agent", challenges=("locks",), learnings=("batch",), suggestions=("cache",), confidence=0.7
        )
    )
    ranked = source(
        whole=whole,
        decisions=(
            Decision(
                chosen="X", alternatives=("Y", "Z"), question="Q", reasoning="R", confidence=0.5, by="agent"
            ),
            Decision(chosen="W", by="human"),
        ),
        caveats=("unsure",),
        tests=FAILED,
        prompt="Do it",
        summary=Summary(text="Done", by="agent"),
    )
    takeaways = rank_takeaways([ranked])
    assert [(x["kind"], x["text"]) for x in takeaways] == [
        ("rejected", "Y or Z"),
        ("doubt", "unsure"),
        ("challenge", "locks"),
        ("learned", "batch"),
        ("tests", "3 passed, 1 failed (last of 2 runs)"),
        ("decided", "W"),
        ("suggested", "cache"),
        ("asked", "Do it"),
    ]
    assert takeaways[0] == {
        "commit": "0" * 40,
        "short": "0" * 7,
        "date": "2026-03-01T09:00:00Z",
        "kind": "rejected",
        "text": "Y or Z",
        "chosen": "X",
        "question": "Q",
        "reasoning": "R",
        "summary": None,
        "by": "agent",
        "confidence": 0.5,
        "answeredIn": None,
        "trajectory": "traj_0",
        "path": "a.py",
        "paths": [],
        "neighbour": False,
        "revertedBy": None,
    }
    assert (takeaways[3]["by"], takeaways[3]["confidence"]) == ("agent", 0.7)
    assert takeaways[-1]["summary"] == "Done"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (source(1, **chose("x", "stated")), source(0, **chose("x", "drawn", by="inferred"))),
        (source(1, **chose("unsure", confidence=0.1)), source(0, **chose("sure", confidence=0.9))),
        (source(0, caveats=("new",)), source(9, caveats=("old",))),
        (source(9, caveats=("here",)), source(0, caveats=("elsewhere",), weight=0.2, neighbour=True)),
        (source(1, caveats=("parse() breaks",)), source(0, caveats=("it breaks",))),
        (source(1, **chose("x", "by a human", by="human")), source(0, **chose("x", "later", by="model:m"))),
        (source(9, role="explored", summary=Summary(text="gave up", by="agent")), source(0, prompt="Do it")),
    ],
)
def test_the_more_useful_takeaway_comes_first(first: Source, second: Source) -> None:
    both = [rank_takeaways([one])[0]["text"] for one in (first, second)]
    assert texts(first, second, names=("parse",)) == both


def test_a_rejection_is_not_crowded_out_by_newer_doubts() -> None:
    noise = [source(i, caveats=(f"parse {i} a", f"parse {i} b"), prompt=f"Do {i}") for i in range(29)]
    ranked = texts(*noise, source(29, **chose("x", "the old one")), names=("parse",))
    assert ranked.index("the old one") < 6


def test_no_kind_crowds_out_the_others() -> None:
    ranked = texts(*(source(i, **chose("x", f"y{i}")) for i in range(30)), source(30, caveats=("unsure",)))
    assert ranked.index("unsure") < 6


def test_the_same_words_are_listed_once() -> None:
    copy = [source(i, caveats=("Not  Tested",), **chose("x", "y")) for i in (3, 1)]
    takeaways = rank_takeaways([*copy, source(2, caveats=("not tested",))])
    assert [(x["text"], x["commit"][-1]) for x in takeaways] == [("y", "1"), ("Not  Tested", "1")]


@pytest.mark.parametrize(
    ("ran", "ranked"),
    [
        ([replace(FAILED, last_passed=None, last_failed=2)], ["2 failed (last of 2 runs)"]),
        ([TestRuns(runs=1, ran=True, kind="build", outcome="failed")], ["build failed"]),
        ([TestRuns(runs=1, outcome="unknown", last_exit=1)], []),
        ([TestRuns(runs=1, ran=True, outcome="passed"), FAILED], []),
        ([None, FAILED], ["3 passed, 1 failed (last of 2 runs)"]),
    ],
)
def test_only_tests_that_still_fail_are_listed(ran: list[TestRuns | None], ranked: list[str]) -> None:
    assert texts(*(source(i, tests=tests) for i, tests in enumerate(ran))) == ranked


def test_a_related_commits_prompt_and_tests_are_left_out() -> None:
    assert texts(source(neighbour=True, prompt="x", tests=FAILED)) == []


def test_work_without_a_commit_is_listed_as_tried() -> None:
    whole = SessionInfo(status="abandoned", retrospective=Retrospective(by="agent", approach="A grammar"))
    ranked = rank_takeaways([source(whole=whole, prompt="Parse", role="explored")])
    assert [(x["kind"], x["text"]) for x in ranked] == [("tried", "A grammar")]
    ranked = rank_takeaways([source(whole=whole, prompt="Parse")])
    assert [(x["kind"], x["text"]) for x in ranked] == [("asked", "Parse")]


def test_in_a_trajectory_recorded_by_hand_the_title_is_the_prompt() -> None:
    whole = SessionInfo(
        title="Parse durations", retrospective=Retrospective(by="human", summary="They parse.")
    )
    (takeaway,) = rank_takeaways([source(whole=whole)])
    assert (takeaway["kind"], takeaway["text"], takeaway["summary"]) == (
        "asked",
        "Parse durations",
        "They parse.",
    )


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["a", "A", "b", " ", "parse"]), max_size=2),
            st.sampled_from(["agent", "inferred", "model:x", "anybody"]),
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
            st.sampled_from([1.0, 0.5, 0.1]),
        ),
        max_size=6,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_does_not_depend_on_that_of_the_sources(ranked: Any, rng: random.Random) -> None:
    sources = [
        source(i, weight=w, caveats=tuple(words), **chose("x", *words, by=by, confidence=c))
        for i, (words, by, c, w) in enumerate(ranked)
    ]
    takeaways = rank_takeaways(sources, ["parse"])
    rng.shuffle(sources)
    assert rank_takeaways(sources, ["parse"]) == takeaways
    fields = [(x["text"].casefold(), x["chosen"]) for x in takeaways]
    assert len(fields) == len(set(fields))


def test_a_later_answer_to_an_unsure_decision_is_named() -> None:
    unsure = source(3, **chose("a", "b", question="Which?", confidence=0.3))
    sure = source(1, **chose("c", question="Which?", confidence=0.9))
    answers = {t["short"]: t["answeredIn"] for t in rank_takeaways([unsure, sure])}
    assert answers == {"0000003": sure.near.commit, "0000001": None}
    for no_answer in (
        source(5, **chose("c", question="Which?", confidence=0.9)),  # it is earlier
        source(1, **chose("c", question="Which?", confidence=0.4)),
        source(1, **chose("c", question="Which?", by="inferred")),
        replace(sure, reverted="f" * 40),
    ):
        assert {t["answeredIn"] for t in rank_takeaways([unsure, no_answer])} == {None}


def test_of_two_doubts_one_of_which_contains_the_other_the_longer_is_kept() -> None:
    long, short = "I haven't tested fractions such as 1.5h.", "I haven't tested fractions."
    assert texts(source(0, caveats=(short,)), source(1, caveats=(long,))) == [long]
    assert texts(source(0, caveats=(short,)), source(1, caveats=(short,))) == [short]


def test_a_decision_that_names_a_file_is_listed_for_that_file() -> None:
    near = Near("a" * 40, 1, "a.py", neighbour=False, paths=["a.py", "b.py"], files=["a.py", "b.py", "c.py"])
    for named, path in (("b.py", "b.py"), ("c.py", "c.py"), ("random.uniform", None)):
        ranked = replace(source(0, **chose("x", "y", path=named), caveats=("slow",)), near=near)
        paths = {t["kind"]: (t["path"], t["paths"]) for t in rank_takeaways([ranked])}
        both = ("a.py", ["a.py", "b.py"])
        assert paths == {"rejected": (path, [path]) if path else both, "doubt": both}


def test_a_file_that_the_session_wrote_is_named_as_the_related_one() -> None:
    near = Near("a" * 40, 0.15, "aa.py", neighbour=True, files=["aa.py", "b.py", "a.py"])
    ranked = source(0, caveats=("slow",), files=(FileChanged(path="b.py", kind="edit", edits=1),))
    assert [t["path"] for t in rank_takeaways([replace(ranked, near=near)])] == ["b.py"]
    assert [t["path"] for t in rank_takeaways([replace(source(0, caveats=("slow",)), near=near)])] == [
        "aa.py"
    ]


def test_a_remotes_takeaway_for_the_file_comes_before_one_of_a_related_commit() -> None:
    theirs = source(3, caveats=("theirs",))
    theirs = replace(theirs, header={**theirs.header, "remote": "origin"})
    beside = source(1, weight=0.5, neighbour=True, **chose("chosen", "beside"))
    assert texts(beside, theirs, source(9, caveats=("ours",))) == ["ours", "theirs", "beside"]


def test_a_reverted_commits_takeaways_come_last() -> None:
    gone = replace(source(0, **chose("x", "reverted")), reverted="f" * 40)
    assert texts(gone, source(9, **chose("x", "stands"))) == ["stands", "reverted"]

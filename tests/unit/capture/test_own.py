"""own() on tables: a log with one letter per event, and the commits that its calls made.

``p`` prompt, ``m`` message, ``e``/``E`` an edit's call and its result, ``c``/``C`` a call that commits and
its result, ``r``/``R`` another call here, ``x``/``X`` a call elsewhere, ``o``/``O`` one that commits
elsewhere, ``.`` the end of a turn (not an event).
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.capture.own import Anchor, Part, Step, own

CALLS = "ecrxo"


def read(log: str) -> tuple[list[Step], list[int], list[int]]:
    """Return the steps of a log in letters, and the indexes of its committing calls, here and elsewhere."""
    letters: list[str] = []
    ends: set[int] = set()
    for letter in log:
        if letter == ".":
            ends.add(len(letters) - 1)
        elif letter != " ":
            letters.append(letter)
    open_calls: dict[str, list[int]] = {}
    results: dict[int, int] = {}
    for i, letter in enumerate(letters):
        if letter in CALLS:
            open_calls.setdefault(letter, []).append(i)
        elif letter.lower() in CALLS:
            results[open_calls[letter.lower()].pop(0)] = i
    steps = [
        Step(
            prompt=letter == "p",
            edit=letter == "e",
            here=letter in "eEcCrR",
            elsewhere=letter in "xXoO",
            ends_turn=i in ends,
            result=results.get(i),
        )
        for i, letter in enumerate(letters)
    ]
    return (
        steps,
        [i for i, x in enumerate(letters) if x == "c"],
        [i for i, x in enumerate(letters) if x == "o"],
    )


def owned(log: str, *, commits: str | None = None, ended: bool = False) -> str:
    """Return one letter per event: its commit (A, B … in the order of the calls), ``-`` if it waits for one,
    ``x`` if it is dropped; ``|`` is between two parts."""
    steps, calls, foreign = read(log)
    names = commits.split() if commits else [chr(65 + i) for i in range(len(calls))]
    anchors = [Anchor(call=call, commits=tuple(name)) for call, name in zip(calls, names, strict=True)]
    anchors += [Anchor(call=call, commits=()) for call in foreign]
    marks = ["-"] * len(steps)
    starts = set()
    for part in own(steps, anchors, ended=ended):
        starts.add(part.first)
        for i in range(part.first, part.last + 1):
            marks[i] = "x" if i in part.dropped else part.anchor.commits[-1]
    return "".join(("|" if i in starts and i else "") + mark for i, mark in enumerate(marks))


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        pytest.param("pmeEcCm.", "AAAAA|A|A", id="one commit, its result, the closing message"),
        pytest.param("pmeEcCm", "AAAAA|A-", id="a message waits while the turn goes on"),
        pytest.param("pmeEc", "AAAAA", id="written at once up to the call"),
        pytest.param("peEcCeEcCm.", "AAAA|A|BBB|B|B", id="two edits, two commits"),
        pytest.param("peEeEcCcCm.", "AAAAAA|A|B|B|B", id="both edits before both commits"),
        pytest.param("peEcCm.pm.", "AAAA|A|A|AA", id="a turn without calls belongs to the last commit"),
        pytest.param("peEcCm.peEm.", "AAAA|A|A----", id="an edit waits for its commit"),
        pytest.param("peEcCm.peEm.peEcC", "AAAA|A|A|BBBB|BBBB|B", id="and is given to the next one"),
        pytest.param("pm.pm.peEcC", "AA|AA|AAAA|A", id="a part for each prompt"),
        pytest.param("peEm.", "----", id="nothing without a commit"),
        pytest.param("pecEC", "AAA|AA", id="parallel calls: the commit before the edit's result"),
        pytest.param("pcCeE.", "AA|A--", id="an edit after the commit"),
        pytest.param("pcpm.", "AA|AA", id="a commit whose result never came"),
    ],
)
def test_events_belong_to_the_first_commit_whose_result_is_at_or_after_them(log: str, expected: str) -> None:
    assert owned(log) == expected


def test_the_last_turn_of_an_ended_session_is_over() -> None:
    assert owned("peEcCm", ended=True) == "AAAA|A|A"
    assert owned("peEcCeEm", ended=True) == "AAAA|A---"


def test_two_commits_of_one_call_share_its_parts_and_the_last_gets_the_closing_message() -> None:
    steps, calls, _ = read("peEcCm.")
    parts = own(steps, [Anchor(call=calls[0], commits=("A", "B"))])
    assert [(p.first, p.last, p.anchor.commits) for p in parts] == [
        (0, 3, ("A", "B")),
        (4, 4, ("A", "B")),
        (5, 5, ("B",)),
    ]


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        pytest.param("peEcCxXoOm.", "AAAA|A|xxx|x|x", id="after ours, another repository's"),
        pytest.param("pxXoOeEcC", "xxxx|x|AAA|A", id="before ours: nothing of it"),
        pytest.param("peExXoOcC", "AAAxxx|x|A|A", id="our edit before the other repository's commit stays"),
    ],
)
def test_a_part_ends_at_a_commit_of_any_repository(log: str, expected: str) -> None:
    assert owned(log) == expected


def test_the_rest_of_a_log_belongs_to_the_anchor_before_it() -> None:
    steps, _, _ = read("pm.")
    above = Anchor(call=-1, commits=("A",))
    assert own(steps, [], before=above) == [Part(first=0, last=1, anchor=above)]
    assert own(steps, []) == []


LOGS = st.lists(st.sampled_from(["pm", "eE", "cC", "rR", "m", "m.", "xX"]), min_size=1, max_size=12).map(
    "".join
)


@given(LOGS)
def test_parts_are_disjoint_ordered_and_leave_out_no_event_before_the_last_commit(log: str) -> None:
    steps, calls, _ = read(log)
    anchors = [Anchor(call=c, commits=(f"{c}",)) for c in calls]
    parts = own(steps, anchors)
    covered = [i for p in parts for i in range(p.first, p.last + 1)]
    assert covered == sorted(set(covered))
    if calls:
        last = steps[calls[-1]].result
        assert set(range((calls[-1] if last is None else last) + 1)) <= set(covered)


@given(LOGS, st.data())
def test_a_live_capture_and_a_late_one_make_the_same_parts(log: str, data: st.DataObject) -> None:
    """Capturing a growing log in steps gives the same parts as capturing all of it at the end."""
    steps, calls, _ = read(log)
    anchors = [Anchor(call=c, commits=(f"{c}",)) for c in calls]
    late = {(p.first, p.last): p.anchor.commits for p in own(steps, anchors)}
    live: dict[tuple[int, int], tuple[str, ...]] = {}
    for end in [*sorted(data.draw(st.sets(st.integers(0, len(steps)), max_size=4))), len(steps)]:
        seen = [replace(s, result=None) if s.result and s.result >= end else s for s in steps[:end]]
        covered = {i for first, last in live for i in range(first, last + 1)}
        for part in own(seen, [a for a in anchors if a.call < end]):
            if not covered & set(range(part.first, part.last + 1)):
                live[part.first, part.last] = part.anchor.commits
    assert live == late

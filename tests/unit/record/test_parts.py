"""Turning the parts of own() into drafts: which events are covered, counted, cut and left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.capture.own import Anchor, Part, own
from gittraj.capture.session import Log, assemble
from gittraj.model.session_items import Edit, Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import (
    Environment,
    FileChanged,
    Link,
    Message,
    Prompt,
    Range,
    SegmentRef,
    SessionInfo,
    ToolCall,
    Usage,
)
from gittraj.record.drain.description import find_run
from gittraj.record.drain.parts import Drafter
from gittraj.record.drain.plan import remaining_parts, to_steps
from gittraj.state.cursors import Stored
from tests.unit.capture.logs import asked, changed, commit, index, log, oid, ran, said, wrote

REF = SegmentRef(name="000000-12345678", month="2026-01", bytes=1, sha256="0" * 64)


def session(*, start: int = 0) -> Log:
    """Return a log: a prompt, an edit, a commit, a message; a prompt, an edit, a commit."""
    items: list[Item] = [
        *(asked("p1", "\n  Fix it\nplease") + wrote("w1", "a", "1") + ran("c1", "git commit") + said("m1")),
        TurnEnd(end=0),
        *(asked("p2", "Test it") + wrote("w2", "b", "2") + ran("c2", "git commit")),
    ]
    return assemble(items, agent="claude-code", session="s", trajectory="traj_s", start=start)


def owned(of: Log) -> list[Part]:
    anchors = [Anchor(call=index(of, c), commits=(oid(n),)) for c, n in (("c1", "A"), ("c2", "B"))]
    return own(to_steps(of), anchors)


def drafter(of: Log, *commits: Any) -> Drafter:
    return Drafter(of, commits={c.id: c for c in commits}, ci=None)


def spans(found: list[Any]) -> list[tuple[str, str]]:
    return [(d.stored.range.first, d.stored.range.last) for d in found]


def test_a_session_is_drafted_as_parts() -> None:
    of = session(start=10)
    found = drafter(of, commit("A"), commit("B")).draft(owned(of), [])
    assert spans(found) == [
        ("p1", "c1"),
        ("c1.out", "c1.out"),
        ("m1", "m1"),
        ("p2", "c2"),
        ("c2.out", "c2.out"),
    ]
    first = found[0].draft
    assert first.trajectory.span == Range(first="p1", last="c1", n=4, at=10)
    assert first.positions == (10, 11, 12, 13)
    assert [(t.commit, t.role, t.link) for t in first.targets] == [
        (oid("A"), "produced", Link(evidence="agent", call="c1"))
    ]
    assert first.files == (FileChanged(path="a", edits=1, lines=1),)
    assert first.trajectory.prompt == "\n  Fix it\nplease"
    assert first.trajectory.chapters[0].title == "Fix it"
    assert found[1].draft.trajectory.prompt == "\n  Fix it\nplease"
    assert found[3].draft.trajectory.prompt == "Test it"
    assert found[0].stored == Stored(range=first.trajectory.span, commits=(oid("A"),), files=("a",))


def test_events_that_are_stored_are_not_drafted_again() -> None:
    of = session()
    make = drafter(of, commit("A"), commit("B"))
    parts = make.draft(owned(of), [])
    assert make.draft(owned(of), [d.stored for d in parts]) == []
    left = make.draft(owned(of), [parts[0].stored, parts[3].stored])
    assert spans(left) == [("c1.out", "c1.out"), ("m1", "m1"), ("c2.out", "c2.out")]
    inside = Stored(range=Range(first="w1", last="w1.out", n=2, at=1), commits=(oid("A"),))
    assert spans(make.draft(owned(of), [inside]))[:2] == [("p1", "p1"), ("c1", "c1")]


def test_an_explored_copy_does_not_count_as_stored() -> None:
    of = session()
    make = drafter(of, commit("A"), commit("B"))
    stored = Stored(range=Range(first="p1", last="c1", n=4, at=0), commits=(oid("Z"),), explored=True)
    assert spans(make.draft(owned(of), [stored]))[0] == ("p1", "c1")


def test_a_stored_part_that_began_before_the_read_events_covers_its_end() -> None:
    of = session()
    stored = Stored(range=Range(first="gone", last="c1", n=99, at=0), commits=(oid("A"),))
    assert spans(drafter(of).draft(owned(of), [stored]))[0] == ("c1.out", "c1.out")
    lost = Stored(range=Range(first="gone", last="gone too", n=9, at=0), commits=(oid("A"),))
    assert spans(drafter(of).draft(owned(of), [lost]))[0] == ("p1", "c1")


def test_events_after_a_call_before_the_read_events_are_linked_by_its_name() -> None:
    items = [*asked("p3", "What now?"), *said("m3"), TurnEnd(end=0)]
    of = assemble(items, agent="claude-code", session="s", trajectory="traj_s", start=20)
    parts = own(to_steps(of), [], before=Anchor(call=-1, commits=(oid("B"),), name="c2"))
    found = drafter(of, commit("B")).draft(parts, [])
    assert [t.link for d in found for t in d.draft.targets] == [Link(evidence="agent", call="c2")]


def test_events_of_a_commit_that_is_not_stored_are_not_drafted() -> None:
    of = session()
    found = drafter(of, commit("A", stored=False), commit("B")).draft(owned(of), [])
    assert spans(found) == [("p2", "c2"), ("c2.out", "c2.out")]


def test_calls_that_worked_elsewhere_are_left_out_and_counted() -> None:
    of = log(asked("p"), ran("x", "cat /private"), wrote("w", "a"), ran("c", "git commit"), elsewhere=["x"])
    anchor = Anchor(call=index(of, "c"), commits=(oid("A"),))
    [first, _] = drafter(of).draft(own(to_steps(of), [anchor]), [])
    assert [e.id for e in first.draft.trajectory.events] == ["p", "w", "w.out", "c"]
    assert first.draft.positions == (0, 3, 4, 5)
    assert first.draft.dropped == 1
    assert first.stored.range.n == 6


def test_the_second_commits_edit_in_an_earlier_part_is_named_not_copied() -> None:
    """Two edits, then two commits of one file each."""
    of = log(wrote("w1", "a"), wrote("w2", "b"), ran("c1", "git commit a"), ran("c2", "git commit b"))
    commits = [commit("A", changed("a")), commit("B", changed("b"))]
    anchors = [Anchor(call=index(of, c), commits=(oid(n),)) for c, n in (("c1", "A"), ("c2", "B"))]
    parts = own(to_steps(of), anchors)
    found = drafter(of, *commits).draft(parts, [])
    by_first = {d.stored.range.first: d.draft.also for d in found}
    assert by_first == {"w1": (), "c1.out": (), "c2": (("traj_s", "w1"),), "c2.out": (("traj_s", "w1"),)}
    first = Stored(range=found[0].stored.range, commits=(oid("A"),), files=("a", "b"), segments=(REF,))
    later = drafter(of, *commits).draft(parts, [first, found[1].stored])
    assert [d.draft.also for d in later] == [(REF,), (REF,)]


def test_an_edit_that_is_in_a_commit_between_is_not_named_again() -> None:
    of = log(wrote("w1", "a"), ran("c1", "git commit"), ran("c2", "git commit"))
    commits = [commit("A", changed("a")), commit("B", changed("a"))]
    anchors = [Anchor(call=index(of, c), commits=(oid(n),)) for c, n in (("c1", "A"), ("c2", "B"))]
    found = drafter(of, *commits).draft(own(to_steps(of), anchors), [])
    assert {d.draft.also for d in found} == {()}


def edit(name: str, *edits: Edit) -> Entry:
    return Entry(event=ToolCall(id=name, name="e", call_id=name), end=0, edits=edits)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Edit(path="f", kind="add", added=("a",))], FileChanged(path="f", kind="add", edits=1, lines=1)),
        (
            [Edit(path="f", added=("b",), removed=("a",)), Edit(path="f", added=("a",), removed=("b",))],
            FileChanged(path="f", edits=2, reverts=1, lines=2),
        ),
        ([Edit(path="f"), Edit(path="f")], FileChanged(path="f", edits=2, lines=0)),
        ([Edit(path="f", kind="add"), Edit(path="f")], FileChanged(path="f", kind="add", edits=2, lines=0)),
        (
            [Edit(path="f"), Edit(path="f", kind="delete")],
            FileChanged(path="f", kind="delete", edits=2, lines=0),
        ),
    ],
)
def test_the_edits_of_a_file_are_counted(edits: list[Edit], expected: FileChanged) -> None:
    of = log([edit(f"e{n}", e) for n, e in enumerate(edits)], ran("c", "git commit"))
    [first, _] = drafter(of).draft(own(to_steps(of), [Anchor(call=index(of, "c"), commits=(oid("A"),))]), [])
    assert first.draft.files == (expected,)


def spending(*, beside: bool, at: str = "c") -> Log:
    """Return a log with the model call r1: a message and, if ``at`` is "c", the commit's call."""
    words = [Entry(event=Message(id="m", response="r1"), end=0)]
    call = ToolCall(id="c", name="sh", call_id="c", response="r1" if at == "c" else None)
    [_, result] = ran("c", "git commit")
    items = [*asked("p"), *words, Entry(event=call, end=0, command="git commit"), result]
    items += [
        Spent(response="r1", usage=Usage(output_tokens=1)),
        Spent(response="r1", usage=Usage(output_tokens=7), beside=beside),
        Spent(response="unseen", usage=Usage(output_tokens=99)),
    ]
    return log(items)


@pytest.mark.parametrize(
    ("beside", "at", "counted"),
    [
        pytest.param(False, "c", "c", id="with the response's last event"),
        pytest.param(True, "c", "c.out", id="still open at the anchor: with the result"),
        pytest.param(True, "m", "m", id="ended before the call"),
    ],
)
def test_the_usage_of_a_response_counts_once(beside: bool, at: str, counted: str) -> None:
    of = spending(beside=beside, at=at)
    parts = own(to_steps(of), [Anchor(call=index(of, "c"), commits=(oid("A"),))])
    events = [e for d in drafter(of).draft(parts, []) for e in d.draft.trajectory.events]
    assert {e.id: e.usage for e in events if e.usage} == {counted: Usage(output_tokens=7)}


@pytest.mark.parametrize(
    ("stated", "spent", "drafted"),
    [
        pytest.param("12", True, [None, 12], id="stated for the run, with its tokens"),
        pytest.param("13", False, [None, 13], id="stated without tokens: with the last event"),
        pytest.param("0", True, [None, None], id="no call is stated: unknown"),
        pytest.param(None, True, [None, None], id="not stated"),
    ],
)
def test_a_number_of_calls_that_the_log_states_for_the_run_counts(
    stated: str | None, spent: bool, drafted: list[int | None]
) -> None:
    of = spending(beside=True)
    of = replace(of, facts={"api_calls": (stated,)} if stated else {}, spent=of.spent if spent else {})
    parts = own(to_steps(of), [Anchor(call=index(of, "c"), commits=(oid("A"),))])
    assert [d.draft.api_calls for d in drafter(of).draft(parts, [])] == drafted


def test_the_sessions_facts_are_in_the_draft() -> None:
    facts: list[Item] = [
        Fact(name=name, value=value)
        for name, value in (("model", "m1"), ("model", "m2"), ("agent_version", "1.2"), ("title", "Named"))
    ]
    of = log(facts, asked("p", "Fix it"), said("m"))
    part = remaining_parts(to_steps(of), 0, Anchor(call=5, commits=(oid("A"),)))
    [found] = Drafter(of, commits={}, ci="github-actions").draft(part, [])
    assert found.draft.trajectory.whole == SessionInfo(
        title="Named",
        agent="claude-code",
        agent_version="1.2",
        models=("m1", "m2"),
        session="s",
        environment=Environment(ci="github-actions"),
    )


def test_the_rest_of_a_log_is_cut_before_each_prompt() -> None:
    of = log(said("m0"), asked("p1"), said("m1"), asked("p2"))
    anchor = Anchor(call=3, commits=(oid("A"),), evidence="content")
    parts = remaining_parts(to_steps(of), 0, anchor)
    assert [(p.first, p.last, p.anchor.call) for p in parts] == [(0, 0, -1), (1, 2, -1), (3, 3, -1)]
    assert remaining_parts(to_steps(of), 4, anchor) == []
    found = drafter(of).draft(parts, [], explored=True)
    assert [t.role for d in found for t in d.draft.targets] == ["explored"] * 3
    assert all(d.stored.explored for d in found)


@given(st.sets(st.integers(0, 9)), st.data())
def test_no_event_is_stored_twice_and_none_is_lost(covered: set[int], data: st.DataObject) -> None:
    of = session()
    parts = owned(of)
    make = drafter(of, commit("A"), commit("B"))
    ids = [entry.event.id for entry in of.entries]
    stored = [
        Stored(range=Range(first=ids[i], last=ids[i], n=1, at=i), commits=(oid("A"),))
        for i in sorted(covered)
    ]
    found = [e.id for d in make.draft(parts, stored) for e in d.draft.trajectory.events]
    wanted = [ids[i] for p in parts for i in range(p.first, p.last + 1) if i not in covered]
    assert found == wanted


def test_steps_know_prompts_edits_results_and_ends_of_turns() -> None:
    of = session()
    steps = to_steps(of)
    assert [i for i, s in enumerate(steps) if s.prompt] == [
        i for i, e in enumerate(of.entries) if isinstance(e.event, Prompt)
    ]
    assert [i for i, s in enumerate(steps) if s.edit] == [index(of, "w1"), index(of, "w2")]
    assert [i for i, s in enumerate(steps) if s.ends_turn] == [index(of, "m1")]
    assert steps[index(of, "c1")].result == index(of, "c1.out")


@pytest.mark.parametrize(("counted", "calls"), [(2, 2), (10**400, None)], ids=["few", "absurd"])
def test_a_runs_absurd_number_of_calls_is_unknown(counted: int, calls: int | None) -> None:
    of = replace(spending(beside=False), facts={"run": ("r",), "api_calls": (str(counted),)})
    run = find_run(of)
    assert run
    assert run.api_calls == calls

"""A log's digest, without its texts, is linked to the same commits as the whole log."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import chain
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gittraj.agents import SessionFile
from gittraj.capture.anchor import match_commits
from gittraj.capture.link import link
from gittraj.capture.own import Anchor, own
from gittraj.capture.session import Log
from gittraj.commands.backfill.log_digest import LogDigest, find_commit_calls, make_digest
from gittraj.model.session_items import Entry, Item
from gittraj.model.values import ToolCall, ToolResult
from gittraj.record.drain.plan import to_steps
from tests.unit.capture.logs import ME, asked, changed, commit, log, oid, ran, said, wrote

FILE = SessionFile(agent="claude-code", session="s", path=Path("/logs/s.jsonl"))
SPOKEN = "what was said to nobody else"


def digest(of: Log) -> LogDigest:
    return make_digest(FILE, of, 10, 0.0)


STEPS: tuple[list[Item], ...] = (
    asked("p", SPOKEN),
    said("m", SPOKEN),
    wrote("w", "a", "one\ntwo\n", whole="one\ntwo\n"),
    wrote("x", "b", SPOKEN, failed=True),
    ran("c", "git add -A && git commit -m One", f"[main {oid('one')[:7]}] One", commits=["one"]),
    ran("q", "git commit -qm Two"),
    ran("n", "git commit -qm Nothing", "nothing to commit, working tree clean", failed=True),
    ran("s", "ls", SPOKEN),
    ran("o", "git commit -m Open", None),
)


@given(st.lists(st.sampled_from(range(len(STEPS))), max_size=12))
def test_a_digest_is_linked_like_the_whole_log(chosen: list[int]) -> None:
    full = log(*(renamed(STEPS[n], k) for k, n in enumerate(chosen)))
    thin = digest(full)
    commits = [
        commit("one", changed("a", "one\ntwo\n", blob="one\ntwo\n"), subject="One", by=ME),
        commit("two", changed("b", "more\n"), subject="Two", by=ME),
        commit("human", changed("a", "one\ntwo\n"), subject="Mine"),
    ]
    assert match_commits(thin.log, commits) == match_commits(full, commits)
    known: dict[str, list[Anchor]] = {}
    whole = link([full], [commits], known=known)
    short = link([thin.log], [commits], known=known, writings={full.trajectory: thin.writings})
    assert (short.anchors, short.aliases, short.unfound) == (whole.anchors, whole.aliases, whole.unfound)
    found = whole.anchors.get(full.trajectory, [])
    assert own(to_steps(thin.log), found) == own(to_steps(full), found)


@given(st.lists(st.sampled_from(range(len(STEPS))), max_size=12))
def test_a_digest_contains_no_text_and_can_be_pickled(chosen: list[int]) -> None:
    made = digest(log(*(renamed(STEPS[n], k) for k, n in enumerate(chosen))))
    travelled = pickle.dumps(made)
    assert SPOKEN.encode() not in travelled
    assert b"nothing to commit, working tree" not in travelled
    assert pickle.loads(travelled) == made


def renamed(items: list[Item], number: int) -> list[Item]:
    """Return a copy of a step with its own ids."""
    found: list[Item] = []
    for item in items:
        assert isinstance(item, Entry)
        event = replace(item.event, id=f"{number}.{item.event.id}")
        if isinstance(event, ToolCall | ToolResult):
            event = replace(event, call_id=f"{number}.{event.call_id}")
        found.append(replace(item, event=event))
    return found


def test_the_ids_of_started_agents_stay_in_a_digest() -> None:
    call = Entry(event=ToolCall(id="t", name="Task", call_id="t"), end=0)
    long = "x" * 2_000
    result = Entry(event=ToolResult(id="r", call_id="t", content=f"agentId: a1\n{long}\nagentId: b2"), end=0)
    kept = digest(log([call, result])).log.entries[1].event.content
    assert "a1" in kept
    assert "b2" in kept
    assert len(kept) < 1_000


def test_a_digest_has_times_printed_ids_and_committing_calls() -> None:
    times = ["2026-01-02T00:00:00.000Z", None, "2026-01-01T00:00:00.000Z"]
    items = [*chain(asked("p"), said("m"), said("n"))]
    dated = [
        replace(item, event=replace(item.event, ts=ts))
        for item, ts in zip(items, times, strict=True)
        if isinstance(item, Entry)
    ]
    made = digest(log([*dated, *STEPS[4]], ran("f", "git commit -m No", failed=True)))
    assert (made.head, made.started, made.ended) == ("p", times[2], times[0])
    assert list(made.printed) == [oid("one")[:7]]
    assert [made.log.entries[i].event.id for i in find_commit_calls(made.log)] == ["c"]
    empty = digest(log())
    assert (empty.head, empty.started, empty.ended, list(find_commit_calls(empty.log))) == (
        None,
        None,
        None,
        [],
    )


def test_a_call_that_committed_elsewhere_is_not_a_committing_call() -> None:
    made = digest(log(STEPS[4], STEPS[5], elsewhere=["c"]))
    assert [made.log.entries[i].event.id for i in find_commit_calls(made.log)] == ["q"]

"""Which sessions are copies of others, independent of the order in which their logs are read."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from gittraj.agents import SessionFile
from gittraj.commands.backfill.digest_logs import find_copies
from gittraj.commands.backfill.log_digest import LogDigest, make_digest
from gittraj.model.session_items import trajectory_id
from tests.unit.capture.logs import asked, log

UNIQUE = "1cf620cd-68b1-4c16-a491-679bc6436333:0"


def session(
    name: str, head: str, ended: str, *, agent: str = "codex", parent: str = "", subagent: str | None = None
) -> LogDigest:
    facts = {"parent_session": (parent,), "parent_kind": ("fork",)} if parent else {}
    of = replace(log(asked(head), name=f"{agent}:{name}"), facts=facts, trajectory=trajectory_id(agent, name))
    file = SessionFile(agent=agent, session=name, path=Path(f"/{name}.jsonl"), subagent=subagent)
    return replace(make_digest(file, of, 1, 0.0), ended=ended)


def named(name: str) -> str:
    return trajectory_id("codex", name)


def test_copies_are_found_in_whatever_order_logs_are_read() -> None:
    """The session that was forked may go on and end later than the fork."""
    parent, fork = session("p", UNIQUE, "2026-01-09"), session("f", UNIQUE, "2026-01-02", parent="p")
    again = session("g", UNIQUE, "2026-01-01", parent="f")
    for each in itertools.permutations([parent, fork, again]):
        assert find_copies(each) == {named("f"): named("p"), named("g"): named("f")}


def test_other_agents_subagents_and_other_first_events_are_not_copies() -> None:
    others = [
        session("b", UNIQUE.replace("1", "2"), "2026-01-01"),
        session("c", UNIQUE, "2026-01-01", agent="claude-code"),
        session("d", UNIQUE, "2026-01-01", subagent="helper"),
    ]
    assert find_copies([session("a", UNIQUE, "2026-01-01"), *others]) == {}


def test_numbered_event_ids_do_not_prove_a_copy() -> None:
    for head in ("n2:0", "m1:0", "task:0", "stream.1:0", "exec.19a6817a.item_0:0"):
        assert find_copies([session("a", head, "2026-01-01"), session("b", head, "2026-01-01")]) == {}

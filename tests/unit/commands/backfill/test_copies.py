"""Which sessions are nobody's copy, and that the order in which logs are met decides nothing."""

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
    name: str, head: str, ended: str, *, agent: str = "codex", parent: str = "", below: str | None = None
) -> LogDigest:
    facts = {"parent_session": (parent,), "parent_kind": ("fork",)} if parent else {}
    of = replace(log(asked(head), name=f"{agent}:{name}"), facts=facts, trajectory=trajectory_id(agent, name))
    file = SessionFile(agent=agent, session=name, path=Path(f"/{name}.jsonl"), subagent=below)
    return replace(make_digest(file, of, 1, 0.0), ended=ended)


def named(name: str) -> str:
    return trajectory_id("codex", name)


def test_in_whatever_order_they_are_met() -> None:
    """Who goes on with a session that was forked ends later than the fork."""
    parent, fork = session("p", UNIQUE, "2026-01-09"), session("f", UNIQUE, "2026-01-02", parent="p")
    again = session("g", UNIQUE, "2026-01-01", parent="f")
    for each in itertools.permutations([parent, fork, again]):
        assert find_copies(each) == {named("f"): named("p"), named("g"): named("f")}


def test_who_is_nobody_s_copy() -> None:
    others = [
        session("b", UNIQUE.replace("1", "2"), "2026-01-01"),
        session("c", UNIQUE, "2026-01-01", agent="claude-code"),
        session("d", UNIQUE, "2026-01-01", below="helper"),
    ]
    assert find_copies([session("a", UNIQUE, "2026-01-01"), *others]) == {}


def test_events_that_are_only_numbered_prove_nothing() -> None:
    for head in ("n2:0", "m1:0", "task:0", "stream.1:0", "exec.19a6817a.item_0:0"):
        assert find_copies([session("a", head, "2026-01-01"), session("b", head, "2026-01-01")]) == {}

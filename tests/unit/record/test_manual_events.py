"""Parts of events that a command recorded and that are in no log."""

from __future__ import annotations

import pytest

from gittraj.decisions.commands import Call
from gittraj.model.values import Range
from gittraj.record.drain.manual_events import trajectory_of
from gittraj.state.active import Active, Header

CALLS = [
    (Call("complete"), "completed"),
    (Call("complete", {"summary": "Done"}), "completed"),
    (Call("abandon", {"reason": "It cannot be done"}), "abandoned"),
    (Call("decision", {"chosen": "a bucket"}), None),
]


@pytest.mark.parametrize(("call", "status"), CALLS)
def test_a_recorded_end_sets_the_sessions_status(call: Call, status: str | None) -> None:
    header = Header(trajectory="traj_a", worktree="/r/.git", agent="codex", session="s")
    active = Active(header=header, events=(call.event(by="agent", id="ev_a"),))
    assert trajectory_of(active, Range(first="ev_a", last="ev_a", n=1)).whole.status == status

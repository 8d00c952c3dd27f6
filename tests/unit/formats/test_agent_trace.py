"""Records of agent-trace in each dialect, and invalid values in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gittraj.errors import FormatError
from gittraj.formats.agent_trace import read as agent_trace
from gittraj.model.session_items import Damage, Entry, Fact
from gittraj.model.values import Foreign

AT = "2026-01-02T03:04:05.678901+00:00"
REVISION = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"


def record(*ranges: dict[str, Any], path: str = "src/a.py", **more: Any) -> dict[str, Any]:
    who = {"type": "ai", "model_id": "anthropic/claude-opus-4-6"}
    conversations = [{"contributor": who, "ranges": list(ranges)}]
    files = [{"path": path, "conversations": conversations}]
    vcs = {"type": "git", "revision": REVISION}
    return {"version": "0.1.0", "id": "r", "timestamp": AT, "vcs": vcs, "files": files, **more}


def lines(first: Any, last: Any, **more: Any) -> dict[str, Any]:
    return {"start_line": first, "end_line": last, **more}


def read(path: Path, *records: dict[str, Any]) -> dict[str, list[Any]]:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    assert agent_trace.detect(path)
    return {session: list(agent_trace.read(path, session)) for session in agent_trace.sessions(path)}


def events(items: list[Any]) -> list[Foreign]:
    return [item.event for item in items if isinstance(item, Entry)]


def test_a_record_is_a_session_of_its_own(tmp_path: Path) -> None:
    tool = {"name": "claude-code", "version": "2.1"}
    (items,) = read(tmp_path / "f", record(lines(3, 6), lines(10, 10), tool=tool)).values()
    (event,) = events(items)
    assert (event.content, event.files[0].path) == ("src/a.py:3-6,10", "src/a.py")
    assert (event.model, event.ts) == ("anthropic/claude-opus-4-6", "2026-01-02T03:04:05.678Z")
    facts = {(item.name, item.value) for item in items if isinstance(item, Fact)}
    assert {("session", "r"), ("start_commit", REVISION), ("agent_version", "2.1")} <= facts


def test_lines_of_a_log_belong_to_the_session_that_they_name(tmp_path: Path) -> None:
    mine = {"metadata": {"session_id": "s"}}
    flat = {"schema": "agent-trace/v0.1.0", "session_id": "s", "file_path": "/home/me/b", "timestamp": AT}
    result = read(
        tmp_path / "f",
        record(lines(1, 1), path=".sessions", **mine),
        record(lines(1, 2), path="src\\a.py", id="x", **mine),
        {**flat, **lines(4, 4)},
        {**flat, **lines(4, 3)},
        record(lines(1, 1), id="y", trajectory="traj_abc"),
    )
    assert [*result] == ["s", "trace of traj_abc"]
    assert [event.content for event in events(result["s"])] == ["src/a.py:1-2", "/home/me/b:4"]
    assert [len(event.files) for event in events(result["s"])] == [1, 0]
    assert sum(isinstance(item, Damage) for item in result["s"]) == 1
    assert Fact(name="parent", value="traj_abc") in result["trace of traj_abc"]


@pytest.mark.parametrize("wrong", [lines(0, 1), lines(2, 1), lines("1", 2), {}, lines(True, 1)])
def test_an_invalid_range_is_left_out(tmp_path: Path, wrong: dict[str, Any]) -> None:
    (items,) = read(tmp_path / "f", record(wrong, lines(1, 2))).values()
    assert [event.content for event in events(items)] == ["src/a.py:1-2"]
    assert sum(isinstance(item, Damage) for item in items) == 1


def test_a_trace_next_to_its_trajectory_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "traj_1.trace.json"
    path.write_text(json.dumps({"version": 1, **record(lines(1, 2, revision=REVISION))}))
    assert agent_trace.detect(path)
    (tmp_path / "traj_1.json").touch()
    assert not agent_trace.detect(path)
    with pytest.raises(FormatError):
        list(agent_trace.read(path, "another"))

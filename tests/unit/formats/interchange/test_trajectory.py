"""Writing ``.trajectory.json``, the format of agent-trajectories (its command: ``trail``), and reading it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from gittraj.formats.agent_trajectories import markdown
from gittraj.formats.agent_trajectories import read as agent_trajectories
from gittraj.formats.agent_trajectories import write as writer
from gittraj.formats.agent_trajectories.markdown import summarise
from gittraj.formats.base.exported import Exported
from gittraj.model.codec import dump
from gittraj.model.session_items import Entry, Fact
from gittraj.model.values import AnyEvent, Decided, Message, NoteEvent, Prompt, RetrospectiveEvent, Thinking
from tests.unit.formats.interchange.test_atif import SESSION, T0
from tests.unit.formats.interchange.trajectories import AGENT, ID, build_trajectory


def document(trajectory: dict[str, Any], *commits: str) -> Any:
    entries = [{"commit": commit, "date": T0} for commit in commits]
    exported = Exported(trajectories=[trajectory], commits={trajectory["id"]: entries})
    return json.loads("".join(writer.write(exported)))


def read(given_: Any) -> list[Any]:
    return list(agent_trajectories.read(io.BytesIO(dump(given_))))


def events(items: list[Any]) -> list[AnyEvent]:
    return [item.event for item in items if isinstance(item, Entry)]


def facts(items: list[Any]) -> set[tuple[str, Any]]:
    return {(item.name, item.value) for item in items if isinstance(item, Fact)}


def test_a_session_is_written_as_a_trajectory() -> None:
    """``SESSION`` has the events below. The title is that of the trajectory ("Add"), not its task's ("T")."""
    retrospective = {
        "summary": "Done",
        "approach": None,
        "challenges": [],
        "learnings": ["slow"],
        "suggestions": [],
    }
    header: dict[str, Any] = {
        "task": {"title": "T", "source": {"system": "github", "id": "12", "url": "no address"}},
        "retrospective": {**retrospective, "confidence": 0.8, "by": "agent"},
        "filesChanged": [{"path": "a.py", "kind": "add", "edits": 1}],
        "participants": [{"name": "Ann", "role": None}],
        "status": "failed",
    }
    written = document(build_trajectory(SESSION, **header), "c0ffee")
    (chapter,) = written["chapters"]
    assert [(e["type"], e["content"]) for e in chapter["events"]] == [
        *(("prompt", "Add"), ("thinking", "How?"), ("tool_call", 'Bash {"command": "ls"}')),
        *(("tool_result", "a"), ("tool_call", 'Bash "{"'), ("decision", "this: this"), ("note", "Done")),
    ]
    assert written["task"] == {"title": "Add", "source": {"system": "github", "id": "12"}}
    assert (written["status"], written["commits"], written["filesChanged"]) == (
        "abandoned",
        ["c0ffee"],
        ["a.py"],
    )
    assert [(a["name"], a["role"]) for a in written["agents"]] == [(AGENT, "lead"), ("Ann", "contributor")]
    assert written["retrospective"] == {
        "summary": "Done",
        "approach": "Not stated",
        "learnings": ["slow"],
        "confidence": 0.8,
    }
    assert {("trajectory", ID), ("session", "S"), ("agent", AGENT), ("status", "failed"),
            ("task", "github:12"), ("participant", "Ann")} <= facts(read(written))  # fmt: skip


def test_sealed_thinking_stays_sealed() -> None:
    (chapter,) = document(build_trajectory([Thinking(id="t", seal="s", sealed_bytes=512)]))["chapters"]
    assert chapter["events"][0]["content"] == "(sealed)"
    assert events(read(document(build_trajectory([Thinking(id="t", seal="s", sealed_bytes=512)])))) == [
        Thinking(id="t")
    ]


THEIRS: dict[str, Any] = {
    "id": "traj_abc123",
    "version": 1,
    "task": {"title": "Limit", "description": "long", "source": {"system": "linear", "id": "E-1"}},
    "status": "abandoned",
    "startedAt": "2026-01-02T03:04:05.000Z",
    "agents": [{"name": "Alice", "role": "lead", "joinedAt": "2026-01-02T03:04:05.000Z"}],
    "chapters": [
        {"id": "ch_1", "title": "Plan", "agentName": "Alice", "startedAt": "2026-01-02T03:04:05.000Z",
         "events": [
             {"ts": 1767323045000, "type": "decision", "content": "Q: A", "significance": "high",
              "raw": {"question": "Q", "chosen": "A", "reasoning": "R",
                      "alternatives": [{"option": "B", "reason": ""}, "C"]}},
             {"ts": 1767323045001, "type": "completion-evidence", "content": "ok", "raw": ["x"],
              "confidence": 1, "tags": []},
             {"ts": 1767323045001, "type": "tool_call", "content": "run it", "raw": "ls"},
             {"ts": 1767323045001, "type": "thinking", "content": "hm"},
         ]},
        {"id": "ch_2", "title": "Empty", "agentName": "Bob", "startedAt": "2026-01-02T03:04:06.000Z",
         "endedAt": "2026-01-02T03:04:07.000Z", "events": []},
    ],
    "retrospective": {"summary": "S", "approach": "A", "confidence": 0.5, "timeSpent": "1h",
                      "decisions": [{"question": "Z", "chosen": "Y", "alternatives": [], "reasoning": "X"}]},
    "projectId": "p",
    "_trace": {"startRef": "8ba77fa49eb0997035f51199258914f7efe602ee"},
}  # fmt: skip


def test_a_foreign_document_survives_a_round_trip() -> None:
    items = read(THEIRS)
    read_events = events(items)
    assert document(build_trajectory(read_events, id="traj_abc123", agent="agent-trajectories")) == THEIRS
    decided, other = (e.decision for e in read_events if isinstance(e, Decided))
    assert (decided.chosen, decided.alternatives, other.chosen) == ("A", ("B", "C"), "Y")
    assert [e.content for e in read_events if isinstance(e, NoteEvent) and e.kind == "chapter"] == [
        "Plan",
        "Empty",
    ]
    assert [e.retrospective.confidence for e in read_events if isinstance(e, RetrospectiveEvent)] == [0.5]
    assert {("trajectory", "traj_abc123"), ("status", "abandoned"), ("participant", "Alice:lead"),
            ("task", "linear:E-1"), ("start_commit", "8ba77fa49eb0997035f51199258914f7efe602ee"),
            } <= facts(items)  # fmt: skip


def test_an_old_document_is_read_leniently_and_written_strictly() -> None:
    old = {"id": "traj_old", "task": "words", "startedAt": "2026-01-02T03:04:05Z", "summary": "S",
           "decisions": [{"decision": "D", "reasoning": "R"}],
           "chapters": [{"phase": "plan", "events": ["said", {"type": "x", "content": "",
                                                              "significance": "delivery"}]}]}  # fmt: skip
    read_events = events(read(old))
    assert [type(e).__name__ for e in read_events] == [
        "NoteEvent",
        "NoteEvent",
        "Foreign",
        "Decided",
        "RetrospectiveEvent",
        "NoteEvent",
    ]
    (chapter,) = document(build_trajectory(read_events))["chapters"]
    assert (chapter["title"], chapter["agentName"]) == ("plan", AGENT)
    assert [(e["content"], "significance" in e, e["ts"] > 0) for e in chapter["events"]] == [
        ("said", False, True),
        ("(empty)", False, True),
    ]


def test_a_compaction_survives_a_round_trip() -> None:
    compacted = {
        "id": "compact_1", "version": 1, "type": "compacted", "compactedAt": "2026-01-02T03:04:05.000Z",
        "sourceTrajectories": ["traj_a", "traj_b"], "narrative": "Long ago",
        "decisionGroups": [{"category": "api", "decisions": [{"question": "Q", "chosen": "C"}]}],
        "keyLearnings": ["slow"], "conventions": [{"pattern": "P", "rationale": "R", "scope": "S"}],
    }  # fmt: skip
    items = read(compacted)
    assert {("title", "Compaction of 2 trajectories"), ("trajectory", "compact_1")} <= facts(items)
    assert [e.content or e.decision.chosen for e in events(items) if not isinstance(e, Prompt | Message)
            and (e.content or isinstance(e, Decided))] == [
        *("Long ago", "C", "slow", "P\nR\nS", "agent-trajectories"),
    ]  # fmt: skip
    assert document(build_trajectory(events(items), id="compact_1")) == compacted


def test_each_trajectory_has_the_path_where_trail_looks_for_it() -> None:
    done = build_trajectory(events(read(THEIRS)), id="traj_abc123", agent="agent-trajectories")
    open_ = build_trajectory(SESSION, link={"role": "explored", "evidence": "imported", "carriedFrom": []})
    named = dict(writer.files(Exported(trajectories=[done, open_])))
    assert [*named] == [
        "completed/2026-01/traj_abc123/trajectory.json",
        "completed/2026-01/traj_abc123/summary.md",
        f"active/{ID}/trajectory.json",
    ]


def test_a_markdown_summary_is_read_only_without_its_document(tmp_path: Path) -> None:
    path = tmp_path / "limit.trajectory.md"
    path.write_text(summarise(THEIRS))
    assert markdown.detect(path)
    items = list(markdown.read(path, *markdown.sessions(path)))
    assert {("session", "limit"), ("title", "Limit"), ("status", "abandoned")} <= facts(items)
    read_events = events(items)
    assert [(e.decision.chosen, e.decision.reasoning) for e in read_events if isinstance(e, Decided)] == [
        ("A", "R"),
        ("Y", "X"),
    ]
    chapters = [e.content for e in read_events if isinstance(e, NoteEvent) and e.kind == "chapter"]
    assert chapters == ["Plan", "Empty"]
    assert [e.retrospective.confidence for e in read_events if isinstance(e, RetrospectiveEvent)] == [0.5]
    (tmp_path / "limit.trajectory.json").touch()
    assert not markdown.detect(path)

"""Writing ATIF, and reading it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gittraj.formats.atif import read as atif
from gittraj.formats.atif import write as writer
from gittraj.formats.base.exported import Exported
from gittraj.model.codec import dump, event_to_json
from gittraj.model.session_items import Entry, Fact, Spent, trajectory_id
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    Message,
    NoteEvent,
    Prompt,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.unit.formats.interchange.trajectories import AGENT, ID, build_trajectory

T0, T1 = "2026-01-02T03:04:05.000Z", "2026-01-02T03:04:06.000Z"
ANSWER: dict[str, Any] = {"response": "r1", "model": "m"}
SESSION: list[AnyEvent] = [
    Prompt(id="p", ts=T0, content="Add"),
    Thinking(id="t", ts=T1, content="How?", **ANSWER),
    ToolCall(id="c", ts=T1, name="Bash", arguments={"command": "ls"}, call_id="1", **ANSWER),
    ToolResult(id="o", ts=T1, content="a", call_id="1", exit_code=1, is_error=True),
    ToolCall(id="d", ts=T1, name="Bash", arguments="{", call_id="2", usage=Usage(input_tokens=5), **ANSWER),
    Decided(id="q", ts=T1, decision=Decision(chosen="this", by="agent")),
    Message(id="m", ts=T1, content="Done", response="r2", model="n"),
]


def documents(*trajectories: dict[str, Any]) -> Any:
    return json.loads("".join(writer.write(Exported(trajectories=trajectories))))


def read(path: Path, document: Any, at: int = 0) -> list[Any]:
    path.write_bytes(dump(document))
    return list(atif.read(path, [*atif.sessions(path)][at]))


def events(items: list[Any]) -> list[dict[str, Any]]:
    return [event_to_json(item.event) for item in items if isinstance(item, Entry)]


def test_a_step_is_a_model_call_with_its_results(tmp_path: Path) -> None:
    document = documents(build_trajectory(SESSION))
    user, agent, decision, message = document["steps"]
    assert (user["source"], user["message"]) == ("user", "Add")
    assert agent["reasoning_content"] == "How?"
    assert [call["arguments"] for call in agent["tool_calls"]] == [{"command": "ls"}, {"raw": "{"}]
    assert agent["observation"]["results"] == [
        {"content": "a", "source_call_id": "1", "extra": {"is_error": True, "exit_code": 1}}
    ]
    assert agent["metrics"] == {"prompt_tokens": 5, "completion_tokens": 0}
    assert (decision["source"], decision["extra"]["decision"]["chosen"]) == ("system", "this")
    assert (message["message"], message["model_name"]) == ("Done", "n")
    facts = {(i.name, i.value) for i in read(tmp_path / "f", document) if isinstance(i, Fact)}
    assert {("trajectory", ID), ("session", "S"), ("agent", AGENT), ("title", "Add")} <= facts


def test_sealed_thinking_stays_sealed() -> None:
    sealed = Thinking(id="t", seal="s", sealed_bytes=512, response="r1")
    (step,) = documents(build_trajectory([sealed]))["steps"]
    assert "reasoning_content" not in step
    assert step["extra"]["git_traj"]["events"][-1]["sealed"] == {"bytes": 512}


def test_subagents_are_written_into_the_document_and_read_from_it(tmp_path: Path) -> None:
    below = trajectory_id(AGENT, "S", "a1b2c3")
    started = [
        ToolCall(id="c", name="Task", arguments={}, call_id="1"),
        ToolResult(id="o", content="agentId: a1b2c3", call_id="1"),
    ]
    child = build_trajectory([Message(id="m", content="found")], id=below, parent={"id": ID, "event": None})
    document = documents(build_trajectory(started), child)
    (result,) = document["steps"][0]["observation"]["results"]
    assert result["subagent_trajectory_ref"] == [{"trajectory_id": below}]
    assert [each["trajectory_id"] for each in document["subagent_trajectories"]] == [below]
    items = read(tmp_path / "f", document, at=1)
    assert {("parent", ID), ("trajectory", below)} <= {
        (i.name, i.value) for i in items if isinstance(i, Fact)
    }
    assert events(items) == [{"id": "m", "type": "message", "content": "found"}]


FOREIGN: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "session_id": "run",
    "trajectory_id": "no id of ours!",
    "agent": {"name": "terminus-2", "version": "2", "tool_definitions": [{"type": "function"}]},
    "notes": "from elsewhere",
    "extra": {"verdict": "PASS"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "old", "is_copied_context": True},
        {"step_id": 2, "source": "system", "message": "", "timestamp": "2026-01-02T04:04:05.123456+01:00",
         "observation": {"results": [{"content": "x", "extra": {"a": None}}]}},
        {"step_id": 3, "source": "user",
         "message": [{"type": "text", "text": "see"},
                     {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]},
        {"step_id": 4, "source": "agent", "message": "", "reasoning_content": "hm", "llm_call_count": 1,
         "tool_calls": [{"tool_call_id": "1", "function_name": "ls", "arguments": {}, "extra": {"n": 1}}],
         "observation": {"results": [{"content": None,
                                      "subagent_trajectory_ref": [{"trajectory_path": "b.json"}]}]},
         "metrics": {"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 4, "cost_usd": 0.5}},
    ],
}  # fmt: skip


def test_a_foreign_document_survives_a_round_trip(tmp_path: Path) -> None:
    items = read(tmp_path / "f", FOREIGN)
    read_events = [item.event for item in items if isinstance(item, Entry)]
    document = documents(build_trajectory(read_events, agent="terminus-2", agentVersion="2", session="run"))
    assert document["steps"] == FOREIGN["steps"]
    assert {key: document[key] for key in ("agent", "notes", "extra", "session_id")} == {
        **{key: FOREIGN[key] for key in ("notes", "extra", "session_id")},
        "agent": {**FOREIGN["agent"], "model_name": "m"},
    }
    assert [i for i in items if isinstance(i, Spent)] == [
        Spent(
            response=read_events[-3].response or "",
            usage=Usage(input_tokens=6, cache_read_tokens=4, output_tokens=2),
            cost=0.5,
        )
    ]
    assert [e.content for e in read_events if isinstance(e, Prompt)] == ["see\n[image a.png]"]
    assert [i.value for i in items if isinstance(i, Fact) and i.name == "alias"] == ["no id of ours!"]
    assert isinstance(read_events[-1], NoteEvent)


def test_token_ids_images_and_copied_thinking_are_not_kept(tmp_path: Path) -> None:
    metrics = {"completion_tokens": 1, "completion_token_ids": [1, 2], "logprobs": [-0.5, 0]}
    image = "data:image/png;base64,iVBORw0KGgo="
    copied = {"source": "agent", "message": "", "reasoning_content": "plan", "is_copied_context": True}
    steps = [
        {"step_id": 1, "source": "agent", "message": "x", "metrics": metrics, "extra": {"shown": image}},
        {"step_id": 2, **copied},
    ]
    kept = json.dumps(events(read(tmp_path / "f", {**FOREIGN, "steps": steps})))
    assert "token_ids" not in kept
    assert "logprobs" not in kept
    assert "iVBOR" not in kept
    assert "plan" not in kept


@pytest.mark.parametrize(
    ("copied", "spent", "cost"),
    [
        pytest.param(False, [Usage(input_tokens=90, output_tokens=7)], 2.0, id="a run: the rest has no step"),
        pytest.param(True, [Usage(input_tokens=10, output_tokens=2)], None, id="a continuation alone"),
    ],
)
def test_the_totals_of_a_continuation_are_those_of_all_files(
    tmp_path: Path, copied: bool, spent: list[Usage], cost: float | None
) -> None:
    steps = [
        {"step_id": 1, "source": "user", "message": "old", "is_copied_context": copied},
        {
            "step_id": 2,
            "source": "agent",
            "message": "a",
            "metrics": {"prompt_tokens": 10, "completion_tokens": 2},
        },
    ]
    totals = {"total_prompt_tokens": 90, "total_completion_tokens": 7, "total_cost_usd": 2}
    items = read(tmp_path / "f", {**FOREIGN, "steps": steps, "final_metrics": totals})
    assert [i.usage for i in items if isinstance(i, Spent)] == spent
    assert next((i.value for i in items if isinstance(i, Fact) and i.name == "cost_usd"), None) == cost


def test_a_continued_run_is_read_only_from_a_file_in_the_same_folder(tmp_path: Path) -> None:
    def step(text: str, **more: Any) -> dict[str, Any]:
        return {"step_id": 1, "source": "user", "message": text, **more}

    (tmp_path / "next.json").write_bytes(
        dump({**FOREIGN, "steps": [step("old", is_copied_context=True), step("new")]})
    )
    (tmp_path / "below").mkdir()
    for named, count in (("next.json", 3), ("below/../next.json", 1), ("gone.json", 1), ("f", 1)):
        document = {**FOREIGN, "steps": [step("old")], "continued_trajectory_ref": named}
        assert (
            len(events(read(tmp_path / "f", document))) == count + 1
        )  # one is the note about the whole document

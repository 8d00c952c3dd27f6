"""Real files of the formats that are read and written: compared with independent counts, and round trips."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gittraj.errors import FormatError
from gittraj.formats.agent_trajectories import write as agent_trajectories
from gittraj.formats.atif import write as atif
from gittraj.formats.base.exported import Exported
from gittraj.model.session_items import Entry, Spent
from gittraj.model.values import AnyEvent, Prompt, ToolCall, ToolResult
from gittraj.record.drain.open_log import find_sessions, read_items
from tests.unit.formats.interchange.trajectories import build_trajectory

pytestmark = pytest.mark.shared
_TOKENS = {"prompt_token_ids", "completion_token_ids", "logprobs"}


def written(path: Path, writer: Any) -> tuple[Any, list[AnyEvent], list[Spent]]:
    """Read a file's first session, write it again, and return the document, its events and its usage."""
    file, *_ = find_sessions(path)
    items = list(read_items(file))
    events = [item.event for item in items if isinstance(item, Entry)]
    trajectory = build_trajectory(events, id=file.trajectory, agent=file.agent, session=file.session)
    document = json.loads("".join(writer.write(Exported(trajectories=[trajectory]))))
    return document, events, [item for item in items if isinstance(item, Spent)]


def facts(samples: Path, folder: str) -> dict[str, Any]:
    all_counts = json.loads((samples / "FACTS.json").read_text())
    return {name: counts for name, counts in all_counts.items() if name.startswith(folder)}


def without_tokens(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**step, "metrics": {k: v for k, v in step["metrics"].items() if k not in _TOKENS}}
        if "metrics" in step
        else step
        for step in steps
    ]


def test_every_atif_file_agrees_and_survives_a_round_trip(samples: Path) -> None:
    for name, fact in facts(samples, "atif").items():
        given = json.loads((samples / name).read_text())
        document, events, spent = written(samples / name, atif)
        plain_steps = [step for step in document["steps"] if "git_traj" not in (step.get("extra") or {})]
        assert plain_steps == without_tokens(given["steps"]), name
        assert Counter(step["source"] for step in document["steps"]) == fact["sources"], name
        copied = [step for step in given["steps"] if step.get("is_copied_context")]
        calls = sum(len(step.get("tool_calls") or ()) for step in copied)
        assert sum(isinstance(e, ToolCall) for e in events) == fact["tool_calls"] - calls, name
        own = fact["sources"].get("user", 0) - sum(step["source"] == "user" for step in copied)
        assert sum(isinstance(e, Prompt) for e in events) == own, name
        if not fact["subagent_refs"] and not copied:  # otherwise the totals include tokens of other files
            total = fact["final_metrics"]["total_prompt_tokens"]
            usages = [s.usage for s in spent]
            assert sum(u.input_tokens + u.cache_read_tokens + u.cache_write_tokens for u in usages) == total


def test_every_trajectory_file_survives_a_round_trip_or_is_refused_with_a_reason(samples: Path) -> None:
    known = facts(samples, "agent-trajectories")
    assert known
    for path in sorted((samples / "agent-trajectories").rglob("*.json")):
        name = path.relative_to(samples).as_posix()
        if path.name in ("legacy-index.json", "compaction.json") or path.name.endswith(".trace.json"):
            with pytest.raises(FormatError, match=r"index|compaction|in the same folder"):
                find_sessions(path)
            continue
        given, (document, *_) = json.loads(path.read_text()), written(path, agent_trajectories)
        fact = known.get(name, {})
        if "invalid" not in path.name:
            assert document == given, name
        if "chapters" in fact:
            chapters = document["chapters"]
            counted = Counter(event["type"] for chapter in chapters for event in chapter["events"])
            counted_here = {"events": counted, "chapters": len(chapters), "agents": len(document["agents"])}
            counted_here["commits"] = len(document.get("commits", ()))
            counted_here["files"] = len(document.get("filesChanged", ()))
            assert counted_here == {key: fact[key] for key in counted_here}, name


def test_every_trace_is_read(samples: Path) -> None:
    counted = {}
    for path in (samples / "agent-trace").iterdir():
        items = [item for file in find_sessions(path) for item in read_items(file)]
        counted[path.name] = sum(isinstance(item, Entry) for item in items)
    assert counted == COUNTED


COUNTED = {
    "cli-v1.0.traces.jsonl": 4,
    "flat-dialect.traces.jsonl": 35,
    "legacy-v1-88k.trace.json": 91,
    "v1.0.0-43k.trace.json": 68,
}
"""Events of each sample: files that the records name, except the hook's own, plus lines in the flat dialect;
counted with grep."""


def test_a_session_of_each_agent_has_the_totals_of_another_converter(samples: Path) -> None:
    """The other converter is Harbor's: if it counts the same tokens, the steps and calls must agree, too."""
    for path in sorted((samples / "atif-reference").iterdir()):
        reference = json.loads(path.read_text())
        source = samples / path.name.removesuffix(".atif.json").replace("--", "/")
        document, events, _ = written(source, atif)
        calls = sum(len(step.get("tool_calls") or ()) for step in reference["steps"])
        mine = sum(len(step.get("tool_calls") or ()) for step in document["steps"])
        assert mine == calls, path.name
        answered = sum(isinstance(event, ToolResult) for event in events)
        results = sum(len((step.get("observation") or {}).get("results", ())) for step in document["steps"])
        assert results == answered, path.name

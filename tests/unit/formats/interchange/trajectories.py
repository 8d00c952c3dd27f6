"""Trajectories in the form of ``git traj show --json``, built from events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from gittraj.formats.base.carried import is_inside
from gittraj.model import values
from gittraj.model.codec import event_to_json
from gittraj.model.values import AnyEvent, Prompt, Usage
from gittraj.query.show.chapters import event_to_document
from tests.unit import strategies

AGENT = "claude-code"
ID = "traj_aaaabbbbccccdddd"
USAGE: dict[str, Any] = dict.fromkeys(
    ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens"), 0
)
COUNTS = ("prompts", "messages", "thinking", "toolCalls", "apiCalls", "errors", "subagents")
HEADER: dict[str, Any] = {
    "id": ID,
    "title": "Add",
    "status": None,
    "agent": AGENT,
    "agentVersion": "2.1",
    "models": ["m"],
    "session": "S",
    "task": None,
    "tags": [],
    "participants": [],
    "parent": None,
    "exit": None,
    "startedAt": "2026-01-02T03:04:05.000Z",
    "completedAt": None,
    "confidence": None,
    "retrospective": None,
    "prompt": "Add",
    "summary": None,
    "summaryBy": None,
    "decisions": [],
    "caveats": [],
    "tests": None,
    "filesChanged": [],
    "thinking": "none",
    "readers": None,
    "redactions": 0,
    "incomplete": False,
    "completeness": {"present": [], "missing": []},
    "link": {"evidence": "agent", "role": "produced", "carriedFrom": []},
}
PART: dict[str, Any] = {
    "number": None,
    "of": 1,
    "startedAt": HEADER["startedAt"],
    "endedAt": None,
    "durationSeconds": None,
    "usage": USAGE,
    "costUsd": None,
    "costSource": "unknown",
    "counts": dict.fromkeys(COUNTS, 0),
}


def build_trajectory(events: Sequence[AnyEvent], **header: Any) -> dict[str, Any]:
    """Return a trajectory of these events, with a chapter for each prompt."""
    agent = header.get("agent", AGENT)
    chapters: list[dict[str, Any]] = []
    for event in events:
        if isinstance(event, Prompt) or not chapters:
            basis = {"title": event.content[:80], "agentName": agent, "startedAt": event.ts, "endedAt": None}
            chapters.append({"id": event.id, **basis, "events": []})
        chapters[-1]["events"].append(event_to_document(event, agent))
    return {**HEADER, "part": PART, "total": PART, **header, "chapters": chapters}


def stored(event: AnyEvent) -> dict[str, Any]:
    """Return the fields of an event that a round trip must keep: all except a seal, which is not exported."""
    flat = event_to_json(event)
    flat.pop("sealed", None)
    if "files" in flat:
        flat["files"] = [f for f in flat["files"] if is_inside(f["path"])]
        flat = {k: v for k, v in flat.items() if k != "files" or v}
    if not flat.get("usage"):
        flat.pop("usage", None)
    if "usage" in flat and "response" not in flat:
        flat["response"] = flat["id"]  # usage belongs to a model call
    if flat.get("agent") == AGENT:
        del flat["agent"]
    return flat


STAMPS = st.none() | st.sampled_from(["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:06.789Z"])
_FEW = st.integers(0, 5)
_USAGES = st.none() | st.builds(Usage, input_tokens=_FEW, cache_read_tokens=_FEW, output_tokens=_FEW)


_EVENTS = strategies.events(st.sampled_from(["", "x", "y\n\nz", "\ud83d", "é"]))


@st.composite
def some_events(draw: st.DrawFn) -> list[AnyEvent]:
    """Draw a trajectory's events: of a few model calls, in any order, with any fields."""
    from dataclasses import replace

    events: list[AnyEvent] = []
    for number in range(draw(st.integers(0, 6))):
        event = draw(_EVENTS)
        response = draw(st.none() | st.sampled_from(["r1", "r2"]))
        known: dict[str, Any] = {"id": f"e{number}", "ts": draw(STAMPS), "response": response}
        if isinstance(event, values.ToolCall | values.ToolResult):
            known["call_id"] = draw(st.none() | st.sampled_from(["c1", "c2"]))
        if isinstance(event, values.Thinking):
            known |= {"seal": None, "sealed_bytes": None, "payload": None}
        events.append(replace(event, usage=draw(_USAGES), **known))
    return events

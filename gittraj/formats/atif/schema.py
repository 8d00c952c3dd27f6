"""The fields that ATIF's own models accept in a document and in a step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.shapes import (
    count,
    faults,
    fits,
    flag,
    free,
    integer,
    non_empty,
    number,
    text,
    time,
)

Event = dict[str, Any]

_SOURCE = {"media_type": non_empty, "path": non_empty}
_PARTS = (
    {"type": text, "text": text},
    {"type": text, "source": _SOURCE},
    {"type": lambda value: value == "audio", "source": _SOURCE, "duration_sec??": number},
)
_CONTENT = (text, [_PARTS])
_REF = {"trajectory_id??": text, "trajectory_path??": text, "session_id??": text, "extra??": free}
_RESULT = {
    "source_call_id??": text,
    "content??": _CONTENT,
    "subagent_trajectory_ref??": [_REF],
    "extra??": free,
}
_METRICS = {
    "prompt_tokens??": integer,
    "completion_tokens??": integer,
    "cached_tokens??": integer,
    "cost_usd??": number,
    "extra??": free,
}
_PLAIN = {
    "message": _CONTENT,
    "timestamp??": time,
    "observation??": {"results": [_RESULT]},
    "extra??": free,
    "is_copied_context??": flag,
    "llm_call_count??": count,
}
_CALL = {"tool_call_id": text, "function_name": text, "arguments": free, "extra??": free}
_STEP = (
    {"source": lambda value: value in ("system", "user"), **_PLAIN},
    {
        "source": lambda value: value == "agent",
        "model_name??": text,
        "reasoning_content??": text,
        "reasoning_effort??": (text, number),
        "tool_calls??": [_CALL],
        "metrics??": _METRICS,
        **_PLAIN,
    },
)
"""A step."""
ROOT: dict[str, Any] = {
    "agent": {
        "name": text,
        "version": text,
        "model_name??": text,
        "tool_definitions??": [free],
        "extra??": free,
    },
    "final_metrics": {
        **{f"total_{what}_tokens??": integer for what in ("prompt", "completion", "cached")},
        "total_cost_usd??": number,
        "total_steps??": integer,
        "extra??": free,
    },
    "session_id": text,
    "notes": text,
    "continued_trajectory_ref": text,
    "extra": free,
}
"""The fields of a document beside its steps, each on its own."""
_FIELDS = {name.rstrip("?") for shape in _STEP for name in shape}


def document_faults(document: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Where a document is not ATIF: what its own models would refuse."""
    for name in ("schema_version", "agent", "steps"):
        if name not in document:
            yield f"{path}{name}", "missing"
    shapes = {**ROOT, "schema_version": text, "trajectory_id": text}
    for name, value in document.items():
        if name in shapes and value is not None:
            yield from faults(value, shapes[name], f"{path}{name}")
        elif name not in (*shapes, "steps", "subagent_trajectories"):
            yield f"{path}{name}", "not a field here"
    for at, step in enumerate(coerce.sequence(document.get("steps"))):
        where = f"{path}steps[{at}]"
        if not isinstance(step, dict):
            yield where, "not an object"
            continue
        if step.get("step_id") != at + 1:
            yield f"{where}.step_id", f"not {at + 1}"
        own = {key: value for key, value in step.items() if key != "step_id"}
        found = list(faults(own, _STEP[own.get("source") == "agent"], where))
        yield from found
        if not found and not _agrees(own):
            yield where, "a result of no call of this step, or figures of no model call"
    for at, child in enumerate(coerce.objects(document.get("subagent_trajectories"))):
        yield from document_faults(child, f"{path}subagent_trajectories[{at}].")


def fit(changed: Any, step: Event) -> Event:
    """A step as its file had it, if the models accept that; what they do not know is ``extra`` to them."""
    if not isinstance(changed, dict):
        return step
    strange = {key: value for key, value in changed.items() if key not in _FIELDS}
    if strange:
        known = {key: value for key, value in changed.items() if key in _FIELDS}
        changed = {**known, "extra": {**coerce.mapping(known.get("extra")), **strange}}
    return changed if fits(changed, _STEP) and _agrees(changed) else step


def _agrees(step: Event) -> bool:
    """Whether its results are of its own calls, and what called no model has no figures of one."""
    calls = {call["tool_call_id"] for call in step.get("tool_calls") or ()}
    results = (step.get("observation") or {}).get("results", ())
    answered = {r["source_call_id"] for r in results if r.get("source_call_id") is not None}
    has_model = any(step.get(key) is not None for key in ("metrics", "reasoning_content"))
    return (answered <= calls or step.get("tool_calls") is None) and not (
        step.get("llm_call_count") == 0 and has_model
    )

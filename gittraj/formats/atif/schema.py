"""The fields that ATIF's own models accept in a document and in a step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.shapes import faults, fits, load, text

Event = dict[str, Any]

_SHAPES = load(__file__)
_STEP, ROOT = _SHAPES["step"], _SHAPES["root"]
"""The shape of a step; the shapes of a document's other fields, each separately."""
_FIELDS = {name.rstrip("?") for shape in _STEP for name in shape}


def document_faults(document: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield where a document is not ATIF, as its own models would reject it, and why."""
    for name in ("schema_version", "agent", "steps"):
        if name not in document:
            yield f"{path}{name}", "missing"
    shapes = {**ROOT, "schema_version": text, "trajectory_id": text}
    for name, value in document.items():
        if name in shapes and value is not None:
            yield from faults(value, shapes[name], f"{path}{name}")
        elif name not in (*shapes, "steps", "subagent_trajectories"):
            yield f"{path}{name}", "not a field here"
    for number, step in enumerate(coerce.sequence(document.get("steps")), 1):
        yield from _step_faults(step, number, f"{path}steps[{number - 1}]")
    for at, child in enumerate(coerce.objects(document.get("subagent_trajectories"))):
        yield from document_faults(child, f"{path}subagent_trajectories[{at}].")


def _step_faults(step: Any, number: int, where: str) -> Iterator[tuple[str, str]]:
    if not isinstance(step, dict):
        yield where, "not an object"
        return
    if step.get("step_id") != number:
        yield f"{where}.step_id", f"not {number}"
    own = {key: value for key, value in step.items() if key != "step_id"}
    found = list(faults(own, _STEP[own.get("source") == "agent"], where))
    yield from found
    if not found and not _agrees(own):
        yield where, "a result of no call of this step, or figures of no model call"


def fit(changed: Any, step: Event) -> Event:
    """A step as its file had it, if the models accept that; fields unknown to them go into ``extra``."""
    if not isinstance(changed, dict):
        return step
    strange = {key: value for key, value in changed.items() if key not in _FIELDS}
    if strange:
        known = {key: value for key, value in changed.items() if key in _FIELDS}
        changed = {**known, "extra": {**coerce.mapping(known.get("extra")), **strange}}
    return changed if fits(changed, _STEP) and _agrees(changed) else step


def _agrees(step: Event) -> bool:
    """Whether its results are of its own calls, and it has no metrics of a model if it called none."""
    calls = {call["tool_call_id"] for call in step.get("tool_calls") or ()}
    results = (step.get("observation") or {}).get("results", ())
    answered = {r["source_call_id"] for r in results if r.get("source_call_id") is not None}
    has_model = any(step.get(key) is not None for key in ("metrics", "reasoning_content"))
    return (answered <= calls or step.get("tool_calls") is None) and not (
        step.get("llm_call_count") == 0 and has_model
    )

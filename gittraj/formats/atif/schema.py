"""Checks documents and steps against the data models of ATIF's own implementation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.shapes import faults, fits, load, text

Event = dict[str, Any]

_SHAPES = load(__file__)
_STEP, ROOT = _SHAPES["step"], _SHAPES["root"]
"""The shapes of a step (the second is an agent's), and the shape of each other field of a document."""
_FIELDS = {name.rstrip("?") for shape in _STEP for name in shape}


def document_faults(document: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield where ATIF's models would reject a document, and why."""
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


def _step_faults(step: Any, number: int, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(step, dict):
        yield path, "not an object"
        return
    if step.get("step_id") != number:
        yield f"{path}.step_id", f"not {number}"
    fields = {key: value for key, value in step.items() if key != "step_id"}
    step_faults = list(faults(fields, _STEP[fields.get("source") == "agent"], path))
    yield from step_faults
    if not step_faults and not _is_consistent(fields):
        yield path, "a result without its call in this step, or metrics without a model call"


def fit(changed: Any, step: Event) -> Event:
    """Return ``changed``, a step as its file had it, if the models accept it, else ``step``. Fields that the
    models do not know are moved into ``extra``."""
    if not isinstance(changed, dict):
        return step
    unknown = {key: value for key, value in changed.items() if key not in _FIELDS}
    if unknown:
        known = {key: value for key, value in changed.items() if key in _FIELDS}
        changed = {**known, "extra": {**coerce.mapping(known.get("extra")), **unknown}}
    return changed if fits(changed, _STEP) and _is_consistent(changed) else step


def _is_consistent(step: Event) -> bool:
    """Whether results belong to calls of the step, and only steps with a model call have metrics."""
    calls = {call["tool_call_id"] for call in step.get("tool_calls") or ()}
    results = (step.get("observation") or {}).get("results", ())
    answered = {r["source_call_id"] for r in results if r.get("source_call_id") is not None}
    has_model = any(step.get(key) is not None for key in ("metrics", "reasoning_content"))
    return (answered <= calls or step.get("tool_calls") is None) and not (
        step.get("llm_call_count") == 0 and has_model
    )

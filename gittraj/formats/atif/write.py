"""Writes ATIF v1.7, the Agent Trajectory Interchange Format: one document for a trajectory and its subagents.

v1.8 only adds audio, and most tools read v1.7: so only documents with audio, and those of ``write_latest``,
are v1.8. The steps of a trajectory that was read from an ATIF file are restored. Fields without a counterpart
in ATIF are stored in ``extra``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gittraj.formats.atif.schema import ROOT, Event
from gittraj.formats.atif.shared import LATEST, OWN, VERSION, build_metrics, build_step, step_events
from gittraj.formats.base import coerce
from gittraj.formats.base.carried import KEY, Names, carried_header, carry, plain_event, present, root_of
from gittraj.formats.base.exported import Exported, events_of, pretty
from gittraj.formats.base.shapes import fits
from gittraj.model.header import Header
from gittraj.model.session_items import trajectory_id

_AGENT = ("thinking", "message", "tool_call")
_ORDER = {"thinking": 0, "message": 1, "tool_call": 2, "tool_result": 3}
_TOKEN = re.compile(r"[\w-]{6,64}")
_ENDS = 400
"""How many characters at each end of a result are searched for the name of the agent that was started."""
_ROOT = ("session_id", "notes", "continued_trajectory_ref", "extra")


def write(exported: Exported) -> Iterator[str]:
    """Write the first trajectory, and the others that it started, at any depth, as its subagents."""
    yield pretty(build_all(exported))


def write_latest(exported: Exported) -> Iterator[str]:
    """Like ``write``, in the latest version, for tools that require it."""
    yield pretty(versioned(build_all(exported), LATEST))


def build_all(exported: Exported) -> dict[str, Any]:
    """The document of the first trajectory with its subagents, in the version that it needs."""
    root, *others = exported.trajectories
    document = build(root, others)
    return versioned(document, LATEST) if _has_audio(document) else document


def versioned(document: dict[str, Any], version: str) -> dict[str, Any]:
    """The document, marked as another version together with its subagents' documents."""
    children = [versioned(child, version) for child in document.get("subagent_trajectories", ())]
    subagents = {"subagent_trajectories": children} if children else {}
    return {**document, "schema_version": version, **subagents}


def _has_audio(value: Any) -> bool:
    """Whether there is audio anywhere in the value."""
    if isinstance(value, list):
        return any(map(_has_audio, value))
    if not isinstance(value, dict):
        return False
    return (value.get("type") == "audio" and "source" in value) or any(map(_has_audio, value.values()))


def build(trajectory: Header, others: Sequence[Header] = ()) -> dict[str, Any]:
    """Return the document of one trajectory, with its subagents among ``others``."""
    events = [plain_event(event, trajectory["agent"]) for event in events_of(trajectory)]
    root = next((e for e in events if root_of(e, OWN) is not None), None)
    imported = _imported_fields(root)
    children = _children(trajectory, others)
    steps = _steps([e for e in events if e is not root], _starters(events, children, trajectory))
    return {
        "schema_version": VERSION,
        **present(session_id=trajectory["session"]),
        "trajectory_id": trajectory["id"],
        "agent": {**_agent(trajectory), **imported.get("agent", {})},
        "steps": steps,
        **{key: imported[key] for key in _ROOT if key in imported},
        "final_metrics": imported.get("final_metrics") or _final(trajectory, len(steps)),
        **present(subagent_trajectories=[build(child, others) for child in children.values()]),
        **({} if root else {"extra": {KEY: {"trajectory": carried_header(trajectory)}}}),
    }


def _children(trajectory: Header, others: Sequence[Header]) -> dict[str, Header]:
    """Those of ``others`` whose parent is the trajectory, by their ids."""
    return {t["id"]: t for t in others if (t["parent"] or {}).get("id") == trajectory["id"]}


def _imported_fields(root: Event | None) -> dict[str, Any]:
    """The fields of the imported document that ``root`` kept; only those of the right type."""
    kept = root[OWN]["root"] if root else {}
    return {key: value for key, value in kept.items() if key in ROOT and fits(value, ROOT[key])}


def _agent(trajectory: Header) -> dict[str, Any]:
    agent = {"name": trajectory["agent"] or "unknown", "version": trajectory["agentVersion"] or "unknown"}
    return {**agent, **({"model_name": trajectory["models"][0]} if trajectory["models"] else {})}


def _steps(events: Sequence[Event], starters: Mapping[str, str]) -> list[dict[str, Any]]:
    positions = {id(event): at for at, event in enumerate(events)}
    groups = [sorted(group, key=lambda e: _ORDER.get(e["type"], 0)) for group in _Grouping(events).groups]
    order = [positions[id(event)] for group in groups for event in group]
    names = Names(OWN)
    steps: list[dict[str, Any]] = []
    for group in groups:
        step = build_step(group)
        at = None if order == sorted(order) else [positions[id(event)] for event in group]
        if carried := carry(list(map(_without_own, group)), step_events(step, names), at):
            step["extra"] = {**coerce.mapping(step.get("extra")), KEY: {"events": carried}}
        _add_references(step, group, starters)
        steps.append({"step_id": len(steps) + 1, **step})
    if not steps:
        steps.append({"step_id": 1, "source": "system", "message": "Its events are not here."})
    return steps


def _without_own(event: Event) -> Event:
    return {key: value for key, value in event.items() if key != OWN}


class _Grouping:
    """The events of each step: those of one model call with the results of its tool calls, however late
    these came; every other event in a step of its own."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.groups: list[list[Event]] = []
        self._by_response: dict[str, list[Event]] = {}
        self._by_call: dict[str, list[Event]] = {}
        for event in events:
            self._add(event)

    def _add(self, event: Event) -> None:
        response = event.get("response") if event["type"] in _AGENT or _is_imported(event) else None
        group = self._find(event, response)
        if group is None:
            self.groups.append(group := [])
        group.append(event)
        if response:
            self._by_response[response] = group
        if event["type"] == "tool_call":
            self._by_call[event["tool"].get("callId") or event["id"]] = group

    def _find(self, event: Event, response: str | None) -> list[Event] | None:
        """The group of an event, if it already exists."""
        if call := coerce.at(event, "result", "callId"):
            return self._by_call.get(call)
        if response:
            return self._by_response.get(response)
        return self._last_group(event) if event["type"] in _AGENT else None

    def _last_group(self, event: Event) -> list[Event] | None:
        """The last group, if an event that names no model call may still belong to it."""
        last = self.groups[-1] if self.groups else []
        is_open = bool(last) and last[0]["type"] in _AGENT and not any(e.get("response") for e in last)
        follows = is_open and _ORDER[event["type"]] >= _ORDER[last[-1]["type"]]
        return last if follows and last[-1]["type"] != "tool_result" else None


def _is_imported(event: Event) -> bool:
    """Whether the event was read from ATIF: then it has a response even if its step is not a model call."""
    return str(event.get("response")).startswith(f"{OWN}.")


def _starters(events: Sequence[Event], children: Mapping[str, Header], trajectory: Header) -> dict[str, str]:
    """Map a result's event id to the id of the child trajectory whose agent the result names."""
    output: dict[str, str] = {}
    unnamed = set(children)
    for event in events if unnamed else ():
        if event["type"] != "tool_result":
            continue
        text = event.get("content", "")
        for name in dict.fromkeys(_TOKEN.findall(text[:_ENDS] + " " + text[-_ENDS:])):
            for candidate in (
                trajectory_id(trajectory["agent"] or "", trajectory["session"] or "", name),
                trajectory_id(trajectory["agent"] or "", name),
            ):
                if candidate in unnamed:
                    unnamed.discard(candidate)
                    output[event["id"]] = candidate
    return output


def _add_references(step: dict[str, Any], group: Sequence[Event], starters: Mapping[str, str]) -> None:
    """Add a reference to the subagent to each result in the step that names one."""
    results = [event for event in group if event["type"] == "tool_result"]
    observed = coerce.mapping(step.get("observation")).get("results", ())
    for event, result in zip(results, observed, strict=False):
        if event["id"] in starters and "subagent_trajectory_ref" not in result:
            result["subagent_trajectory_ref"] = [{"trajectory_id": starters[event["id"]]}]


def _final(trajectory: Header, steps: int) -> dict[str, Any]:
    part = trajectory["part"]
    metrics = build_metrics([part["usage"]]) if any(part["usage"].values()) else {}
    return present(
        total_prompt_tokens=metrics.get("prompt_tokens"),
        total_completion_tokens=metrics.get("completion_tokens"),
        total_cached_tokens=metrics.get("cached_tokens"),
        total_cost_usd=part["costUsd"],
        total_steps=steps,
        extra=metrics.get("extra"),
    )

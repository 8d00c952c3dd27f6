"""Writes ATIF v1.7, the Agent Trajectory Interchange Format: one document for a trajectory and its subagents.

v1.8 adds nothing but audio, and most tools read v1.7: only a document with audio is v1.8 (and what
``write_latest`` writes). If a trajectory came from an ATIF file, its steps are again what they were; what
ATIF has no field for is stored in ``extra``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gittraj.formats.atif.schema import ROOT
from gittraj.formats.atif.shared import LATEST, OWN, VERSION, build_metrics, build_step, step_events
from gittraj.formats.base import coerce
from gittraj.formats.base.carried import KEY, Names, carried_header, carry, plain_event, present, root_of
from gittraj.formats.base.exported import Exported, events_of, pretty
from gittraj.formats.base.shapes import fits
from gittraj.model.header import Header
from gittraj.model.session_items import trajectory_id

Event = dict[str, Any]

_AGENT = ("thinking", "message", "tool_call")
_ORDER = {"thinking": 0, "message": 1, "tool_call": 2, "tool_result": 3}
_TOKEN = re.compile(r"[\w-]{6,64}")
_ENDS = 400
"""How many characters of both ends of a result are searched for the name of a started agent."""
_ROOT = ("session_id", "notes", "continued_trajectory_ref", "extra")


def write(exported: Exported) -> Iterator[str]:
    """Write the first trajectory; the others that it started, directly or not, are its subagents."""
    yield pretty(build_all(exported))


def write_latest(exported: Exported) -> Iterator[str]:
    """Like ``write``, in the latest version, for tools that require it."""
    yield pretty(versioned(build_all(exported), LATEST))


def build_all(exported: Exported) -> dict[str, Any]:
    root, *others = exported.trajectories
    document = build(root, others)
    return versioned(document, LATEST) if _has_audio(document) else document


def versioned(document: dict[str, Any], version: str) -> dict[str, Any]:
    """The document, with its subagents', marked as another version."""
    below = [versioned(child, version) for child in document.get("subagent_trajectories", ())]
    children = {"subagent_trajectories": below} if below else {}
    return {**document, "schema_version": version, **children}


def _has_audio(value: Any) -> bool:
    """Whether a part of some content is audio."""
    if isinstance(value, list):
        return any(map(_has_audio, value))
    if not isinstance(value, dict):
        return False
    return (value.get("type") == "audio" and "source" in value) or any(map(_has_audio, value.values()))


def build(trajectory: Header, others: Sequence[Header] = ()) -> dict[str, Any]:
    """The document of one trajectory. ``others`` may be its subagents."""
    events = [plain_event(event, trajectory["agent"]) for event in events_of(dict(trajectory))]
    root = next((e for e in events if root_of(e, OWN) is not None), None)
    named = _named_fields(root)
    children = {t["id"]: t for t in others if (t["parent"] or {}).get("id") == trajectory["id"]}
    steps = _steps([e for e in events if e is not root], _starters(events, children, trajectory))
    return {
        "schema_version": VERSION,
        **present(session_id=trajectory["session"]),
        "trajectory_id": trajectory["id"],
        "agent": {**_agent(trajectory), **named.get("agent", {})},
        "steps": steps,
        **{key: named[key] for key in _ROOT if key in named},
        "final_metrics": named.get("final_metrics") or _final(trajectory, len(steps)),
        **present(subagent_trajectories=[build(child, others) for child in children.values()]),
        **({} if root else {"extra": {KEY: {"trajectory": carried_header(trajectory)}}}),
    }


def _named_fields(root: Event | None) -> dict[str, Any]:
    """The fields of the document that was imported, as ``root`` kept them; only those of the right type."""
    kept = root[OWN]["root"] if root else {}
    return {key: value for key, value in kept.items() if key in ROOT and fits(value, ROOT[key])}


def _agent(trajectory: Header) -> dict[str, Any]:
    agent = {"name": trajectory["agent"] or "unknown", "version": trajectory["agentVersion"] or "unknown"}
    return {**agent, **({"model_name": trajectory["models"][0]} if trajectory["models"] else {})}


def _steps(events: Sequence[Event], starters: Mapping[str, str]) -> list[dict[str, Any]]:
    positions = {id(event): at for at, event in enumerate(events)}
    groups = list(_group(events))
    order = [positions[id(event)] for group in groups for event in group]
    names = Names(OWN)
    steps: list[dict[str, Any]] = []
    for group in groups:
        step = build_step(group)
        at = None if order == sorted(order) else [positions[id(event)] for event in group]
        own = [{key: value for key, value in event.items() if key != OWN} for event in group]
        if carried := carry(own, step_events(step, names), at):
            step["extra"] = {**coerce.mapping(step.get("extra")), KEY: {"events": carried}}
        _refer(step, group, starters)
        steps.append({"step_id": len(steps) + 1, **step})
    if not steps:
        steps.append({"step_id": 1, "source": "system", "message": "Its events are not here."})
    return steps


def _group(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Yield the events of each step: those of one model call, with the results of its calls, however late
    they came; every other event alone."""
    groups: list[list[Event]] = []
    by_response: dict[str, list[Event]] = {}
    by_call: dict[str, list[Event]] = {}
    for event in events:
        call = coerce.at(event, "result", "callId")
        response = event.get("response") if event["type"] in _AGENT or _is_own(event) else None
        group = by_call.get(call) if call else by_response.get(response or "")
        if group is None and event["type"] in _AGENT and not response:
            group = _open(groups, event)
        if group is None:
            groups.append(group := [])
        group.append(event)
        if response:
            by_response[response] = group
        if event["type"] == "tool_call":
            by_call[event["tool"].get("callId") or event["id"]] = group
    return (sorted(group, key=lambda e: _ORDER.get(e["type"], 0)) for group in groups)


def _is_own(event: Event) -> bool:
    """Whether it was read from ATIF: then events of a step that is not a model call have a response, too."""
    return str(event.get("response")).startswith(f"{OWN}.")


def _open(groups: Sequence[list[Event]], event: Event) -> list[Event] | None:
    """The last step, if an event without a model call's id may still belong to it."""
    last = groups[-1] if groups else []
    fits = bool(last) and last[0]["type"] in _AGENT and not any(e.get("response") for e in last)
    after = fits and _ORDER[event["type"]] >= _ORDER[last[-1]["type"]]
    return groups[-1] if after and last[-1]["type"] != "tool_result" else None


def _starters(events: Sequence[Event], children: Mapping[str, Header], trajectory: Header) -> dict[str, str]:
    """The trajectories of agents that calls started, by the event of the result that names the agent."""
    output: dict[str, str] = {}
    left = set(children)
    for event in events if left else ():
        if event["type"] != "tool_result":
            continue
        text = event.get("content", "")
        for name in dict.fromkeys(_TOKEN.findall(text[:_ENDS] + " " + text[-_ENDS:])):
            for known in (
                trajectory_id(trajectory["agent"] or "", trajectory["session"] or "", name),
                trajectory_id(trajectory["agent"] or "", name),
            ):
                if known in left:
                    left.discard(known)
                    output[event["id"]] = known
    return output


def _refer(step: dict[str, Any], group: Sequence[Event], starters: Mapping[str, str]) -> None:
    results = [event for event in group if event["type"] == "tool_result"]
    observed = coerce.mapping(step.get("observation")).get("results", ())
    for event, result in zip(results, observed, strict=False):
        if event["id"] in starters and "subagent_trajectory_ref" not in result:
            result["subagent_trajectory_ref"] = [{"trajectory_id": starters[event["id"]]}]


def _final(trajectory: Header, steps: int) -> dict[str, Any]:
    part = trajectory["part"]
    metrics = build_metrics([part["usage"]]) if any(part["usage"].values()) else {}
    final: dict[str, Any] = {
        "total_prompt_tokens": metrics.get("prompt_tokens"),
        "total_completion_tokens": metrics.get("completion_tokens"),
        "total_cached_tokens": metrics.get("cached_tokens"),
        "total_cost_usd": part["costUsd"],
        "total_steps": steps,
        "extra": metrics.get("extra"),
    }
    return {key: value for key, value in final.items() if value is not None}

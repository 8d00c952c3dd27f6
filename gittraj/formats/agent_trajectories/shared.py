"""Converts events and chapters of agent-trajectories (npm ``agent-trajectories`` 0.6.1, command ``trail``) to
ours, and back.

Files that break the package's schema are read as far as possible. Files that are written satisfy it: values
that the schema rejects go into fields of our own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from gittraj.formats.agent_trajectories.schema import Event, strict
from gittraj.formats.base import coerce
from gittraj.formats.base.carried import (
    KEY,
    Names,
    Shown,
    difference,
    only,
    patch,
    present,
    to_event,
    without_carried,
)
from gittraj.formats.base.shapes import number
from gittraj.model.times import seconds, to_stamp

OWN = "trail"
"""The field of our events that keeps the fields of their events without a counterpart. In an event that was
made from a field outside the chapters, it is empty or has ``root``."""

_THEIR_TYPES = {
    "message": "note",
    "compaction": "note",
    "checkpoint": "note",
    "chapter": "note",
    "refusal": "note",
    "verification": "completion-evidence",
    "retrospective": "reflection",
}
_SHORT = 500
_RETROSPECTIVE = ("summary", "approach", "challenges", "learnings", "suggestions", "confidence")


# ---------------------------------------------------------------- an event is read


def read_event(record: Shown, agent: str | None, names: Names) -> Event:
    """Return our event for one of theirs. ``agent`` is the chapter's agent, if it is not the trajectory's."""
    kind = coerce.text(record.get("type")) or "note"
    text = coerce.string(record.get("content"))
    stamp = _stamp(record.get("ts"))
    raw = coerce.mapping(record.get("raw"))
    if kind == "message_received":  # its author is the sender, not the chapter's agent
        agent = coerce.first(raw, "from", "sender")
    tags = coerce.sequence(record.get("tags"))
    fields = present(
        content=text,
        ts=stamp,
        agent=agent,
        **_by_kind(kind, raw, text),
        significance=coerce.text(record.get("significance")),
        tags=tags if all(isinstance(tag, str) for tag in tags) else None,
        confidence=record["confidence"] if number(record.get("confidence")) else None,
    )
    event = {"type": kind, "id": names.of(kind, stamp, len(text)), **fields}
    return event if to_event(event) is not None else {**event, "type": "note"}


def _by_kind(kind: str, raw: Event, text: str) -> Event:
    """The fields that only events of this kind have."""
    call = coerce.text(raw.get("callId"))
    match kind:
        case "message_sent" | "message_received":
            return {"recipient": coerce.text(raw.get("to"))}
        case "tool_call":
            tool = {"name": coerce.first(raw, "name", "tool") or "tool"}
            return {"tool": {**tool, **only(raw, "arguments"), **present(callId=call)}}
        case "tool_result":
            failed = True if raw.get("isError") is True else None
            code = coerce.number(raw.get("exitCode"))
            return {"result": present(callId=call, exitCode=code, isError=failed)}
        case "decision":
            return {"decision": read_decision(raw, text)}
        case "retrospective":
            return {"retrospective": {"by": "agent", "summary": text}}
        case _:
            return {}


def read_decision(raw: Event, text: str) -> Event:
    """Return our decision for one of theirs; old files name the choice ``decision``, not ``chosen``."""
    fields = present(
        question=coerce.text(raw.get("question")),
        reasoning=coerce.text(raw.get("reasoning")),
        alternatives=[name for o in coerce.sequence(raw.get("alternatives")) if (name := _option(o))],
        confidence=float(raw["confidence"]) if number(raw.get("confidence")) else None,
    )
    return {"chosen": coerce.first(raw, "chosen", "decision") or text, "by": "agent", **fields}


def _option(value: Any) -> str | None:
    return coerce.either(value, coerce.mapping(value).get("option"))


def read_retrospective(record: Event) -> Event:
    output: Event = {"by": "agent"}
    for key in _RETROSPECTIVE:
        value = record.get(key)
        if isinstance(value, list):
            value = [item for item in value if isinstance(item, str)]
        if isinstance(value, str | list) and value:
            output[key] = value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            output[key] = float(value)
    return output


def keep_others(record: Shown, event: Event) -> None:
    """Keep in ``OWN`` the fields without a counterpart; not those of thinking, which may be sealed."""
    change = difference(strict({**record}, 1), build_event(event, 1))
    if change and event["type"] != "thinking":
        event[OWN] = change


# ---------------------------------------------------------------- an event is written


def build_event(event: Shown, ts: int) -> Event:
    """Return their event for one of ours. ``ts`` is the time in milliseconds of an event without a time."""
    built: Event = {
        "ts": round((seconds(event.get("ts")) or 0) * 1000) or ts,
        "type": _THEIR_TYPES.get(event["type"], event["type"]),
        "content": event.get("content") or _words(event),
    }
    if raw := _build_raw(event):
        built["raw"] = raw
    built |= only(event, "significance", "tags", "confidence")
    kept = event.get(OWN)
    if isinstance(kept, dict) and not {"chapter", "root"} & kept.keys():
        built = patch(built, kept)
    return strict(built, ts)


def _build_raw(event: Shown) -> Event:
    match event["type"]:
        case "tool_call":
            return only(event["tool"], "name", "arguments", "callId")
        case "tool_result":
            return only(event.get("result", {}), "callId", "exitCode", "isError")
        case "decision":
            return build_decision(event["decision"])
        case "retrospective":
            return only(event["retrospective"], *_RETROSPECTIVE)
        case _:
            return {}


def build_decision(decision: Shown) -> Event:
    fields = {"question": decision.get("question") or decision["chosen"], "chosen": decision["chosen"]}
    rest = {"alternatives": decision.get("alternatives") or [], "reasoning": decision.get("reasoning") or ""}
    return {**fields, **rest, **present(confidence=decision.get("confidence"))}


def _words(event: Shown) -> str:
    """The content of an event without text; their schema requires one."""
    match event["type"]:
        case "tool_call":
            arguments = event["tool"].get("arguments")
            written = "" if arguments is None else " " + json.dumps(arguments, ensure_ascii=False)
            return f"{event['tool']['name']}{written}"[:_SHORT] or "(empty)"
        case "decision":
            decision = build_decision(event["decision"])
            return f"{decision['question']}: {decision['chosen']}"
        case "retrospective":
            return event["retrospective"].get("summary") or "(empty)"
        case "thinking" if "sealed" in event:
            return "(sealed)"
        case _:
            return "(empty)"


# ---------------------------------------------------------------- a document is read


def document_events(document: Shown) -> Iterator[tuple[Event, Any]]:
    """Yield each event of a document, and our own fields that were stored in it, if any. For another tool's
    document, decisions and the retrospective outside the chapters become events, too; and an event for each
    chapter and a last one keep the remaining fields."""
    names = Names(OWN)
    ours = carried_trajectory(document)
    own_agent = coerce.text(coerce.mapping(ours).get("agent")) or "unknown"
    for chapter in coerce.objects(document.get("chapters")):
        author = coerce.first(chapter, "agentName", "agent")
        if ours is None:
            yield _chapter_event(chapter, author, names), None
        for item in coerce.sequence(chapter.get("events")):
            plain, carried = without_carried(_as_record(item), "raw")
            is_own = ours is not None and author == own_agent
            event = read_event(plain, None if is_own else author, names)
            if carried is None:
                keep_others(plain, event)
            yield event, carried
    if ours is None:
        yield from ((event, None) for event in _ending(document, names))


def _as_record(item: Any) -> Event:
    return {"type": "note", "content": item} if isinstance(item, str) else coerce.mapping(item)


def _chapter_event(chapter: Event, author: str | None, names: Names) -> Event:
    title = coerce.first(chapter, "title", "phase") or "Untitled"
    stamp = to_stamp(chapter.get("startedAt"))
    event: Event = {"type": "chapter", "id": names.of("chapter", stamp, len(title)), "content": title}
    kept = {key: value for key, value in chapter.items() if key != "events"}
    return {**event, **present(ts=stamp, agent=author), OWN: {"chapter": kept}}


def _ending(document: Shown, names: Names) -> Iterator[Event]:
    """Yield events for the fields outside the chapters: decisions, the retrospective, the document itself."""
    stamp = to_stamp(document.get("completedAt"))
    when = present(ts=stamp)
    retrospective = coerce.mapping(document.get("retrospective")) or only(document, *_RETROSPECTIVE)
    decisions = [*coerce.objects(retrospective.get("decisions")), *coerce.objects(document.get("decisions"))]
    for record in decisions:
        decision = read_decision(record, "")
        at = to_stamp(record.get("timestamp")) or stamp
        name = names.of("decided", at, len(decision["chosen"]))
        if decision["chosen"]:
            yield {"type": "decision", "id": name, **present(ts=at), "decision": decision, OWN: {}}
    if retrospective:
        ours = read_retrospective(retrospective)
        name = names.of("retrospective", stamp, len(str(ours.get("summary"))))
        yield {"type": "retrospective", "id": name, **when, "retrospective": ours, OWN: {}}
    root = {key: value for key, value in document.items() if key != "chapters"}
    name = names.of("root", coerce.text(document.get("id")) and to_stamp(document.get("startedAt")))
    yield {"type": "checkpoint", "id": name, **when, "content": "agent-trajectories", OWN: {"root": root}}


def carried_trajectory(document: Shown) -> Any:
    """Our own fields of the trajectory, stored in its first event; None in another tool's file."""
    for chapter in coerce.objects(document.get("chapters")):
        for event in coerce.objects(chapter.get("events")):
            return coerce.mapping(without_carried(event, "raw")[1]).get("trajectory")
    return None


def with_carried(built: Event, carried: Event) -> Event:
    """Add our own fields to an event: the reverse of ``without_carried``."""
    if not carried:
        return built
    raw = built.get("raw")
    return {**built, "raw": {**(raw if isinstance(raw, dict) else {}), KEY: carried}}


def chapter_id(event_id: str) -> str:
    return f"chap_{hashlib.sha256(event_id.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _stamp(value: Any) -> str | None:
    """The time from milliseconds since 1970, or from a text, as in old files."""
    if not number(value):
        return to_stamp(value)
    try:
        moment = datetime.fromtimestamp(value / 1000, UTC) if value > 0 else None
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") if moment else None

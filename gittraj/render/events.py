"""Describes one event in a few words, for every view that lists events. Pure; the text is not escaped yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.sides import because, decided
from gittraj.model.words import count, main_argument

Event = Mapping[str, Any]


def describe_call(event: Event) -> tuple[str, str]:
    """A call's tool, and its files or, if it has none, its main argument or all its arguments."""
    paths = [file["path"] for file in event.get("files", ())]
    return call_name(event), ", ".join(paths) if paths else main_argument(event["tool"]["arguments"])


def call_name(event: Event) -> str:
    """The call's tool; ``apply_patch`` for a patch that was passed to a shell, as Codex does."""
    patches = event.get("files") and "*** Begin Patch" in str(event["tool"]["arguments"])
    return "apply_patch" if patches else event["tool"]["name"] or "tool"


def failed(event: Event) -> bool:
    """Whether an event is an error or a failed result."""
    result = event.get("result")
    return event["type"] == "error" or bool(result and (result["isError"] or result["exitCode"]))


def describe_result(event: Event) -> str:
    """A result's exit code, error or truncation, without its text."""
    result = event["result"]
    facts = [f"exit {result['exitCode']}" if result["exitCode"] else "error" if result["isError"] else ""]
    facts += ["shortened"] if result["truncated"] else []
    return ", ".join(word for word in facts if word)


def describe_event(event: Event) -> str:
    """The text of an event other than a call, or its decision or retrospective in words."""
    if decision := event.get("decision"):
        text = decided(decision)
        return f"{text}, {because(decision['reasoning'])}" if decision.get("reasoning") else text
    if retrospective := event.get("retrospective"):
        return str(retrospective.get("summary") or event["content"])
    if "result" in event:
        return f"{describe_result(event)} {event['content']}".strip()
    return str(event["content"])


def pair_results(events: Iterable[Event]) -> dict[str, Event]:
    """The results of calls, by the ids of the calls."""
    return {
        event["result"]["callId"]: event
        for event in events
        if event["type"] == "tool_result" and event["result"]["callId"]
    }


def step(event: Event) -> tuple[str, str, bool]:
    """An event as a comparison shows it: its name, its text, and whether it failed."""
    name, text = describe_call(event) if "tool" in event else (str(event["type"]), describe_event(event))
    return name, text, failed(event)


def between(event: Event) -> str | None:
    """Sender and receiver of a message between agents, ``ann → bob``; ``from ann`` if the log does not name
    the receiver; None for any other event, or if the other agent is not known."""
    sender, recipient = event["agent"], event.get("recipient")
    if event["type"] not in ("message_sent", "message_received"):
        return None
    if recipient:
        return f"{sender or 'another agent'} → {recipient}"
    return f"from {sender}" if event["type"] == "message_received" and sender else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """What a view shows. ``everything``: all events, not only the most useful; ``thinking``: thinking, too,
    as far as it can be read."""

    everything: bool = False
    thinking: bool = False


def is_shown(event: Event, detail: Detail) -> bool:
    match event["type"]:
        case "thinking":
            return detail.thinking and bool(event["content"])
        case "tool_result":
            return detail.everything or failed(event)
        case "checkpoint" | "compaction":
            return detail.everything
        case _:
            return True


def thinking_note(header: Header) -> str | None:
    """Why the requested thinking cannot be shown; None if it can."""
    number = header["part"]["counts"]["thinking"]
    match header["thinking"]:
        case "dropped":
            return f"thinking: {count(number, 'piece')} dropped when recorded"
        case "sealed":
            sealed = sum("sealed" in event for chapter in header["chapters"] for event in chapter["events"])
            readers = count(header["readers"] or 0, "reader")
            return f"thinking: {count(sealed, 'piece')} sealed for {readers}" if sealed else None
        case "none":
            return "thinking: none in the log"
        case _:
            return None

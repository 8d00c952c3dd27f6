"""How much of the events a reader wants, the same for every view."""

from __future__ import annotations

from gittraj.frozen import dataclass
from gittraj.model.words import Header, count
from gittraj.render.events import Event, failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """``everything`` instead of the most useful events; ``thinking`` where it can be read."""

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
    """Why the requested thinking cannot be shown; None where it can."""
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

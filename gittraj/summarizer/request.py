"""Writes what the program reads: an instruction and the redacted events of a part, one per line. Pure.

Sealed text is not included: such an event has no text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

from gittraj.events.part_summary import shorten
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    RetrospectiveEvent,
    Thinking,
    ToolCall,
    ToolResult,
)

LIMIT = 200_000
"""Characters of events: about 50,000 tokens."""
DECISIONS = DOUBTS = 8
"""How many of each are accepted; the schema asks for no more."""
_FILES = ("instruction.txt", "schema.json")
WORDS: tuple[type, ...] = (Message, Thinking, PeerMessage, NoteEvent, Decided, RetrospectiveEvent)
"""Events with an agent's own words: only these can be quoted."""
_KINDS: Mapping[type, tuple[str, int]] = {
    Prompt: ("asked", 4_000),
    Message: ("said", 8_000),
    Thinking: ("thought", 4_000),
    PeerMessage: ("told", 2_000),
    NoteEvent: ("noted", 2_000),
    Decided: ("decided", 2_000),
    RetrospectiveEvent: ("looked back", 4_000),
    ToolCall: ("called", 600),
    ToolResult: ("got", 600),
}
"""The word for each kind of event, and the most characters of one."""


def write_request(events: Sequence[AnyEvent]) -> str:
    """The request; if the log is too long, it is without calls, then without the oldest texts."""
    lines = [(type(event), line) for event in events if (line := _line(event))]
    for few in (lines, [(kind, line) for kind, line in lines if kind not in (ToolCall, ToolResult)]):
        if sum(len(line) for _, line in few) <= LIMIT:
            break
    kept = list(_last([line for _, line in few]))[::-1]
    instruction, schema = ((files(__package__) / name).read_text("utf-8") for name in _FILES)
    return instruction.format(
        schema=json.dumps(json.loads(schema), separators=(",", ":")), events="\n".join(kept)
    )


def _last(lines: Sequence[str]) -> Iterator[str]:
    room = LIMIT
    for line in reversed(lines):
        room -= len(line)
        if room < 0:
            return
        yield line


def _line(event: AnyEvent) -> str | None:
    kind, limit = _KINDS.get(type(event), ("", 0))
    text = text_of(event)
    if not kind or not text.strip():
        return None
    value = {"id": event.id, "kind": kind, "text": shorten(text, limit)}
    return json.dumps(value, ensure_ascii=False)


def text_of(event: AnyEvent) -> str:
    """The words of an event; a call's are its name and arguments."""
    if isinstance(event, ToolCall):
        return f"{event.name} {json.dumps(event.arguments, ensure_ascii=False)}"
    if isinstance(event, Decided):
        chosen = event.decision
        return "\n".join(
            filter(None, (chosen.question, chosen.chosen, *chosen.alternatives, chosen.reasoning))
        )
    return event.content

"""Writes the program's input: an instruction and the redacted events of a part, one per line. Pure.

Sealed text is not included: a sealed event has no text.
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
"""The maximum number of decisions, and of doubts, that are accepted; the schema has the same limit."""
_FILES = ("instruction.txt", "schema.json")
WORDS: tuple[type, ...] = (Message, Thinking, PeerMessage, NoteEvent, Decided, RetrospectiveEvent)
"""Types of events with an agent's own words: only these can be quoted."""
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
"""For each type of event, its ``kind`` in the request, and the most characters of its text."""


def write_request(events: Sequence[AnyEvent]) -> str:
    """Return the request. If it is too long, calls and results are left out, then the oldest texts."""
    lines = [line for event in events if (line := _line(event))]
    if sum(map(len, lines)) > LIMIT:
        texts = (event for event in events if not isinstance(event, ToolCall | ToolResult))
        lines = [line for event in texts if (line := _line(event))]
    latest = list(_from_last(lines))[::-1]
    instruction, schema = ((files(__package__) / name).read_text("utf-8") for name in _FILES)
    return instruction.format(
        schema=json.dumps(json.loads(schema), separators=(",", ":")), events="\n".join(latest)
    )


def _from_last(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines from the last one backwards, up to the limit."""
    left = LIMIT
    for line in reversed(lines):
        left -= len(line)
        if left < 0:
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
    """The text of an event; a call's text is its name and arguments."""
    if isinstance(event, ToolCall):
        return f"{event.name} {json.dumps(event.arguments, ensure_ascii=False)}"
    if isinstance(event, Decided):
        decision = event.decision
        texts = (decision.question, decision.chosen, *decision.alternatives, decision.reasoning)
        return "\n".join(filter(None, texts))
    return event.content

"""Reads the output of ``opencode run --format json``: on each line one finished part.

The output has neither the prompt nor the model, and thinking only with ``--thinking``. Parts have the same
ids as in OpenCode's own store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Lines
from gittraj.formats.opencode.answer import Answer, Context
from gittraj.model.session_items import START, Cursor, Damage, Entry, Item

name = "opencode-stream"
agent = "opencode"

_TYPES = ("step_start", "text", "reasoning", "tool_use", "step_finish", "error")
_TRUSTED = frozenset(("type", "sessionID"))


def _is_record(record: dict[str, Any]) -> bool:
    has_content = "part" in record or "error" in record
    return has_content and record.get("type") in _TYPES and coerce.text(record.get("sessionID")) is not None


detect = lines.detector(_is_record)


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    context = Context()
    first_session: str | None = None
    answer: Answer | None = None
    current = ""
    for fragment in Lines(stream, trusted=_TRUSTED):
        if isinstance(fragment, Damage):
            yield fragment
            continue
        value, part = fragment.value, coerce.mapping(fragment.value.get("part"))
        own_session = coerce.text(value.get("sessionID"))
        first_session = first_session or own_session
        foreign = own_session if own_session != first_session else None
        context.end = fragment.end
        yield from context.learn("session", first_session, once=True)
        yield from context.learn("started_at", coerce.stamp(value.get("timestamp")), once=True)
        message = coerce.text(part.get("messageID")) or current or first_session or "message"
        if answer is None or message != current:
            current = message
            answer = Answer(context, {"id": message, "time": {"created": value.get("timestamp")}})
        for item in _items(answer, f"at{fragment.start}", value, part):
            yield replace(item, session=foreign) if isinstance(item, Entry) else item


def _items(answer: Answer, name: str, value: dict[str, Any], part: dict[str, Any]) -> Iterator[Item]:
    """Yield the items of a line; ``name`` is the id for an error's event."""
    if value.get("type") == "error":
        yield from answer.fail(
            name, coerce.mapping(value.get("error")), coerce.number(value.get("timestamp"))
        )
    elif value.get("type") in _TYPES:
        yield from answer.read(part)
        yield from answer.yield_results()

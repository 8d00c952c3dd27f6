"""Reads what the user and the model say to each other, from records that are alike in a session file and in
the program's output. All other records are read by the readers of those two formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base import position as base
from gittraj.formats.base.outcomes import ruling, tool_result
from gittraj.formats.base.position import Position
from gittraj.formats.claude import calls, prompts
from gittraj.model.session_items import Entry, Item, Spent, TurnEnd
from gittraj.model.values import Foreign, Message, NoteEvent, PeerMessage, Prompt, Thinking, Usage

_SYNTHETIC = "<synthetic>"
_TOKENS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
_FILLER = "No response requested."
"""The text that Claude Code writes if the model did not answer. It is neither a message nor an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(base.Record):
    """``detail`` is the record's tool result in structured form. ``sidechain``: the record belongs to an
    agent that a call in this log started (``parent`` is the id of the call's event); ``subagent``: the record
    belongs to an agent that another agent started, in this log or another."""

    value: dict[str, Any]
    content: list[dict[str, Any]]
    folder: str | None = None
    detail: Any = None
    subagent: bool = False

    @property
    def sidechain(self) -> bool:
        return "sidechain" in self.tags


class Conversation:
    """Reads the records of type ``user`` and ``assistant`` in their order, and matches calls and results."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self.forget()

    def forget(self) -> None:
        """Begin a turn: it must be read in the same way with and without the turns before it."""
        self._open: dict[str, tuple[str, Any]] = {}
        self._events: dict[str, str] = {}
        self._starters: dict[str, str] = {}

    def event_of(self, call_id: str | None) -> str | None:
        """The id of the event of a call in this turn."""
        return self._events.get(call_id or "")

    def started_by(self, prompt: str | None) -> str | None:
        """The id of the event whose call passed ``prompt`` to another agent."""
        return self._starters.get(prompt or "")

    def user(self, record: Record, typed: str | None) -> Iterator[Item]:
        """Yield the items of a record of the user's role. ``typed`` is the text of a prompt (see
        :func:`prompts.typed`); only a human's becomes a Prompt."""
        common = record.common(0) | {"artifact": prompts.first_medium(record.content)}
        if typed is not None and not record.subagent:
            yield record.entry(Prompt(**common, content=typed))
        elif content := typed or prompts.message_text(record.content):
            common |= {"agent": prompts.sender(content)}
            yield record.entry(PeerMessage(**common, content=content, direction="received"))
        for ordinal, block in enumerate(record.content):
            if block.get("type") == "tool_result":
                yield from self._result(record, ordinal, block)
        if stopped := prompts.interruption(record.content):
            ordinal, text = stopped
            yield record.entry(NoteEvent(**record.common(ordinal, "interrupted"), content=text, kind="note"))
            if not record.subagent:
                yield TurnEnd(end=record.end)

    def assistant(self, record: Record) -> Iterator[Item]:
        message = coerce.mapping(record.value.get("message"))
        model = coerce.text(message.get("model"))
        if model == _SYNTHETIC or record.value.get("isApiErrorMessage") is True:
            yield from _error(record)
            return
        response = coerce.text(message.get("id"))
        yield from self._position.report("model", model)
        for ordinal, block in enumerate(record.content):
            common = record.common(ordinal) | {"model": model, "response": response}
            yield from self._block(record, common, ordinal, block)
        if response and isinstance(message.get("usage"), dict):
            yield Spent(response=response, usage=usage(message["usage"]))
        # Every record of a message has the stop reason of the message, whose last record is never thinking.
        ends_in_text = record.content and record.content[-1].get("type") == "text"
        if message.get("stop_reason") == "end_turn" and ends_in_text and not record.subagent:
            yield TurnEnd(end=record.end)

    def _block(
        self, record: Record, common: dict[str, Any], ordinal: int, block: dict[str, Any]
    ) -> Iterator[Item]:
        kind = coerce.string(block.get("type"))
        text = coerce.string(block.get("text"))
        if kind == "text":
            if text and not text.isspace():
                yield record.entry(Message(**common, content=text))
        elif kind == "thinking":
            yield record.entry(Thinking(**common, content=coerce.string(block.get("thinking"))))
        elif kind == "redacted_thinking":
            yield record.entry(Thinking(**common, content="[redacted]"))
        elif kind.endswith("tool_use"):  # also server_tool_use, mcp_tool_use
            yield self._call(record, common, block)
        elif kind.endswith("_tool_result"):
            yield from self._result(record, ordinal, block)
        elif kind and text:
            yield record.entry(Foreign(**common, content=text, type=kind))

    def _call(self, record: Record, common: dict[str, Any], block: dict[str, Any]) -> Entry:
        tool = coerce.text(block.get("name")) or "unknown"
        arguments, call_id = block.get("input"), coerce.text(block.get("id"))
        if call_id:
            self._open[call_id] = (tool, arguments)
            self._events[call_id] = common["id"]
            if prompt := coerce.text(coerce.mapping(arguments).get("prompt")):
                self._starters[prompt.strip()] = common["id"]
        call = calls.call(tool, arguments, record.folder)
        return record.entry(call.event(call_id, **common), **call.known)

    def _result(self, record: Record, ordinal: int, block: dict[str, Any]) -> Iterator[Item]:
        call_id = coerce.text(block.get("tool_use_id"))
        tool, arguments = self._open.pop(call_id or "", (None, None))
        result = calls.result(block, record.detail, shell=tool in calls.SHELLS)
        yield record.entry(tool_result(result, call_id=call_id, **record.common(ordinal)), **result.known)
        decisions = calls.decisions(tool, arguments, record.detail, result)
        for n, answer in enumerate(decisions, len(record.content)):
            yield record.entry(ruling(answer, **record.common(n)))


def usage(value: Any) -> Usage:
    """Convert Anthropic's counts, in which input tokens do not include cached ones."""
    return coerce.usage(value, _TOKENS, cached_in_input=False)


def _error(record: Record) -> Iterator[Item]:
    text = "\n".join(t for b in record.content if (t := coerce.text(b.get("text"))))
    if text and text != _FILLER:
        yield record.entry(NoteEvent(**record.common(0), content=text, kind="error"))

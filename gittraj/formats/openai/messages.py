"""Reads lists of OpenAI chat messages, which many tools keep and exchange.

A list has no session id, no times and no title. Messages of the roles ``system`` and ``developer`` are
configuration and left out. Results are matched to calls by id, in the legacy form by order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, document
from gittraj.formats.base.document import peek
from gittraj.formats.base.edits import editor
from gittraj.formats.base.outcomes import printed_commits
from gittraj.formats.base.position import facts
from gittraj.formats.openai import completion
from gittraj.formats.swe import protocol
from gittraj.model.session_items import Entry, Item, Spent, TurnEnd
from gittraj.model.values import Message, Prompt, Thinking, ToolCall, ToolResult

name = "openai-messages"
agent = "openai-chat"

_ROLES = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
_CONTENTS = frozenset(("content", "tool_calls", "function_call", "refusal", "audio"))


def detect(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a list of chat messages, and not an agent's own list."""
    value = peek(head)
    if not isinstance(value, list) or not is_conversation(value[:-1] or value):
        return False  # the last message was left out: it may be truncated at the end of the head
    return not protocol.is_run(coerce.objects(value))


def is_conversation(value: Any) -> bool:
    """Whether the value is a list of chat messages, each with a known role and a field for content."""
    return isinstance(value, list) and bool(value) and all(map(_is_message, value))


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and coerce.text(value.get("role")) in _ROLES
        and bool(_CONTENTS & value.keys())
    )


@document.reader
def read(value: Any, _session: str | None, end: int) -> Iterator[Item]:
    """Yield the items of a list of messages. The session's id is a hash of their shapes."""
    if messages := coerce.objects(value):
        session = coerce.shape_id(name, completion.opening(messages))
        yield from conversation(messages, session=session, end=end)


def conversation(messages: list[dict[str, Any]], *, session: str, end: int) -> Iterator[Item]:
    """Yield the items of the session ``session``; ``end`` is the byte offset after its record."""
    yield from facts(session=session, messages=len(messages))
    yield from _Reading(end).items(messages)


class _Reading(document.Reading):
    def __init__(self, end: int) -> None:
        super().__init__(end)
        self._pending: deque[str] = deque()

    def items(self, messages: list[dict[str, Any]]) -> Iterator[Item]:
        for number, message in enumerate(messages):
            message_id = f"m{number}"
            stamp = message.get("created_at", message.get("timestamp", message.get("created")))
            common: dict[str, Any] = {"ts": coerce.stamp(stamp)}
            match message.get("role"):
                case "user":
                    text, artifact = completion.text(message.get("content"))
                    event = Prompt(id=f"{message_id}:0", **common, content=text, artifact=artifact)
                    yield self._entry(event)
                case "assistant":
                    yield from self._answer(message_id, message, common)
                case "tool" | "function":
                    yield self._result(message_id, message, common)

    def _answer(self, message_id: str, message: dict[str, Any], common: dict[str, Any]) -> Iterator[Item]:
        model = coerce.text(message.get("model"))
        yield from self._learn(model=model)
        common |= {"model": model, "response": message_id}
        calls = list(completion.calls(message))
        text, artifact = completion.text(message.get("content"))
        transcript = coerce.at(message, "audio", "transcript")
        text = text or coerce.either(message.get("refusal"), transcript) or ""
        ordinal = 0
        if thought := completion.reasoning(message):
            yield self._entry(Thinking(id=f"{message_id}:{ordinal}", **common, content=thought))
            ordinal += 1
        if text or artifact:
            event = Message(id=f"{message_id}:{ordinal}", **common, content=text, artifact=artifact)
            yield self._entry(event)
            ordinal += 1
        for call in calls:
            yield self._call(f"{message_id}:{ordinal}", call, common)
            ordinal += 1
        if isinstance(message.get("usage"), dict) and ordinal:
            yield Spent(response=message_id, usage=completion.usage(message["usage"]))
        if text and not calls:
            yield TurnEnd(end=self._end)

    def _call(self, event_id: str, call: completion.Call, common: dict[str, Any]) -> Entry:
        call_id = call.id or event_id
        self._pending.append(call_id)
        event = ToolCall(id=event_id, **common, name=call.name, arguments=call.arguments, call_id=call_id)
        path = coerce.first(call.arguments, "path")
        edits = editor(call.arguments)
        return self._entry(event, command=call.command, edits=edits, paths=(path,) if path else ())

    def _result(self, message_id: str, message: dict[str, Any], common: dict[str, Any]) -> Entry:
        call_id = coerce.text(message.get("tool_call_id"))
        if call_id is None and self._pending:
            call_id = self._pending[0]
        self._pending = deque(waiting for waiting in self._pending if waiting != call_id)
        text, artifact = completion.text(message.get("content"))
        event = ToolResult(id=f"{message_id}:0", **common, content=text, call_id=call_id, artifact=artifact)
        return self._entry(event, commits=printed_commits(text))

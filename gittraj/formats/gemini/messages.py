"""Converts the messages of a Gemini CLI session to events.

A message is written again when more of it is known (its calls, with their results), so it is held back until
another message comes; parts of it that come even later are still added. A result is in its call's record and
again in a message of the user role: it is reported once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.document import Reading
from gittraj.formats.base.outcomes import Call, Outcome, ruling, tool_result
from gittraj.formats.base.position import Position
from gittraj.formats.gemini import calls, facts, prompts
from gittraj.formats.gemini.prompts import Part, function_call, function_response, parts, text
from gittraj.model.session_items import Entry, Item, Spent
from gittraj.model.values import Foreign, Message, NoteEvent, PeerMessage, Prompt, Thinking, ToolCall

_UPDATE = "message_update"
_NOTES = ("info", "warning", "error")


class Messages(Reading):
    """The messages of one session, in its log's order. ``named`` is the session id from the file's name."""

    def __init__(self, position: Position, named: str | None) -> None:
        super().__init__(0)
        self._position = position
        self._named = named
        self._open: dict[str, Any] = {}  # the last message, merged from its records so far
        self._id = ""
        self.begin_turn()

    def begin_turn(self) -> None:
        """Forget the previous turn: at a mark, the state must be the same as if reading started there."""
        self._reported: set[str] = set()
        self._calls: dict[str, Call] = {}
        self._answered: set[str] = set()

    def opens_turn(self, message: dict[str, Any]) -> bool:
        """Whether this message is a human's prompt that was not reported yet."""
        if message.get("type") != "user" or facts.is_subagent(self._position):
            return False
        known = coerce.text(message.get("id"))
        again = known is not None and (known == self._id or f"{known}:0" in self._reported)
        return not again and prompts.typed(message) is not None

    def take(self, message: dict[str, Any], name: str, end: int) -> Iterator[Item]:
        """Take a message, or more of the last one, from a record that ends at ``end``. ``name`` replaces a
        missing id."""
        named = coerce.text(message.get("id")) or name
        more = {key: value for key, value in message.items() if value not in (None, "", [])}
        if named != self._id:
            yield from self.close()
            self._id = named
            self._open = {"type": "gemini"} if message.get("type") == _UPDATE else {}
        elif "timestamp" in self._open:
            more.pop("timestamp", None)
        if more.get("type") == _UPDATE:
            del more["type"]
        self._open |= more
        self._end = end

    def close(self) -> Iterator[Item]:
        """Yield the rest of the last message's items, as it is complete for now."""
        yield from self.flush(closed=True)
        self._id, self._open = "", {}

    def flush(self, *, closed: bool = False) -> Iterator[Item]:
        """Yield the last message's items so far."""
        if not self._open:
            return
        yield from facts.identify(self._position, self._open, self._named)
        for item in self._items(closed=closed):
            if not isinstance(item, Entry):
                yield item
            elif item.event.id not in self._reported:
                self._reported.add(item.event.id)
                yield item

    def _items(self, *, closed: bool) -> Iterator[Item]:
        kind = self._open.get("type")
        if kind == "user":
            yield from self._user()
        elif kind == "gemini":
            yield from self._gemini(closed=closed)
        elif kind in _NOTES:
            if text := self._text():
                severity = "error" if kind == "error" else "note"
                tags = ("warning",) if kind == "warning" else ()
                yield self._entry(NoteEvent(**self._common("0", *tags), content=text, kind=severity))  # type: ignore[arg-type]
        elif isinstance(kind, str) and (text := self._text()):
            yield self._entry(Foreign(**self._common("0"), content=text, type=kind))

    def _common(self, block: str, *tags: str) -> dict[str, Any]:
        """The fields that every event has; ``block`` is the part of the message that becomes the event."""
        return {
            "id": f"{self._id}:{block}",
            "ts": coerce.stamp(self._open.get("timestamp")),
            "tags": tags,
        }

    def _text(self) -> str:
        return "\n".join(content for part in parts(self._open.get("content")) if (content := text(part)))

    # ------------------------------------------------------------ the user role

    def _user(self) -> Iterator[Item]:
        content = parts(self._open.get("content"))
        if any(function_response(part) for part in content):
            yield from self._responses(content)
        elif summary := prompts.aside(self._open, prompts.SNAPSHOT):
            yield self._entry(NoteEvent(**self._common("0"), content=summary, kind="compaction"))
        elif shell := prompts.aside(self._open, prompts.SHELL):
            yield self._entry(NoteEvent(**self._common("0", "shell"), content=shell, kind="note"))
        elif typed := prompts.typed(self._open):
            common = self._common("0")
            if facts.is_subagent(self._position):
                yield self._entry(PeerMessage(**common, content=typed, direction="received"))
            else:
                yield self._entry(Prompt(**common, content=typed))

    def _responses(self, content: list[Part]) -> Iterator[Item]:
        """Yield the results that were not in the messages of their calls."""
        for ordinal, part in enumerate(content):
            response = function_response(part)
            if response is None:
                continue
            call_id = coerce.text(response.get("id")) or self._unanswered(response.get("name"))
            if call_id is None or call_id not in self._answered:
                known = self._calls.get(call_id or "")
                yield from self._result(str(ordinal), call_id, known, calls.result([part], known))

    def _unanswered(self, tool: Any) -> str | None:
        """The id of the first call of a tool without a result, for a response that names no call."""
        ids = (c for c, call in self._calls.items() if c not in self._answered and call.name == tool)
        return next(ids, None)

    def _result(
        self,
        block: str,
        call_id: str | None,
        call: Call | None,
        result: Outcome,
        ended: Any = None,
    ) -> Iterator[Entry]:
        if call_id is not None:
            self._answered.add(call_id)
        common = self._common(block)
        common["ts"] = coerce.stamp(ended) or common["ts"]
        event = tool_result(result, call_id=call_id, **common)
        yield self._entry(event, **result.known)
        for n, answer in enumerate(calls.decisions(call, result)):
            yield self._entry(ruling(answer, **common | {"id": f"{common['id']}.d{n}"}))

    # ------------------------------------------------------------ the model

    def _gemini(self, *, closed: bool) -> Iterator[Item]:
        model = coerce.text(self._open.get("model"))
        yield from self._position.report("model", model)
        reply: dict[str, Any] = {"model": model, "response": self._id}
        entries = list(self._response(reply))
        yield from entries
        if isinstance(tokens := self._open.get("tokens"), dict):
            has_event = bool(entries) or any(event.startswith(f"{self._id}:") for event in self._reported)
            if closed and not has_event:  # its tokens need an event
                yield self._entry(Message(**self._common("m"), **reply))
            if closed or has_event:
                yield Spent(response=self._id, usage=facts.usage_of_message(tokens))

    def _response(self, reply: dict[str, Any]) -> Iterator[Entry]:
        content = parts(self._open.get("content"))
        thought, spoken = (
            [text(p) or "" for p in content if (p.get("thought") is True) is thinks]
            for thinks in (True, False)
        )
        thoughts = [_thought(t) for t in coerce.objects(self._open.get("thoughts"))] or thought
        blocks = [(f"t{n}", Thinking, each) for n, each in enumerate(thoughts)]
        for block, kind, words in (*blocks, ("m", Message, "\n".join(spoken).strip("\n"))):
            if words.strip() not in prompts.FILLERS:
                yield self._entry(kind(**self._common(block), **reply, content=words))
        yield from self._calling(content, reply)

    def _calling(self, content: list[Part], reply: dict[str, Any]) -> Iterator[Entry]:
        calls = coerce.objects(self._open.get("toolCalls"))
        in_content = filter(None, map(function_call, content))  # another message may have reported these
        calls = calls or [c for c in in_content if coerce.text(c.get("id")) not in self._calls]
        entries = [self._call(n, called, reply) for n, called in enumerate(calls)]
        yield from entries
        for n, (entry, called) in enumerate(zip(entries, calls, strict=True)):
            yield from self._answer(n, entry, called)

    def _call(self, n: int, called: dict[str, Any], reply: dict[str, Any]) -> Entry:
        common = self._common(f"c{n}")
        call_id = coerce.text(called.get("id")) or str(common["id"])
        tool = coerce.text(called.get("name")) or "unknown"
        call = calls.call(tool, called.get("args"), self._position.facts.get("folder"))
        if common["id"] not in self._reported:
            self._calls[call_id] = call
            self._answered.discard(call_id)
        return self._entry(call.event(call_id, **common, **reply), **call.known)

    def _answer(self, n: int, entry: Entry, called: dict[str, Any]) -> Iterator[Entry]:
        """Yield the result that is in the record of its call."""
        call_id = entry.event.call_id if isinstance(entry.event, ToolCall) else None
        answer = calls.responses(called.get("result"), call_id)
        status, display = called.get("status"), called.get("resultDisplay")
        ended = bool(answer or display) or status in calls.FAILED
        if ended and call_id is not None and call_id not in self._answered:
            call = self._calls.get(call_id)
            result = calls.result(answer, call, status=status, display=display)
            yield from self._result(f"r{n}", call_id, call, result, called.get("timestamp"))


def _thought(thought: dict[str, Any]) -> str:
    subject, words = coerce.text(thought.get("subject")), coerce.text(thought.get("description"))
    return " ".join(filter(None, (f"**{subject}**" if subject else None, words)))

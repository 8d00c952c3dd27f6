"""Reads the output of ``gemini --output-format stream-json``: JSON Lines, one run of the program.

The output has less than the session file of the same session, so its events have ids of their own
(``stream.``): if both are known, only the session file's events count. Tokens are reported once, for the
whole run, and are credited to the last response.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.outcomes import Call, ruling, tool_result
from gittraj.formats.base.position import LogReader, read_with
from gittraj.formats.gemini import calls, facts
from gittraj.model.session_items import Cursor, Entry, Item, Spent, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt

name = "gemini-stream-json"
agent = "gemini-cli"

_CUT_FIRST_LINE = re.compile(rb'\{"type":"init","timestamp":"[^"]*","session_id":"')
_STATUS = {"success": "completed", "error": "failed"}


_KEYS = {
    "init": {"session_id", "timestamp"},
    "tool_use": {"tool_name", "tool_id"},
    "tool_result": {"tool_id", "status"},
    "message": {"role", "timestamp", "content"},
}
"""The fields that each kind of record has at least."""


def _is_record(record: dict[str, Any]) -> bool:
    keys = _KEYS.get(coerce.string(record.get("type")))
    return keys is not None and keys <= record.keys() and isinstance(record.get("content", ""), str)


detect = lines.detector(_is_record, cut=_CUT_FIRST_LINE)


@dataclass(slots=True)
class _Speech:
    """A message of the agent that comes in fragments."""

    common: dict[str, Any]
    end: int
    fragments: list[str] = field(default_factory=list)


class _Reader(LogReader):
    trusted = frozenset(("type",))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor)
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Forget the previous turn: at a mark, the state must be the same as if reading started there."""
        self._speech: _Speech | None = None
        self._calls: dict[str, Call] = {}
        self._response: str | None = None
        self._in_response = False

    def _rest(self) -> Iterator[Item]:
        return self._message()

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value, kind = fragment.value, fragment.value.get("type")
        if kind == "message" and value.get("role") == "assistant":
            yield from self._add_text(value, fragment.end)
            return
        yield from self._message()
        match kind:
            case "init":
                yield from self._identify(value, coerce.text(value.get("session_id")))
                yield from self._position.report("model", coerce.text(value.get("model")))
            case "message" if value.get("role") == "user":
                yield from self._prompt(value, fragment)
            case "tool_use":
                yield self._call(value, fragment.end)
            case "tool_result":
                yield from self._result(value, fragment.end)
            case "error":
                severity = "note" if value.get("severity") == "warning" else "error"
                event = NoteEvent(**self._common(value), content=_error_text(value), kind=severity)  # type: ignore[arg-type]
                yield Entry(event=event, end=fragment.end)
            case "result":
                yield from self._end_run(value, fragment.end)

    def _identify(self, value: dict[str, Any], named: str | None = None) -> Iterator[Item]:
        if "session" not in self._position.facts:
            shape = [[coerce.text(value.get(key)) for key in ("type", "timestamp", "model")]]
            yield from self._position.report(
                "session", named or self._file_session or coerce.shape_id(name, shape)
            )
        yield from self._position.report_once("started_at", coerce.stamp(value.get("timestamp")))

    def _common(self, value: dict[str, Any], block: str = "0") -> dict[str, Any]:
        """The fields that every event has; ``block`` is the part of the record that becomes the event."""
        return {"id": f"stream.{self._number}:{block}", "ts": coerce.stamp(value.get("timestamp"))}

    def _reply(self, value: dict[str, Any]) -> dict[str, Any]:
        """The fields of an event by the model; all its events before the next result are one response."""
        if not self._in_response:
            self._response, self._in_response = f"stream.{self._number}", True
        model = self._position.facts.get("model")
        return self._common(value) | {"model": model, "response": self._response}

    def _prompt(self, value: dict[str, Any], fragment: Fragment) -> Iterator[Item]:
        if text := coerce.text(value.get("content")):
            yield from self._mark(fragment, {"record": self._number})
            self._begin_turn()
            yield from self._identify(value)
            yield Entry(event=Prompt(**self._common(value), content=text), end=fragment.end)

    def _add_text(self, value: dict[str, Any], end: int) -> Iterator[Item]:
        if value.get("delta") is not True:
            yield from self._message()
        if self._speech is None:
            yield from self._identify(value)
            self._speech = _Speech(self._reply(value), end)
        self._speech.fragments.append(coerce.string(value.get("content")))
        self._speech.end = end

    def _message(self) -> Iterator[Item]:
        speech, self._speech = self._speech, None
        if speech is not None and (text := "".join(speech.fragments)).strip():
            yield Entry(event=Message(**speech.common, content=text), end=speech.end)

    def _call(self, value: dict[str, Any], end: int) -> Entry:
        common = self._reply(value)
        call_id = coerce.text(value.get("tool_id")) or str(common["id"])
        tool = coerce.text(value.get("tool_name")) or "unknown"
        call = self._calls[call_id] = calls.call(tool, value.get("parameters"), None)
        return Entry(event=call.event(call_id, **common), end=end, **call.known)

    def _result(self, value: dict[str, Any], end: int) -> Iterator[Item]:
        self._in_response = False
        call_id = coerce.text(value.get("tool_id"))
        call = self._calls.get(call_id or "")
        text = coerce.text(value.get("output")) or _error_text(value)
        result = calls.result([{"text": text}], call, status=value.get("status"))
        event = tool_result(result, call_id=call_id, **self._common(value))
        yield Entry(event=event, end=end, **result.known)
        for n, answer in enumerate(calls.decisions(call, result), 1):
            yield Entry(event=ruling(answer, **self._common(value, str(n))), end=end)

    def _end_run(self, value: dict[str, Any], end: int) -> Iterator[Item]:
        stats = value.get("stats")
        if self._response is not None and isinstance(stats, dict):
            for model in coerce.mapping(stats.get("models")):
                yield from self._position.report("model", coerce.text(model))
            yield Spent(response=self._response, usage=facts.usage_of_stream(stats), beside=True)
        if error := _error_text(value):
            yield Entry(event=NoteEvent(**self._common(value), content=error, kind="error"), end=end)
        yield from self._position.report("status", _STATUS.get(str(value.get("status"))))
        yield TurnEnd(end=end)


read = read_with(_Reader)


def _error_text(value: dict[str, Any]) -> str:
    """The text of the error in a record."""
    error = value.get("error")
    return coerce.either(coerce.mapping(error).get("message"), error or value.get("message")) or ""

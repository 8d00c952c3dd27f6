"""Qwen Code's sessions, ``~/.qwen/projects/<folder>/chats/<id>.jsonl``, and its subagents'.

One record per line, ``{uuid, parentUuid, sessionId, timestamp, type, cwd, …}`` as in Claude Code's logs, with
Google's content parts in it as in Gemini CLI's (``ChatRecordingService`` of versions 0.12 to 0.15). Costs and
calls in records of type ``system`` are not read: the other records have them, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.outcomes import Call, ruling, tool_result
from gittraj.formats.base.position import LogReader, Record, read_with
from gittraj.formats.gemini import calls, prompts
from gittraj.formats.gemini.prompts import Part, function_call, function_response, parts, text
from gittraj.model.session_items import Cursor, Entry, Item, Spent
from gittraj.model.values import Message, NoteEvent, PeerMessage, Prompt, Thinking, Usage

name = "qwen-code"
agent = "qwen-code"

_FACTS = {"agent_version": "version", "folder": "cwd", "branch": "gitBranch"}
_SPOKEN = ("user", "assistant", "tool_result")
_TOKENS = ("promptTokenCount", "cachedContentTokenCount", None, "candidatesTokenCount", "thoughtsTokenCount")


def _is_record(record: dict[str, Any]) -> bool:
    if not {"uuid", "sessionId", "type"} <= record.keys():
        return False
    message = coerce.mapping(record.get("message"))
    return "systemPayload" in record or (record["type"] in _SPOKEN and isinstance(message.get("parts"), list))


detect = lines.detector(_is_record)


class _Reader(LogReader):
    trusted = frozenset(("uuid", "type"))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor)
        self._calls: dict[str, Call] = {}

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        content = parts(coerce.at(value, "message", "parts"))
        record_id = coerce.text(value.get("uuid")) or f"at{fragment.start}"
        record = Record(id=record_id, ts=coerce.stamp(value.get("timestamp")), end=fragment.end)
        yield from self._facts(value)
        match value.get("type"):
            case "user":
                yield from self._user(fragment, record, content)
            case "assistant":
                yield from self._assistant(value, record, content)
            case "tool_result":
                yield from self._results(value, record, content)
            case "system":
                yield from self._system(value, record)

    def _facts(self, value: dict[str, Any]) -> Iterator[Item]:
        once = self._position.report_once
        yield from once("session", coerce.text(value.get("sessionId")) or self._file_session)
        yield from once("started_at", coerce.stamp(value.get("timestamp")))
        yield from self._position.report_fields(value, _FACTS)
        if value.get("isSidechain") is True:
            yield from once("subagent", coerce.text(value.get("agentId")))
            yield from once("parent_kind", "subagent")

    def _user(self, fragment: Fragment, record: Record, content: list[Part]) -> Iterator[Item]:
        message = {"content": content}
        typed = prompts.typed(message)
        shown = "\n".join(filter(None, map(text, content)))
        if fragment.value.get("subtype") is not None or prompts.aside(message, prompts.SHELL):
            if shown:  # a task that ended, a command that the user ran
                yield record.entry(NoteEvent(**record.common(), content=shown, kind="note"))
        elif typed and "subagent" in self._position.facts:
            yield record.entry(PeerMessage(**record.common(), content=typed, direction="received"))
        elif typed:
            yield from self._mark(fragment, {})
            self._calls.clear()
            yield record.entry(Prompt(**record.common(), content=typed))

    def _assistant(self, value: dict[str, Any], record: Record, content: list[Part]) -> Iterator[Item]:
        yield from self._position.report("model", coerce.text(value.get("model")))
        reply: dict[str, Any] = {"model": self._position.facts.get("model"), "response": record.id}
        for ordinal, part in enumerate(content):
            common = record.common(ordinal) | reply
            if (called := function_call(part)) is not None:
                yield self._call(record, common, called)
            elif (words := (text(part) or "").strip("\n")).strip():
                kind = Thinking if part.get("thought") is True else Message
                yield record.entry(kind(**common, content=words))
        if isinstance(spent := value.get("usageMetadata"), dict):
            if not content:  # its cost needs an event
                yield record.entry(Message(**record.common(), **reply))
            yield Spent(response=record.id, usage=_usage(spent))

    def _call(self, record: Record, common: dict[str, Any], called: Part) -> Entry:
        call_id = coerce.text(called.get("id")) or str(common["id"])
        tool = coerce.text(called.get("name")) or "unknown"
        call = self._calls[call_id] = calls.call(tool, called.get("args"), self._position.facts.get("folder"))
        return record.entry(call.event(call_id, **common), **call.known)

    def _results(self, value: dict[str, Any], record: Record, content: list[Part]) -> Iterator[Item]:
        about = coerce.mapping(value.get("toolCallResult"))
        for ordinal, part in enumerate(content):
            if (response := function_response(part)) is None:
                continue
            call_id = coerce.either(response.get("id"), about.get("callId"))
            call = self._calls.get(call_id or "")
            display, status = about.get("resultDisplay"), about.get("status")
            result = calls.result([part], call, status=status, display=display)
            event = tool_result(result, call_id=call_id, **record.common(ordinal))
            yield record.entry(event, **result.known)
            for n, answer in enumerate(calls.decisions(call, result)):
                yield record.entry(ruling(answer, **record.common(f"{ordinal}.d{n}")))

    def _system(self, value: dict[str, Any], record: Record) -> Iterator[Item]:
        payload = coerce.mapping(value.get("systemPayload"))
        match value.get("subtype"):
            case "custom_title":
                yield from self._position.report("title", coerce.text(payload.get("customTitle")))
            case "chat_compression":
                event = NoteEvent(**record.common(), content="Conversation compressed", kind="compaction")
                yield record.entry(event)
            case "rewind":
                text = "Rewound: what the human took back stands above"
                yield record.entry(NoteEvent(**record.common(0, "rewound"), content=text, kind="note"))


read = read_with(_Reader)


def _usage(fields: dict[str, Any]) -> Usage:
    """The tokens of a response. The log counts cached tokens among the prompt's. Whether it counts thinking
    among the candidates' depends on the provider; the total shows it."""
    usage = coerce.usage(fields, _TOKENS, cached_in_input=True)
    total, prompt = (coerce.count(fields.get(f"{kind}TokenCount")) for kind in ("total", "prompt"))
    return replace(usage, output_tokens=max(usage.output_tokens, total - prompt))

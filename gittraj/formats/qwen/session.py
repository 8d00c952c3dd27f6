"""Qwen Code's sessions, ``~/.qwen/projects/<folder>/chats/<id>.jsonl``, and its subagents'.

A record a line, ``{uuid, parentUuid, sessionId, timestamp, type, cwd, …}`` as in Claude Code's logs, with
Google's content parts in it as in Gemini CLI's (``ChatRecordingService`` of versions 0.12 to 0.15). What a
``system`` record tells of costs and calls stands in the others too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.formats.base.outcomes import ruling, tool_result
from gittraj.formats.base.position import Position
from gittraj.formats.gemini import calls, decisions, prompts, results
from gittraj.formats.gemini.parts import Part, function_call, function_response, parts, text
from gittraj.model.session_items import Cursor, Damage, Entry, Item, Spent
from gittraj.model.values import Message, NoteEvent, PeerMessage, Prompt, Thinking, ToolCall, Usage

name = "qwen-code"
agent = "qwen-code"

_START = Cursor()
_TRUSTED = frozenset(("uuid", "type"))
_SPOKEN = ("user", "assistant", "tool_result")


def detect(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a session of Qwen Code."""
    return any(_is_record(record) for record in lines.head(head))


def _is_record(record: dict[str, Any]) -> bool:
    if not {"uuid", "sessionId", "type"} <= record.keys():
        return False
    message = coerce.mapping(record.get("message"))
    return "systemPayload" in record or (record["type"] in _SPOKEN and isinstance(message.get("parts"), list))


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START) -> Iterator[Item]:
    """The items of a session. The id is the one in the file; ``session`` replaces a missing one.

    Raises :class:`~gittraj.errors.FormatError` if the log before ``cursor`` is another one.
    """
    return _Reading(stream, session, cursor).items()


class _Reading:
    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        self._lines = Lines(stream, cursor, trusted=_TRUSTED)
        self._position = Position(self._lines, cursor)
        self._name = session
        self._calls: dict[str, calls.Call] = {}

    def items(self) -> Iterator[Item]:
        for fragment in self._lines:
            if isinstance(fragment, Damage):
                yield fragment
            else:
                yield from self._position.count(self._record(fragment))

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        content = parts(coerce.mapping(value.get("message")).get("parts"))
        named = coerce.text(value.get("uuid")) or f"at{fragment.start}"
        common = {"id": f"{named}:0", "ts": coerce.stamp(value.get("timestamp"))}
        yield from self._facts(value)
        match value.get("type"):
            case "user":
                yield from self._user(value, content, common, fragment)
            case "assistant":
                yield from self._assistant(value, content, named, common, fragment.end)
            case "tool_result":
                yield from self._results(value, content, named, common, fragment.end)
            case "system":
                yield from self._system(value, common, fragment.end)

    def _facts(self, value: dict[str, Any]) -> Iterator[Item]:
        report, once = self._position.report, self._position.report_once
        yield from once("session", coerce.text(value.get("sessionId")) or self._name)
        yield from once("started_at", coerce.stamp(value.get("timestamp")))
        yield from report("agent_version", coerce.text(value.get("version")))
        yield from report("folder", coerce.text(value.get("cwd")))
        yield from report("branch", coerce.text(value.get("gitBranch")))
        if value.get("isSidechain") is True:
            yield from once("subagent", coerce.text(value.get("agentId")))
            yield from once("parent_kind", "subagent")

    def _user(
        self, value: dict[str, Any], content: list[Part], common: dict[str, Any], fragment: Fragment
    ) -> Iterator[Item]:
        message = {"content": content}
        typed = prompts.typed(message)
        shown = "\n".join(found for part in content if (found := text(part)))
        if value.get("subtype") is not None or prompts.aside(message, prompts.SHELL):
            if shown:  # a task that ended, a command that the user ran himself
                yield Entry(event=NoteEvent(**common, content=shown, kind="note"), end=fragment.end)
        elif typed and "subagent" in self._position.facts:
            told = PeerMessage(**common, content=typed, direction="received")
            yield Entry(event=told, end=fragment.end)
        elif typed:
            yield from self._position.mark(self._position.cursor(fragment.start, {}))
            self._calls.clear()
            yield Entry(event=Prompt(**common, content=typed), end=fragment.end)

    def _assistant(
        self, value: dict[str, Any], content: list[Part], named: str, common: dict[str, Any], end: int
    ) -> Iterator[Item]:
        yield from self._position.report("model", coerce.text(value.get("model")))
        reply = {**common, "model": self._position.facts.get("model"), "response": named}
        for ordinal, part in enumerate(content):
            event = {**reply, "id": f"{named}:{ordinal}"}
            if (called := function_call(part)) is not None:
                yield self._call(event, called, end)
            elif not (words := (text(part) or "").strip("\n")).strip():
                continue
            elif part.get("thought") is True:
                yield Entry(event=Thinking(**event, content=words), end=end)
            else:
                yield Entry(event=Message(**event, content=words), end=end)
        if isinstance(spent := value.get("usageMetadata"), dict):
            if not content:  # what it cost must stand somewhere
                yield Entry(event=Message(**reply), end=end)
            yield Spent(response=named, usage=_usage(spent))

    def _call(self, common: dict[str, Any], called: Part, end: int) -> Entry:
        call_id = coerce.text(called.get("id")) or str(common["id"])
        tool = coerce.text(called.get("name")) or "unknown"
        call = self._calls[call_id] = calls.call(tool, called.get("args"), self._position.facts.get("folder"))
        event = ToolCall(**common, name=tool, arguments=call.arguments, call_id=call_id)
        return Entry(
            event=event,
            end=end,
            edits=call.edits,
            command=call.command,
            folder=call.folder or self._position.facts.get("folder"),
            paths=call.paths,
        )

    def _results(
        self, value: dict[str, Any], content: list[Part], named: str, common: dict[str, Any], end: int
    ) -> Iterator[Item]:
        told = coerce.mapping(value.get("toolCallResult"))
        for ordinal, part in enumerate(content):
            if (response := function_response(part)) is None:
                continue
            call_id = coerce.text(response.get("id")) or coerce.text(told.get("callId"))
            call = self._calls.get(call_id or "")
            display, status = told.get("resultDisplay"), told.get("status")
            result = results.result([part], call, status=status, display=display)
            fields = {**common, "id": f"{named}:{ordinal}"}
            event = tool_result(result, call_id=call_id, **fields)
            yield Entry(event=event, end=end, edits=result.edits, commits=result.commits)
            for n, found in enumerate(decisions.decisions(call, result)):
                yield Entry(event=ruling(found, **fields | {"id": f"{named}:{ordinal}.d{n}"}), end=end)

    def _system(self, value: dict[str, Any], common: dict[str, Any], end: int) -> Iterator[Item]:
        payload = coerce.mapping(value.get("systemPayload"))
        match value.get("subtype"):
            case "custom_title":
                yield from self._position.report("title", coerce.text(payload.get("customTitle")))
            case "chat_compression":
                event = NoteEvent(**common, content="Conversation compressed", kind="compaction")
                yield Entry(event=event, end=end)
            case "rewind":
                text = "Rewound: what the human took back stands above"
                yield Entry(event=NoteEvent(**common, content=text, kind="note", tags=("rewound",)), end=end)


def _usage(fields: dict[str, Any]) -> Usage:
    """Cached tokens are part of the prompt's. Whether thinking is part of the candidates' depends on the
    provider; the total tells."""
    prompt, cached = (coerce.count(fields.get(f"{key}TokenCount")) for key in ("prompt", "cachedContent"))
    thoughts, total = (coerce.count(fields.get(f"{key}TokenCount")) for key in ("thoughts", "total"))
    return Usage(
        input_tokens=max(0, prompt - cached),
        cache_read_tokens=cached,
        output_tokens=max(coerce.count(fields.get("candidatesTokenCount")), total - prompt),
        reasoning_tokens=thoughts,
    )

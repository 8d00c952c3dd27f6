"""Claude Code's own session files, ``~/.claude/projects/<folder>/<session id>.jsonl``.

The format is not published; this follows files of versions 1.0 to 2.1. A file only grows, holds one
record a line, and spreads one model call over several records of the same ``message.id``. Subagents
have files of the same shape (``agent-<id>.jsonl``); older ones stand between the main file's records
(``isSidechain``). Never reads another file, and never follows a path that a log names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from gittraj.formats import claude_calls, claude_decisions, claude_prompts, claude_results, lines, loose
from gittraj.formats.claude_facts import SessionFacts, is_subagent
from gittraj.formats.lines import Fragment, Lines
from gittraj.formats.place import Place
from gittraj.log import Cursor, Damage, Entry, Item, Spent, TurnEnd
from gittraj.model import (
    AnyEvent,
    Decided,
    Message,
    PeerMessage,
    Prompt,
    Remark,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)

name = "claude-code"
agent = "claude-code"

_START = Cursor()
_TYPES = {
    *("user", "assistant", "system", "progress", "attachment", "queue-operation"),
    *("mode", "permission-mode", "last-prompt", "custom-title", "ai-title", "agent-name"),
}
_CUT_FIRST_LINE = re.compile(rb'\{"(?:parentUuid|isSidechain|sessionId|type|uuid)":[^\n]*"sessionId":"')
_TRUSTED = frozenset(("type", "sessionId"))
_SYNTHETIC = "<synthetic>"
_FILLER = "No response requested."
"""What Claude Code writes where the model had nothing to answer: neither message nor error."""
_CALLS = ("tool_use", "server_tool_use")


def detect(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a session of Claude Code."""
    objects = lines.head(head)
    if objects:
        return any(_is_record(found) for found in objects)
    return _CUT_FIRST_LINE.match(head) is not None


def _is_record(found: dict[str, Any]) -> bool:
    match found.get("type"):
        case "summary":
            return "leafUuid" in found
        case "file-history-snapshot":
            return "snapshot" in found
        case str(kind):
            return kind in _TYPES and "sessionId" in found
        case _:
            return False


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START) -> Iterator[Item]:
    """The items of a session file. ``session`` is the stem of its name, which wins as session id.

    Raises :class:`~gittraj.errors.FormatError` if the log before ``cursor`` is another one.
    """
    return _Reading(stream, session, cursor).items()


class _Reading:
    def __init__(self, stream: BinaryIO, stem: str | None, cursor: Cursor) -> None:
        self._lines = Lines(stream, cursor, trusted=_TRUSTED)
        self._place = Place(self._lines, cursor)
        self._facts = SessionFacts(self._place, stem, dict(cursor.state))
        self._stem = stem
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Forget the turn before: reading on from its end must know no more than reading from the mark.

        A record that was written twice in different turns comes twice, with the same event ids.
        """
        self._seen: set[str] = set()
        self._calls: dict[str, tuple[str, Any]] = {}
        self._starters: dict[str, str] = {}
        self._chains: dict[str, str] = {}

    def items(self) -> Iterator[Item]:
        for found in self._lines:
            if isinstance(found, Damage):
                yield found
            else:
                yield from self._place.count(self._record(found))

    def _record(self, found: Fragment) -> Iterator[Item]:
        value = found.value
        uuid = loose.text(value.get("uuid"))
        if uuid in self._seen:
            return
        content = claude_prompts.blocks(value.get("message"))
        typed = claude_prompts.typed(value, content) if value.get("type") == "user" else None
        subagent = is_subagent(value, self._stem)
        if typed is not None and not subagent:
            yield from self._place.mark(self._place.cursor(found.start, self._facts.state()))
            self._begin_turn()
        yield from self._facts.learn(value, self._seen)
        record = _Record(
            value=value,
            content=content,
            id=uuid or f"at{found.start}",
            ts=loose.stamp(value.get("timestamp")),
            end=found.end,
            subagent=subagent,
            foreign=self._facts.foreign(value),
            parent=self._follow(value, typed) if value.get("isSidechain") is True else None,
        )
        for item in self._items(record, typed):
            if uuid:
                self._seen.add(uuid)
            yield item

    def _follow(self, value: dict[str, Any], typed: str | None) -> str | None:
        """The Task call that this record of a sidechain goes back to, if it is known."""
        parent = loose.text(value.get("parentUuid"))
        call = self._chains.get(parent) if parent else self._starters.get(typed or "")
        if call and (uuid := loose.text(value.get("uuid"))):
            self._chains[uuid] = call
        return call

    def _items(self, record: _Record, typed: str | None) -> Iterator[Item]:
        match record.value.get("type"):
            case "assistant":
                yield from self._assistant(record)
            case "user":
                yield from self._user(record, typed)
            case "system":
                yield from self._system(record)

    def _user(self, record: _Record, typed: str | None) -> Iterator[Item]:
        if typed is not None:
            common = record.common(0)
            if record.subagent:
                yield record.entry(PeerMessage(**common, content=typed, direction="received"))
            else:
                yield record.entry(Prompt(**common, content=typed))
        for ordinal, block in enumerate(record.content):
            if block.get("type") == "tool_result":
                yield from self._result(record, ordinal, block)
        if stopped := claude_prompts.interruption(record.content):
            ordinal, text = stopped
            common = record.common(ordinal, "interrupted")
            yield record.entry(Remark(**common, content=text, kind="note"))
            if not record.subagent:
                yield TurnEnd(end=record.end)

    def _result(self, record: _Record, ordinal: int, block: dict[str, Any]) -> Iterator[Item]:
        call_id = loose.text(block.get("tool_use_id"))
        tool, arguments = self._calls.pop(call_id or "", (None, None))
        detail = record.value.get("toolUseResult")
        result = claude_results.result(block, detail, shell=tool in claude_calls.SHELLS)
        event = ToolResult(
            **record.common(ordinal),
            content=result.text,
            call_id=call_id,
            exit_code=result.exit_code,
            is_error=result.is_error,
            truncated=result.truncated,
            bytes=result.size,
            artifact=result.artifact,
        )
        yield record.entry(event, edits=result.edits, commits=result.commits)
        decided = claude_decisions.decisions(tool, arguments, detail, result)
        for n, decision in enumerate(decided, len(record.content)):
            yield record.entry(Decided(**record.common(n), decision=decision))

    def _assistant(self, record: _Record) -> Iterator[Item]:
        message = loose.mapping(record.value.get("message"))
        model = loose.text(message.get("model"))
        if model == _SYNTHETIC or record.value.get("isApiErrorMessage") is True:
            yield from self._error(record)
            return
        response = loose.text(message.get("id"))
        yield from self._place.learn("model", model)
        for ordinal, block in enumerate(record.content):
            common = record.common(ordinal) | {"model": model, "response": response}
            yield from self._block(record, common, block)
        if response and isinstance(message.get("usage"), dict):
            yield Spent(response=response, usage=_usage(message["usage"]))
        # Every record of a message bears its stop reason, and thinking is never the last one.
        said = record.content and record.content[-1].get("type") == "text"
        if message.get("stop_reason") == "end_turn" and said and not record.subagent:
            yield TurnEnd(end=record.end)

    def _block(self, record: _Record, common: dict[str, Any], block: dict[str, Any]) -> Iterator[Item]:
        kind = block.get("type")
        if kind == "text":
            if (text := loose.text(block.get("text"))) and not text.isspace():
                yield record.entry(Message(**common, content=text))
        elif kind == "thinking":
            yield record.entry(Thinking(**common, content=loose.text(block.get("thinking")) or ""))
        elif kind == "redacted_thinking":
            yield record.entry(Thinking(**common, content="[redacted]"))
        elif kind in _CALLS:
            yield self._call(record, common, block)
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            yield from self._result(record, int(common["id"].rpartition(":")[2]), block)

    def _call(self, record: _Record, common: dict[str, Any], block: dict[str, Any]) -> Entry:
        tool = loose.text(block.get("name")) or "unknown"
        arguments, call_id = block.get("input"), loose.text(block.get("id"))
        if call_id:
            self._calls[call_id] = (tool, arguments)
            if prompt := loose.text(loose.mapping(arguments).get("prompt")):
                self._starters[prompt.strip()] = call_id
        return record.entry(
            ToolCall(**common, name=tool, arguments=arguments, call_id=call_id),
            edits=claude_calls.edits(tool, arguments),
            command=claude_calls.command(tool, arguments),
            folder=loose.text(record.value.get("cwd")),
            paths=claude_calls.paths(arguments),
        )

    def _error(self, record: _Record) -> Iterator[Item]:
        text = "\n".join(t for b in record.content if (t := loose.text(b.get("text"))))
        if text and text != _FILLER:
            yield record.entry(Remark(**record.common(0), content=text, kind="error"))

    def _system(self, record: _Record) -> Iterator[Item]:
        match record.value.get("subtype"):
            case "turn_duration" if not record.subagent:
                yield TurnEnd(end=record.end)
            case "compact_boundary":
                text = loose.text(record.value.get("content")) or "Conversation compacted"
                yield record.entry(Remark(**record.common(0), content=text, kind="compaction"))
            case "api_error":
                yield record.entry(Remark(**record.common(0), content=_failure(record.value), kind="error"))


def _usage(given: dict[str, Any]) -> Usage:
    return Usage(
        input_tokens=loose.count(given.get("input_tokens")),
        cache_read_tokens=loose.count(given.get("cache_read_input_tokens")),
        cache_write_tokens=loose.count(given.get("cache_creation_input_tokens")),
        output_tokens=loose.count(given.get("output_tokens")),
    )


def _failure(value: dict[str, Any]) -> str:
    """What a request failed with; the error stands in the error of the error."""
    error = value.get("error")
    while isinstance(error, dict) and isinstance(error.get("error"), dict):
        error = error["error"]
    given = loose.mapping(error)
    text = error if isinstance(error, str) else given.get("message") or given.get("code") or given.get("type")
    status = loose.mapping(value.get("error")).get("status")
    return " ".join(str(part) for part in ("API error", status, text) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """A record of the log with what every event of it has."""

    value: dict[str, Any]
    content: list[dict[str, Any]]
    id: str
    ts: str | None
    end: int
    subagent: bool
    foreign: str | None
    parent: str | None

    def common(self, ordinal: int, *tags: str) -> dict[str, Any]:
        """The fields of the event that block ``ordinal`` becomes."""
        if self.value.get("isSidechain") is True:
            tags = ("sidechain", *tags)
        return {"id": f"{self.id}:{ordinal}", "ts": self.ts, "tags": tags, "parent": self.parent}

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, session=self.foreign, **known)

"""Reads the messages of a session of A3S Code, and what its runs and traces record about the calls in them.

Content blocks have the form of Anthropic's messages. The tools are A3S Code's own: ``bash``, ``write``,
``edit`` and others.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from gittraj.formats.a3s import records
from gittraj.formats.base import coerce, images
from gittraj.formats.base.outcomes import Call, printed_commits
from gittraj.formats.claude import calls
from gittraj.model.session_items import Entry
from gittraj.model.values import AnyEvent, Message, NoteEvent, Prompt, Thinking, ToolResult

_EDITS = {"write": "Write", "edit": "Edit"}
"""Tools, each with the tool of Claude Code that takes the same arguments."""
_SHELL = "bash"
_STARTERS = ("task", "parallel_task", "Task")
"""Tools that delegate a task to another agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a call ended, from records other than its message."""

    ts: str | None = None
    exit_code: int | None = None
    duration_ms: int | None = None


@dataclass(slots=True)
class CallRecords:
    """When each call began and how it ended, by call id; ``spare`` are the traces that match no call."""

    began: dict[str, str | None] = field(default_factory=dict)
    ended: dict[str, Ending] = field(default_factory=dict)
    spare: list[dict[str, Any]] = field(default_factory=list)

    def add(self, event: dict[str, Any], ts: str | None) -> None:
        """Note the time and the exit code if this event of a run begins or ends a call."""
        call = coerce.text(event.get("id"))
        if call and event.get("type") == "tool_start":
            self.began.setdefault(call, ts)
        elif call and event.get("type") == "tool_end":
            self.ended.setdefault(call, Ending(ts=ts, exit_code=coerce.number(event.get("exit_code"))))

    def add_traces(self, traces: list[dict[str, Any]], answered: list[tuple[str, str]]) -> None:
        """Match traces to calls. A trace names a tool, not a call: if a tool has as many traces as results,
        its traces are matched in order. ``answered`` has the id and the tool of each call with a result."""
        calls_by_tool: dict[str, list[str]] = defaultdict(list)
        for call, tool in answered:
            calls_by_tool[tool].append(call)
        traces_by_tool: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for trace in traces:
            name = coerce.text(trace.get("name")) if trace.get("kind") == "tool_execution" else None
            traces_by_tool[name or ""].append(trace)
        for tool, of_tool in traces_by_tool.items():
            if len(of_tool) != len(calls_by_tool.get(tool, ())):
                self.spare += of_tool
                continue
            for call, trace in zip(calls_by_tool[tool], of_tool, strict=True):
                known = self.ended.get(call, Ending())
                code = coerce.number(trace.get("exit_code"))
                self.ended[call] = replace(
                    known,
                    exit_code=code if known.exit_code is None else known.exit_code,
                    duration_ms=coerce.number(trace.get("duration_ms")),
                )


def answered(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The id and the tool of each call that has a result, in the order of the results."""
    tools: dict[str, str] = {}
    output: list[tuple[str, str]] = []
    for message in messages:
        for block in coerce.objects(message.get("content")):
            call = coerce.first(block, "id", "tool_use_id") or ""
            if block.get("type") == "tool_use":
                tools[call] = coerce.text(block.get("name")) or ""
            elif block.get("type") == "tool_result" and call in tools:
                output.append((call, tools.pop(call)))
    return output


class Messages:
    """Turns messages into entries. ``last`` is the id of the agent's last message so far; ``started`` has the
    texts of calls that delegate a task, and of their results."""

    def __init__(
        self,
        artifacts: list[dict[str, Any]],
        call_records: CallRecords,
        *,
        folder: str | None,
        model: str | None,
    ) -> None:
        self._artifacts = list(artifacts)
        self._call_records = call_records
        self._folder = folder
        self._model = model
        self._starters: set[str] = set()
        self.last: str | None = None
        self.started: list[str] = []

    def entries(self, number: int, message: dict[str, Any]) -> Iterator[Entry]:
        """Yield an entry for the thinking and for each content block of the message at index ``number``."""
        blocks = coerce.objects(message.get("content"))
        message_id = f"m{number}"
        common: dict[str, Any] = {}
        if message.get("role") == "assistant":
            common = {"response": message_id, "model": self._model}
            self.last = message_id
        if thought := coerce.text(message.get("reasoning_content")):
            yield Entry(event=Thinking(id=f"{message_id}:thinking", content=thought, **common), end=number)
        for at, block in enumerate(blocks):
            common["id"] = f"{message_id}:{at}"
            match block.get("type"):
                case "text" | "image":
                    event = self._text_event(message, block, common)
                    if event is not None:
                        yield Entry(event=event, end=number)
                case "tool_use":
                    yield self._call(block, common, number)
                case "tool_result":
                    yield from self._result(block, common["id"], number)

    def unplaced(self) -> Iterator[AnyEvent]:
        """Yield the artifacts and traces that belong to no message."""
        yield from (records.artifact(record) for record in self._artifacts)
        yield from (records.trace(number, record) for number, record in enumerate(self._call_records.spare))

    def _text_event(
        self, message: dict[str, Any], block: dict[str, Any], common: dict[str, Any]
    ) -> AnyEvent | None:
        text, image = images.joined([block])
        if not text:
            return None
        match message.get("role"):
            case "user":
                return Prompt(**common, content=text, artifact=image)
            case "assistant":
                return Message(**common, content=text, artifact=image)
            case _:
                return NoteEvent(**common, content=text, kind="note")

    def _call(self, block: dict[str, Any], common: dict[str, Any], end: int) -> Entry:
        tool = coerce.text(block.get("name")) or "unknown"
        arguments = block.get("input")
        call = coerce.text(block.get("id")) or common["id"]
        if tool in _STARTERS:
            self._starters.add(call)
            self.started.append(json.dumps(arguments, ensure_ascii=False))
        edits, is_shell = calls.edits(_EDITS.get(tool, ""), arguments), tool == _SHELL
        parsed = Call.of(tool, arguments, self._folder, is_shell=is_shell, paths=calls.PATHS, edits=edits)
        event = parsed.event(call, **common, ts=self._call_records.began.get(call))
        return Entry(event=event, end=end, **parsed.known)

    def _result(self, block: dict[str, Any], event_id: str, end: int) -> Iterator[Entry]:
        text, image = images.joined(block.get("content"))
        call = coerce.text(block.get("tool_use_id"))
        known = self._call_records.ended.get(call or "", Ending())
        if call in self._starters:
            self.started.append(text)
        event = ToolResult(
            id=event_id,
            ts=known.ts,
            content=text,
            call_id=call,
            exit_code=known.exit_code,
            duration_ms=known.duration_ms,
            is_error=block.get("is_error") is True,
            artifact=image,
        )
        yield Entry(event=event, end=end, commits=printed_commits(text))
        named = [
            record for record in self._artifacts if (coerce.text(record.get("artifact_uri")) or "\0") in text
        ]
        for record in named:
            self._artifacts.remove(record)
            yield Entry(event=records.artifact(record), end=end)

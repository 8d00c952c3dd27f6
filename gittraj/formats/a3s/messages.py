"""Reads the messages of a session of A3S Code, and what its runs and traces record about the calls in them.

Content blocks are those of Anthropic's messages. The tools are A3S Code's own: ``bash``, ``write``, ``edit``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from gittraj.formats.a3s import beside
from gittraj.formats.base import coerce, images
from gittraj.formats.base.outcomes import Call, printed_commits
from gittraj.formats.claude import calls
from gittraj.model.session_items import Entry
from gittraj.model.values import AnyEvent, Message, NoteEvent, Prompt, Thinking, ToolResult

_EDITS = {"write": "Write", "edit": "Edit"}
"""Tools whose arguments are those of Claude Code's."""
_SHELL = "bash"
_STARTERS = ("task", "parallel_task", "Task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a call ended, from records other than its message."""

    ts: str | None = None
    exit_code: int | None = None
    duration_ms: int | None = None


@dataclass(slots=True)
class Timed:
    """Times and results of calls by their ids. ``spare``: traces that cannot be matched to a call."""

    began: dict[str, str | None] = field(default_factory=dict)
    ended: dict[str, Ended] = field(default_factory=dict)
    spare: list[dict[str, Any]] = field(default_factory=list)

    def report(self, event: dict[str, Any], ts: str | None) -> None:
        call = coerce.text(event.get("id"))
        if call and event.get("type") == "tool_start":
            self.began.setdefault(call, ts)
        elif call and event.get("type") == "tool_end":
            self.ended.setdefault(call, Ended(ts=ts, exit_code=coerce.number(event.get("exit_code"))))

    def learn_traces(self, traces: list[dict[str, Any]], answered: list[tuple[str, str]]) -> None:
        """Match traces to calls. A trace names a tool, not a call: they are matched by order if a tool has as
        many traces as results. ``answered`` are the ids and tools of the calls with a result."""
        asked: dict[str, list[str]] = defaultdict(list)
        for call, tool in answered:
            asked[tool].append(call)
        left: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for trace in traces:
            kind = coerce.text(trace.get("name")) if trace.get("kind") == "tool_execution" else None
            left[kind or ""].append(trace)
        for tool, found in left.items():
            if len(found) != len(asked.get(tool, ())):
                self.spare += found
                continue
            for call, trace in zip(asked[tool], found, strict=True):
                known = self.ended.get(call, Ended())
                code = coerce.number(trace.get("exit_code"))
                self.ended[call] = replace(
                    known,
                    exit_code=code if known.exit_code is None else known.exit_code,
                    duration_ms=coerce.number(trace.get("duration_ms")),
                )


def answered(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The ids and tools of the calls that have a result, in the order of the results."""
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
    """Turns messages into entries. ``last`` is the last answer; ``started``: texts of calls of agents."""

    def __init__(
        self, artifacts: list[dict[str, Any]], timed: Timed, *, folder: str | None, model: str | None
    ) -> None:
        self._artifacts = list(artifacts)
        self._timed = timed
        self._folder = folder
        self._model = model
        self._starters: set[str] = set()
        self.last: str | None = None
        self.started: list[str] = []

    def entries(self, number: int, message: dict[str, Any]) -> Iterator[Entry]:
        blocks = coerce.objects(message.get("content"))
        own = f"m{number}"
        common: dict[str, Any] = {}
        if message.get("role") == "assistant":
            common = {"response": own, "model": self._model}
            self.last = own
        if thought := coerce.text(message.get("reasoning_content")):
            yield Entry(event=Thinking(id=f"{own}:thinking", content=thought, **common), end=number)
        for at, block in enumerate(blocks):
            common["id"] = f"{own}:{at}"
            match block.get("type"):
                case "text" | "image":
                    event = self._said(message, block, common)
                    if event is not None:
                        yield Entry(event=event, end=number)
                case "tool_use":
                    yield self._call(block, common, number)
                case "tool_result":
                    yield from self._result(block, common["id"], number)

    def left(self) -> Iterator[AnyEvent]:
        """Yield the events that belong to no message."""
        yield from (beside.artifact(record) for record in self._artifacts)
        yield from (beside.trace(number, record) for number, record in enumerate(self._timed.spare))

    def _said(
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
        own, shell = calls.edits(_EDITS.get(tool, ""), arguments), tool == _SHELL
        made = Call.of(tool, arguments, self._folder, is_shell=shell, paths=calls.PATHS, edits=own)
        event = made.event(call, **common, ts=self._timed.began.get(call))
        return Entry(event=event, end=end, **made.known)

    def _result(self, block: dict[str, Any], own: str, end: int) -> Iterator[Entry]:
        text, image = images.joined(block.get("content"))
        call = coerce.text(block.get("tool_use_id"))
        known = self._timed.ended.get(call or "", Ended())
        if call in self._starters:
            self.started.append(text)
        event = ToolResult(
            id=own,
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
            yield Entry(event=beside.artifact(record), end=end)

"""Reads the payloads that agents pass to their hooks, one per line, as a recorder wrote them.

The payloads of Claude Code, Codex, Gemini CLI and Cursor have ``hook_event_name`` in common and little else;
names of events and fields show the agent. A session's own log has more and supersedes these events, so all
their ids begin with ``hook.``. Payloads with fragments of the model's stream are not read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from gittraj.formats.agent_hooks import calls
from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.outcomes import Outcome, ruling, tool_result
from gittraj.formats.base.position import LogReader, Record, read_with
from gittraj.formats.claude import prompts
from gittraj.formats.claude.calls import decisions
from gittraj.model.session_items import Cursor, Entry, Fact, Item, TurnEnd
from gittraj.model.values import Message, NoteEvent, PeerMessage, Prompt, Thinking

name = "hook-capture"
agent = "claude-code"
"""The agent of the payloads, unless a fact ``agent`` names another."""

_CUT_FIRST_LINE = re.compile(rb'\{[^\n]*"hook_event_name"\s*:\s*"')
_GEMINI = {"BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "PreCompress"}
_GENERIC = ("preToolUse", "postToolUse", "postToolUseFailure")
_SPECIAL = {
    "beforeShellExecution": "Shell",
    "afterShellExecution": "Shell",
    "beforeMCPExecution": None,
    "afterMCPExecution": None,
    "afterFileEdit": "search_replace",
}
"""Cursor's hooks for single tools, and the tool of each; an older way to report the same calls."""
_FACTS = {"model": "model", "agent_version": "cursor_version", "title": "session_title"}
_RESPONSES = ("tool_response", "tool_output", "result_json", "output", "result")


def _is_payload(record: dict[str, Any]) -> bool:
    return isinstance(record.get("hook_event_name"), str)


detect = lines.detector(_is_payload, cut=_CUT_FIRST_LINE, first=5)


def agent_of(payload: dict[str, Any]) -> str | None:
    """The agent that passed this payload; None if nothing shows it."""
    event = coerce.string(payload.get("hook_event_name"))
    log = coerce.string(payload.get("transcript_path"))
    if event[:1].islower() or "conversation_id" in payload:
        return "cursor"
    if event in _GEMINI or "/.gemini/" in log:
        return "gemini-cli"
    if "turn_id" in payload or log.replace("\\", "/").rpartition("/")[2].startswith("rollout-"):
        return "codex"
    return "claude-code" if log else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Payload(Record):
    agent: str
    event: str
    value: dict[str, Any]
    start: int

    @property
    def subagent(self) -> bool:
        return "agent_id" in self.value


class _Reader(LogReader):
    trusted = frozenset(("hook_event_name",))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor)
        state = cursor.state
        self._open: dict[str, list[str]] = {key: [*ids] for key, ids in dict(state.get("open", {})).items()}
        """The ids of the calls that began and did not end, by :func:`_key`."""
        self._generic: bool = state.get("generic", False)
        """Whether hooks for all tools were seen: then those for single tools repeat the same calls."""
        self._done: set[str] = set()  # ids of this turn's ended calls, not of calls without an id

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        if not _is_payload(value):
            return
        named = coerce.first(value, "session_id", "conversation_id")
        yield from self._position.report_once("session", named or self._file_session)
        foreign = self._position.foreign(named)
        named_agent = agent_of(value)
        if foreign is None and named_agent and named_agent != self._position.facts.get("agent", agent):
            yield from self._position.report("agent", named_agent)
        record = _Payload(
            id=f"hook.{self._number}",
            ts=coerce.stamp(value.get("timestamp")),
            tags=("sidechain",) if "agent_id" in value else (),
            session=foreign,
            agent=named_agent or self._position.facts.get("agent", agent),
            event=value["hook_event_name"],
            value=value,
            start=fragment.start,
            end=fragment.end,
        )
        if foreign is None and not record.subagent:
            yield from self._facts(record)
        yield from self._items(record)

    def _facts(self, record: _Payload) -> Iterator[Fact]:
        value = record.value
        roots = value.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        yield from self._position.report_once("started_at", coerce.stamp(value.get("timestamp")))
        yield from self._position.report("folder", coerce.either(value.get("cwd"), first))
        yield from self._position.report_fields(value, _FACTS)

    def _items(self, record: _Payload) -> Iterator[Item]:
        value = record.value
        self._generic = self._generic or record.event in _GENERIC
        match record.event:
            case "UserPromptSubmit" | "BeforeAgent" | "beforeSubmitPrompt":
                yield from self._prompt(record)
            case "PreToolUse" | "BeforeTool" | "preToolUse":
                yield from self._begin(record)
            case "PostToolUse" | "AfterTool" | "postToolUse":
                yield from self._end(record)
            case "PostToolUseFailure" | "postToolUseFailure":
                error = value.get("error") or value.get("error_message")
                yield from self._end(record, calls.failed(_tool(record), error))
            case event if event in _SPECIAL:
                yield from self._special(record)
            case "Stop" | "AfterAgent" | "stop" | "StopFailure":
                yield from self._stop(record)
            case "SessionEnd" | "sessionEnd" if record.session is None:
                yield from self._position.report("status", "completed")
                yield TurnEnd(end=record.end)
            case _:
                yield from self._text(record)

    def _special(self, record: _Payload) -> Iterator[Item]:
        """Yield the call of a hook for a single tool, unless the hooks for all tools report it."""
        if not self._generic:
            yield from self._begin(record) if record.event.startswith("before") else self._end(record)

    def _text(self, record: _Payload) -> Iterator[Entry]:
        """Yield a message or thinking of the agent, or a note that the context was compacted."""
        value = record.value
        match record.event:
            case "SubagentStop" if text := coerce.text(value.get("last_assistant_message")):
                yield record.entry(Message(**record.common(), content=text))
            case "afterAgentResponse" if text := coerce.text(value.get("text")):
                yield record.entry(Message(**record.common(), content=text))
            case "afterAgentThought" if text := coerce.text(value.get("text")):
                yield record.entry(Thinking(**record.common(), content=text))
            case "PreCompact" | "preCompact":
                text = f"Context compacted ({coerce.text(value.get('trigger')) or 'auto'})"
                yield record.entry(NoteEvent(**record.common(), content=text, kind="compaction"))
            case "PostCompact" if text := coerce.text(value.get("compact_summary")):
                yield record.entry(NoteEvent(**record.common(0, "compaction"), content=text, kind="note"))

    # ------------------------------------------------------------ turns

    def _prompt(self, record: _Payload) -> Iterator[Item]:
        prompt = coerce.text(record.value.get("prompt"))
        text = prompts.typed({}, [{"type": "text", "text": prompt}]) if prompt else None
        if text is None:
            return
        if record.subagent:
            yield record.entry(PeerMessage(**record.common(), content=text, direction="received"))
            return
        self._done.clear()
        state = {"record": self._number, "open": {k: [*v] for k, v in self._open.items()}}
        state["generic"] = self._generic
        yield from self._position.mark(self._position.cursor(record.start, state))
        yield record.entry(Prompt(**record.common(), content=text))

    def _stop(self, record: _Payload) -> Iterator[Item]:
        value = record.value
        answer = coerce.first(value, "last_assistant_message", "prompt_response")
        if answer and answer.strip():
            yield record.entry(Message(**record.common(), content=answer.strip()))
        if value.get("status") == "aborted":
            yield record.entry(NoteEvent(**record.common(1, "interrupted"), content="Aborted", kind="note"))
        elif record.event == "StopFailure" or value.get("status") == "error":
            text = coerce.first(value, "error_details", "error") or "error"
            yield record.entry(NoteEvent(**record.common(1), content=text, kind="error"))
        if not record.subagent:
            yield TurnEnd(end=record.end)

    # ------------------------------------------------------------ calls

    def _begin(self, record: _Payload) -> Iterator[Item]:
        key, tool_use_id = _key(record), coerce.text(record.value.get("tool_use_id"))
        if tool_use_id and (key in self._open or key in self._done):
            return  # a second recorder wrote the same payload
        call_id = tool_use_id or record.id
        self._open.setdefault(key, []).append(call_id)
        yield self._call(record, call_id)

    def _call(self, record: _Payload, call_id: str) -> Entry:
        tool, arguments = _tool(record), _arguments(record)
        folder = coerce.text(record.value.get("cwd")) or self._position.facts.get("folder")
        call = calls.called(record.agent, tool, arguments, folder)
        return record.entry(call.event(call_id, **_fields(record, call_id, "call")), **call.known)

    def _end(self, record: _Payload, failed: Outcome | None = None) -> Iterator[Item]:
        key, tool_use_id = _key(record), coerce.text(record.value.get("tool_use_id"))
        if begun := self._open.pop(key, []):
            call_id, *rest = begun
            self._open |= {key: rest} if rest else {}
        elif key in self._done:
            return
        else:
            call_id = tool_use_id or record.id
            yield self._call(record, call_id)
        if tool_use_id:
            self._done.add(key)
        response = next((record.value[key] for key in _RESPONSES if key in record.value), None)
        yield from self._result(record, call_id, response, failed)

    def _result(
        self, record: _Payload, call_id: str, response: Any, failed: Outcome | None
    ) -> Iterator[Item]:
        tool = _tool(record)
        took = coerce.number(record.value.get("duration_ms", record.value.get("duration")))
        outcome = replace(failed or calls.ended(record.agent, tool, response), duration_ms=took)
        event = tool_result(outcome, call_id=call_id, **_fields(record, call_id, "result"))
        yield record.entry(event, **outcome.known)
        if failed or record.agent not in calls.OTHERS:
            for ordinal, answer in enumerate(decisions(tool, _arguments(record), response, outcome)):
                yield record.entry(ruling(answer, **_fields(record, call_id, f"decided{ordinal}")))


read = read_with(_Reader)


def _tool(record: _Payload) -> str:
    return coerce.text(record.value.get("tool_name")) or _SPECIAL.get(record.event) or "unknown"


def _arguments(record: _Payload) -> Any:
    """The tool's input; in Cursor's hooks for single tools it is among the payload's own fields."""
    value = record.value
    if "tool_input" in value:
        return coerce.parsed(value["tool_input"])
    keys = ("command", "file_path", "edits")
    return {key: value[key] for key in keys if key in value}


def _key(record: _Payload) -> str:
    """The same key for both hooks of a call: its id or, for Gemini CLI, a hash of tool and arguments."""
    if tool_use_id := coerce.text(record.value.get("tool_use_id")):
        return tool_use_id
    call = json.dumps([_tool(record), _arguments(record)], sort_keys=True)
    return hashlib.sha256(call.encode()).hexdigest()


def _fields(record: _Payload, call_id: str, what: str) -> dict[str, Any]:
    prefix = call_id if call_id.startswith("hook.") else f"hook.{call_id}"
    return record.common() | {"id": f"{prefix}:{what}"}

"""Codex's rollout files, ``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl``.

The records are those of github.com/openai/codex, codex-rs/protocol (``RolloutItem``), from 0.2x to
0.169. The same content stands there as the model's view (``response_item``) and as the user
interface's (``event_msg``): events come from the first, the second only tells what a human typed, how
calls ended, and where turns end. ``codex exec --json`` is another format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from gittraj.formats import codex_calls, codex_facts, codex_outputs, codex_prompts, lines, loose
from gittraj.formats.codex_held import Candidate, Held, Verdict
from gittraj.formats.codex_usage import Calls
from gittraj.formats.lines import Fragment, Lines
from gittraj.formats.place import Place
from gittraj.log import Cursor, Damage, Entry, Item, TurnEnd
from gittraj.model import (
    AnyEvent,
    Decided,
    Decision,
    Message,
    PeerMessage,
    Prompt,
    Remark,
    Thinking,
    ToolCall,
    ToolResult,
)

name = "codex-rollout"
agent = "codex"

_START = Cursor()
_TRUSTED = frozenset(("type", "payload"))
_KINDS = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_CUT_FIRST_LINE = re.compile(rb'\{[^\n]*"type"\s*:\s*"session_meta"')

_Step = Item | Candidate | Verdict


def detect(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a rollout."""
    objects = lines.head(head)
    if not objects:  # a first line of base instructions longer than what is seen
        return _CUT_FIRST_LINE.match(head[:4096]) is not None
    return any(_is_record(found) for found in objects) or _is_bare(objects[0])


def _is_record(found: dict[str, Any]) -> bool:
    return found.get("type") in _KINDS and isinstance(found.get("payload"), dict)


def _is_bare(found: dict[str, Any]) -> bool:
    """The first line of the oldest form, whose records have no envelope."""
    return "type" not in found and {"id", "timestamp", "instructions"} <= found.keys()


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START) -> Iterator[Item]:
    """The items of a rollout. The session id is the one in the file; ``session`` stands in for it.

    Raises :class:`~gittraj.errors.FormatError` if the log before ``cursor`` is another one.
    """
    return _Reading(stream, session, cursor).items()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """A record of the log with what every event of it has."""

    number: int
    kind: str
    payload: dict[str, Any]
    stamp: str | None
    start: int
    end: int
    foreign: str | None

    def common(self, ordinal: int = 0, *tags: str) -> dict[str, Any]:
        """The fields of the event that block ``ordinal`` becomes."""
        source = loose.text(self.payload.get("id")) if self.kind == "response_item" else None
        return {"id": f"{source or f'n{self.number}'}:{ordinal}", "ts": self.stamp, "tags": tags}

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, session=self.foreign, **known)


class _Reading:
    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        state = cursor.state
        self._lines = Lines(stream, cursor, trusted=_TRUSTED)
        self._place = Place(self._lines, cursor)
        self._held = Held(self._place, state.get("confirms"))
        self._calls = Calls(dict(state.get("calls", {})))
        self._number: int = state.get("record", 0)
        self._history = codex_facts.CopiedHistory(self._place, dict(state.get("history", {})))
        self._name = session
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Forget the turn before: reading on from its end must know no more than reading from the mark."""
        self._calls.end_turn()
        self._tools: dict[str, str] = {}
        self._outcomes: dict[str, codex_outputs.Outcome] = {}
        self._echo: str | None = None

    def items(self) -> Iterator[Item]:
        for found in self._lines:
            if isinstance(found, Damage):
                yield from self._held.take(found)
                continue
            for step in self._read(found):
                yield from self._held.take(step)
        yield from self._held.end()

    # ------------------------------------------------------------ records

    def _read(self, found: Fragment) -> Iterator[_Step]:
        kind, payload = _opened(found.value)
        stamp = loose.stamp(found.value.get("timestamp"))
        self._history.follow(kind, payload, stamp)
        record = _Record(
            number=self._number,
            kind=kind,
            payload=payload,
            stamp=stamp,
            start=found.start,
            end=found.end,
            foreign=self._history.owner,
        )
        yield from self._steps(record)
        self._number = record.number + 1

    def _steps(self, record: _Record) -> Iterator[_Step]:
        payload = record.payload
        match record.kind:
            case "response_item":
                yield from self._item(record)
            case "event_msg":
                yield from self._event(record)
            case "session_meta" if "session" not in self._place.facts:
                yield from codex_facts.identify(self._place, {"id": self._name} | payload)
            case "turn_context":
                yield from self._place.learn("folder", loose.text(payload.get("cwd")))
                yield from self._place.learn("model", loose.text(payload.get("model")))
            case "token_usage_record":
                yield from self._calls.cost(record.number, payload, copied=record.foreign is not None)
            case "compacted":
                self._calls.close()
                text = loose.text(payload.get("message")) or "Context compacted"
                yield record.entry(Remark(**record.common(), content=text, kind="compaction"))

    # ------------------------------------------------------------ the model's view

    def _item(self, record: _Record) -> Iterator[_Step]:
        payload = record.payload
        kind = loose.text(payload.get("type")) or ("message" if "role" in payload else "")
        if kind == "message" and payload.get("role") == "user":
            yield from self._user(record)
        elif kind == "message" and payload.get("role") == "assistant":
            yield Verdict()
            for ordinal, text in enumerate(codex_prompts.content(payload.get("content"))):
                yield record.entry(Message(**self._said(record, ordinal), content=text))
        elif kind == "reasoning":
            yield Verdict()
            if text := _reasoning(payload):
                yield record.entry(Thinking(**self._said(record), content=text))
        elif kind.endswith("_call"):
            yield Verdict()
            yield self._call(record)
        elif kind.endswith("_output"):
            yield from self._output(record)

    def _said(self, record: _Record, ordinal: int = 0) -> dict[str, Any]:
        response = self._calls.label(record.number)
        return record.common(ordinal) | {"model": self._place.facts.get("model"), "response": response}

    def _user(self, record: _Record) -> Iterator[_Step]:
        self._calls.close()
        text = codex_prompts.typed(codex_prompts.content(record.payload.get("content")))
        if text is None or text == self._echo:
            return
        yield self._candidate(record, text)

    def _candidate(self, record: _Record, text: str) -> Candidate:
        state = {
            "record": record.number,
            "confirms": self._held.confirms,
            "calls": self._calls.state(),
            "history": self._history.state(),
        }
        self._begin_turn()
        event: AnyEvent
        if codex_facts.is_subagent(self._place):
            event = PeerMessage(**record.common(), content=text, direction="received")
        else:
            event = Prompt(**record.common(), content=text)
        return Candidate(record.entry(event), self._place.cursor(record.start, state))

    def _call(self, record: _Record) -> Entry:
        payload = record.payload
        call = codex_calls.call(payload, self._place.facts.get("folder"))
        call_id = loose.text(payload.get("call_id")) or loose.text(payload.get("id"))
        if call_id:
            self._tools[call_id] = call.name
        event = ToolCall(**self._said(record), name=call.name, arguments=call.arguments, call_id=call_id)
        return record.entry(
            event, edits=call.edits, command=call.command, folder=call.folder, paths=call.paths
        )

    def _output(self, record: _Record) -> Iterator[_Step]:
        self._calls.close()
        call_id = loose.text(record.payload.get("call_id")) or ""
        tool = self._tools.pop(call_id, None)
        given = record.payload.get("output")
        output = codex_outputs.output(given, self._outcomes.pop(call_id, None))
        event = ToolResult(
            **record.common(),
            content=output.text,
            call_id=call_id or None,
            exit_code=output.exit_code,
            is_error=output.is_error,
            truncated=output.truncated,
            artifact=output.artifact,
        )
        yield record.entry(event, commits=output.commits)
        if output.declined:
            decision = Decision(chosen=f"declined {tool or 'a tool call'}", by="human")
            yield record.entry(Decided(**record.common(1), decision=decision))

    # ------------------------------------------------------------ the user interface's view

    def _event(self, record: _Record) -> Iterator[_Step]:
        payload = record.payload
        match payload.get("type"):
            case "user_message" if payload.get("kind") in (None, "plain"):
                yield from self._typed(record, loose.text(payload.get("message")))
            case "item_completed":
                yield from self._completed(record, loose.mapping(payload.get("item")))
            case "agent_reasoning" | "agent_message":
                self._calls.label(record.number, item=False)
            case "token_count":
                yield from self._calls.count(record.number, payload, copied=record.foreign is not None)
            case "exec_command_end" | "patch_apply_end":
                self._outcomes[str(payload.get("call_id"))] = codex_outputs.outcome(payload)
            case "task_complete" | "turn_complete" | "turn_aborted" as kind:
                yield Verdict()
                if kind == "turn_aborted":
                    text = f"Turn aborted: {loose.text(payload.get('reason')) or 'no reason given'}"
                    common = record.common(0, "interrupted")
                    yield record.entry(Remark(**common, content=text, kind="note"))
                self._calls.end_turn()
                yield TurnEnd(end=record.end)
            case "error" | "stream_error":
                text = loose.text(payload.get("message")) or "error"
                yield record.entry(Remark(**record.common(), content=text, kind="error"))
            case "thread_rolled_back":
                text = f"{loose.count(payload.get('num_turns'))} turns rolled back"
                yield record.entry(Remark(**record.common(), content=text, kind="note"))

    def _completed(self, record: _Record, item: dict[str, Any]) -> Iterator[_Step]:
        if item.get("type") == "UserMessage":
            yield from self._typed(record, "\n".join(codex_prompts.content(item.get("content"))))
        elif "status" in item:
            self._outcomes[str(item.get("id"))] = codex_outputs.outcome(item)

    def _typed(self, record: _Record, text: str | None) -> Iterator[_Step]:
        typed = codex_prompts.unwrapped(text or "")
        if not self._held.candidates:
            yield self._candidate(record, typed)
            self._echo = typed
        yield Verdict(typed)


def _opened(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind and payload of a record; the oldest form has no envelope."""
    if "payload" in value:
        return loose.text(value.get("type")) or "", loose.mapping(value["payload"])
    if _is_bare(value):
        return "session_meta", value
    return ("response_item" if "type" in value else ""), value


def _reasoning(payload: dict[str, Any]) -> str:
    for key in ("summary", "content"):
        if texts := codex_prompts.content(payload.get(key)):
            return "\n\n".join(texts)
    return ""

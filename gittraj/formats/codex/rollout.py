"""Codex's rollout files, ``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl``.

The records are those of github.com/openai/codex, codex-rs/protocol (``RolloutItem``), from version 0.2x to
0.169. They have the same content twice, as the model saw it (``response_item``) and for the user interface
(``event_msg``): events are read from the former; the latter only shows what a human typed, how calls ended,
and where turns end. ``codex exec --json`` is another format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Literal

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.outcomes import Call, Refusal, ruling, tool_result
from gittraj.formats.base.position import LogReader, read_with
from gittraj.formats.codex import calls, outputs, prompts, records
from gittraj.formats.codex.prompts import Candidate, Held, Verdict
from gittraj.formats.codex.records import Record, is_bare, opened, remarks
from gittraj.formats.codex.usage import Calls
from gittraj.model.session_items import Cursor, Damage, Entry, Item, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Artifact,
    Decision,
    Message,
    NoteEvent,
    PeerMessage,
    Prompt,
    Thinking,
)

name = "codex-rollout"
agent = "codex"

_KINDS = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_CUT_FIRST_LINE = re.compile(rb'\{[^\n]*"type"\s*:\s*"session_meta"')

_SETTINGS = {"folder": "cwd", "model": "model"}

_Step = Item | Candidate | Verdict


def detect(head: bytes) -> bool:
    objects = lines.head(head)
    if not objects:  # the first line has base instructions and is longer than the head
        return _CUT_FIRST_LINE.match(head[:4096]) is not None
    return any(_is_record(record) for record in objects) or is_bare(objects[0])


def _is_record(record: dict[str, Any]) -> bool:
    return coerce.text(record.get("type")) in _KINDS and isinstance(record.get("payload"), dict)


class _Reader(LogReader):
    trusted = frozenset(("type", "payload"))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        state = cursor.state
        self._skim = records.RolloutSkim()
        super().__init__(stream, session, cursor, skim=self._skim)
        self._held = Held(self._position, state.get("confirms"))
        self._calls = Calls(dict(state.get("calls", {})))
        self._history = records.CopiedHistory(self._position, dict(state.get("history", {})))
        self._path: str = state.get("path", "/root")  # by which other agents address this one
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Forget the previous turn: at a mark, the state must be the same as if reading started there."""
        self._calls.end_turn()
        self._tools: dict[str, Call] = {}
        self._endings: dict[str, outputs.Ending] = {}
        self._echo: str | None = None  # a typed text that was yielded before its message

    def items(self) -> Iterator[Item]:
        held, position = self._held, self._position
        for fragment in self._lines:
            if isinstance(fragment, Damage):
                yield from held.take(fragment)
                continue
            for step in self._read(fragment):
                if held.waiting or isinstance(step, Candidate | Verdict):
                    yield from held.take(step)
                else:  # as take() does, inlined for the most frequent case
                    position.ordinal += isinstance(step, Entry)
                    yield step
        yield from held.end()

    # ------------------------------------------------------------ records

    def _read(self, fragment: Fragment) -> Iterable[_Step]:
        number, value = self._number, fragment.value
        self._number = number + 1
        if value is records.NOTHING:
            return ()
        if value is records.CALL_RUNS:
            self._calls.label(number, item=False)
            return ()
        kind, payload = opened(value)
        if payload is value:  # a log of the oldest form never marks what was typed
            self._held.confirms = False
        time = value.get("timestamp")
        self._history.follow(kind, payload, time)
        owner = self._history.owner
        record = Record(number, kind, payload, time, fragment.start, fragment.end, owner)
        self._skim.decode_all = owner is not None or "session" not in self._position.facts
        return self._steps(record)

    def _steps(self, record: Record) -> Iterable[_Step]:
        if "session" not in self._position.facts and record.kind != "session_meta":
            return self._nameless(record)
        match record.kind:
            case "response_item":
                return self._item(record)
            case "event_msg":
                return self._event(record)
            case "token_usage_record":
                return self._calls.usage_record(
                    record.number, record.payload, copied=record.owner is not None
                )
            case "turn_context":
                return self._position.report_fields(record.payload, _SETTINGS)
            case "session_meta" if "session" not in self._position.facts:
                return self._identify(record.payload)
            case "inter_agent_communication":
                return self._peer(record, coerce.text(record.payload.get("content")))
            case "compacted":
                return (self._compacted(record),)
        return ()

    def _compacted(self, record: Record) -> Entry:
        self._calls.close()
        text = coerce.text(record.payload.get("message")) or "Context compacted"
        return record.entry(NoteEvent(**record.common(), content=text, kind="compaction"))

    def _nameless(self, record: Record) -> Iterator[_Step]:
        """Yield an id and the items of the first record of a log that lost its beginning."""
        shape = (record.kind, coerce.text(record.payload.get("type")), coerce.stamp(record.time))
        yield from self._position.report("session", self._file_session or coerce.shape_id(name, [shape]))
        yield from self._steps(record)

    def _identify(self, meta: dict[str, Any]) -> Iterator[_Step]:
        self._path = records.agent_path(meta)
        yield from records.identify(self._position, {"id": self._file_session} | meta)

    # ------------------------------------------------------------ the model's view

    def _item(self, record: Record) -> Iterable[_Step]:
        payload = record.payload
        kind = coerce.text(payload.get("type")) or ("message" if "role" in payload else "")
        if kind.endswith("_output"):
            return self._output(record)
        if kind == "agent_message":
            return self._peer(record, "\n".join(prompts.content(payload.get("content"))))
        if kind == "message" and payload.get("role") == "user":
            return self._user(record)
        entries = self._by_model(record, kind)
        if entries is None:
            return ()
        return (Verdict(), *entries) if self._held.waiting else entries

    def _by_model(self, record: Record, kind: str) -> list[Entry] | None:
        """The entries of an item that the model wrote; None if it did not."""
        if kind == "message" and record.payload.get("role") == "assistant":
            texts = enumerate(prompts.content(record.payload.get("content")))
            return [record.entry(Message(**self._reply(record, n), content=text)) for n, text in texts]
        if kind == "reasoning":
            text = _reasoning(record.payload)
            return [record.entry(Thinking(**self._reply(record), content=text))] if text else []
        return [self._call(record)] if kind.endswith("_call") else None

    def _reply(self, record: Record, ordinal: int = 0) -> dict[str, Any]:
        common = record.common(ordinal)
        common["model"] = self._position.facts.get("model")
        common["response"] = self._calls.label(record.number)
        return common

    def _user(self, record: Record) -> Iterator[_Step]:
        self._calls.close()
        texts, image = prompts.parts(record.payload.get("content"))
        text = prompts.typed(texts)
        if text is not None and text != self._echo:
            yield self._candidate(record, text, image)

    def _candidate(self, record: Record, text: str, image: Artifact | None = None) -> Candidate:
        state = {
            "record": record.number,
            "confirms": self._held.confirms,
            "calls": self._calls.state(),
            "history": self._history.state(),
            "path": self._path,
        }
        self._begin_turn()
        common = record.common() | {"content": text, "artifact": image}
        subagent = records.is_subagent(self._position)
        event: AnyEvent = PeerMessage(**common, direction="received") if subagent else Prompt(**common)
        return Candidate(record.entry(event), self._position.cursor(record.start, state))

    def _call(self, record: Record) -> Entry:
        payload = record.payload
        call = calls.call(payload, self._position.facts.get("folder"))
        call_id = coerce.first(payload, "call_id", "id")
        if call_id:
            self._tools[call_id] = call
        return record.entry(call.event(call_id, **self._reply(record)), **call.known)

    def _output(self, record: Record) -> list[Entry]:
        self._calls.close()
        call_id = coerce.string(record.payload.get("call_id"))
        call = self._tools.pop(call_id, None)
        ended = self._endings.pop(call_id, outputs.UNKNOWN)
        output = outputs.output(record.payload.get("output"), ended)
        event = tool_result(output, call_id=call_id or None, **record.common())
        answers: Iterable[Decision | Refusal] = ()
        if output.declined:
            answers = (Refusal(call.name, call.arguments) if call else Refusal(None),)
        elif call and call.name == outputs.ASKING:
            answers = outputs.answered(call.arguments, output.text)
        events = [ruling(answer, **record.common(n)) for n, answer in enumerate(answers, 1)]
        return [record.entry(event, **output.known), *map(record.entry, events)]

    def _peer(self, record: Record, text: str | None) -> Iterator[_Step]:
        if text:
            sent = record.payload.get("author") == self._path
            common = record.common() | {"content": text, "agent": coerce.text(record.payload.get("author"))}
            recipient = coerce.text(record.payload.get("recipient"))
            direction: Literal["sent", "received"] = "sent" if sent else "received"
            yield record.entry(PeerMessage(**common, direction=direction, recipient=recipient))

    # ------------------------------------------------------------ the user interface's view

    def _event(self, record: Record) -> Iterable[_Step]:
        payload = record.payload
        match payload.get("type"):
            case "token_count":
                return self._calls.count(record.number, payload, copied=record.owner is not None)
            case "agent_reasoning" | "agent_message":
                self._calls.label(record.number, item=False)
            case "user_message" if payload.get("kind") in (None, "plain"):
                return self._typed(record, coerce.text(payload.get("message")))
            case "item_completed":
                return self._completed(record, coerce.mapping(payload.get("item")))
            case "exec_command_end" | "patch_apply_end":
                self._endings[str(payload.get("call_id"))] = outputs.ending(payload)
            case "task_started" | "turn_started":
                return self._position.report("turns", "told")
            case "task_complete" | "turn_complete" | "turn_aborted" as kind:
                return self._end_turn(record, aborted=kind == "turn_aborted")
            case _:
                return remarks(record)
        return ()

    def _end_turn(self, record: Record, *, aborted: bool) -> Iterator[_Step]:
        yield Verdict()
        if aborted:
            text = f"Turn aborted: {coerce.text(record.payload.get('reason')) or 'no reason given'}"
            common = record.common(0, "interrupted") | {"response": self._calls.unclaimed}
            yield record.entry(NoteEvent(**common, content=text, kind="note"))
        self._calls.end_turn()
        yield TurnEnd(end=record.end)
        if record.owner is None:
            yield from self._position.report("status", "abandoned" if aborted else "completed")

    def _completed(self, record: Record, item: dict[str, Any]) -> Iterator[_Step]:
        if item.get("type") == "UserMessage":
            yield from self._typed(record, "\n".join(prompts.content(item.get("content"))))
        elif "status" in item:
            self._endings[str(item.get("id"))] = outputs.ending(item)

    def _typed(self, record: Record, text: str | None) -> Iterator[_Step]:
        typed = prompts.unwrapped(text or "")
        if not self._held.candidates:
            yield self._candidate(record, typed)
            self._echo = typed
        yield Verdict(typed)


read = read_with(_Reader)


def _reasoning(payload: dict[str, Any]) -> str:
    for key in ("summary", "content"):
        if texts := prompts.content(payload.get(key)):
            return "\n\n".join(texts)
    return ""

"""Claude Code's output, ``claude -p --output-format stream-json``.

Its records have the same uuids and message ids as those of the session file (seen with version 2.1.197,
subagents and replayed prompts included), so its events have the same ids: a session that is read from both is
stored once. The file has more: the prompt (in the output only with ``--replay-user-messages``), the times of
the model's messages, the folder and branch, and the tokens of each call. Only the output has the session's
cost and how it ended. One session is read; records of another session in the same file keep its id.

A record has the usage with which its message began, when the answer hardly existed. The ``result`` has the
sum; no record shows to which call the difference belongs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.position import LogReader, read_with
from gittraj.formats.claude import calls, prompts
from gittraj.formats.claude.conversation import Conversation, Record, usage
from gittraj.model.session_items import Cursor, Fact, Item, Spent, TurnEnd
from gittraj.model.values import NoteEvent, Usage

name = "claude-stream-json"
agent = "claude-code"

_CUT_FIRST_LINE = re.compile(rb'\{"type":"system","subtype":"init"')


def detect(head: bytes) -> bool:
    return any(map(_is_record, lines.head(head))) or _CUT_FIRST_LINE.match(head) is not None


def _is_record(record: dict[str, Any]) -> bool:
    if "session_id" not in record:
        return False
    match record.get("type"):
        case "system":
            return record.get("subtype") == "init" and "model" in record
        case "user" | "assistant":
            return "message" in record and "parent_tool_use_id" in record
        case "result":
            return "subtype" in record and "total_cost_usd" in record
        case _:
            return False


class _Reader(LogReader):
    trusted = frozenset(("type", "session_id"))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor)
        self._tally = Tally(cursor.state.get("tally", {}))
        self._conversation = Conversation(self._position)
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Forget the previous turn: at a mark, the state must be the same as if reading started there."""
        self._seen: set[str] = set()
        self._streamed: dict[str | None, tuple[str, dict[str, Any]]] = {}
        self._conversation.forget()

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        uuid = coerce.text(value.get("uuid"))
        if uuid in self._seen:
            return
        starter = coerce.text(value.get("parent_tool_use_id"))
        content = prompts.blocks(value.get("message"))
        typed = prompts.typed(value, content) if value.get("type") == "user" else None
        if typed is not None and starter is None:
            yield from self._mark(fragment, {"tally": self._tally.state()})
            self._begin_turn()
        yield from self._report_session(value)
        yield from self._position.report_once("tag", "stream-json")
        record = Record(
            value=value,
            content=content,
            id=uuid or f"at{fragment.start}",
            ts=coerce.stamp(value.get("timestamp")),
            end=fragment.end,
            folder=self._position.facts.get("folder"),
            detail=value.get("tool_use_result"),
            tags=() if starter is None else ("sidechain",),
            subagent=starter is not None,
            session=self._position.foreign(coerce.text(value.get("session_id"))),
            parent=self._conversation.event_of(starter),
        )
        if not record.session:
            yield from self._position.report_once("started_at", record.ts)
        for item in self._items(record, typed):
            if uuid:
                self._seen.add(uuid)
            yield item

    def _report_session(self, value: dict[str, Any]) -> Iterator[Fact]:
        """Yield the record's session; if a message or a result names none, the one in the file's name."""
        named = coerce.text(value.get("session_id"))
        is_reply = value.get("type") in ("user", "assistant", "result")
        yield from self._position.report_once("session", named or (self._file_session if is_reply else None))

    def _items(self, record: Record, typed: str | None) -> Iterator[Item]:
        match record.value.get("type"):
            case "assistant":
                for item in self._conversation.assistant(record):
                    yield self._counted(item, record)
            case "user":
                yield from self._conversation.user(record, typed)
            case "system":
                yield from self._system(record)
            case "stream_event":
                for spent in self._partial(record.value):
                    yield self._counted(spent, record)
            case "result":
                yield from self._result(record)

    def _counted(self, item: Item, record: Record) -> Item:
        if isinstance(item, Spent) and not record.sidechain:
            self._tally.count(item)
        return item

    def _system(self, record: Record) -> Iterator[Item]:
        value = record.value
        match value.get("subtype"):
            case "init" if not record.session:
                fields = {"agent_version": "claude_code_version", "folder": "cwd"}
                yield from self._position.report_fields(value, fields)
                # The requested model, like opus[1m]; the messages have its name without the suffix.
                model = coerce.string(value.get("model")).partition("[")[0]
                yield from self._position.report("model", model)
            case "compact_boundary":
                text = coerce.text(value.get("content")) or "Conversation compacted"
                yield record.entry(NoteEvent(**record.common(0), content=text, kind="compaction"))

    def _partial(self, value: dict[str, Any]) -> Iterator[Spent]:
        """Yield the usage of an answer that is reported step by step: the last step has it."""
        event = coerce.mapping(value.get("event"))
        starter = coerce.text(value.get("parent_tool_use_id"))
        if event.get("type") == "message_start":
            message = coerce.mapping(event.get("message"))
            if response := coerce.text(message.get("id")):
                self._streamed[starter] = (response, coerce.mapping(message.get("usage")))
        elif event.get("type") == "message_delta" and (begun := self._streamed.pop(starter, None)):
            counts = {k: v for k, v in coerce.mapping(event.get("usage")).items() if v is not None}
            yield Spent(response=begun[0], usage=usage(begun[1] | counts), beside=True)

    def _result(self, record: Record) -> Iterator[Item]:
        value = record.value
        subtype = coerce.text(value.get("subtype")) or "success"
        failed = value.get("is_error") is True or subtype.startswith("error")
        for n, denied in enumerate(coerce.objects(value.get("permission_denials")), 1):
            parent = self._conversation.event_of(coerce.text(denied.get("tool_use_id")))
            common = record.common(n, "denied") | {"parent": parent}
            yield record.entry(NoteEvent(**common, content=_denial(denied), kind="error"))
        errors = "\n".join(filter(None, coerce.texts(value.get("errors"))))
        why = coerce.either(errors, value.get("result")) or subtype
        if subtype != "success":  # otherwise an earlier record has the same text
            yield record.entry(NoteEvent(**record.common(0), content=why, kind="error"))
        if settled := self._tally.settle(usage(value.get("usage"))):
            yield settled
        if not record.session:
            yield from self._outcome(value, subtype, why if failed else None)
        yield TurnEnd(end=record.end)

    def _outcome(self, value: dict[str, Any], subtype: str, error: str | None) -> Iterator[Fact]:
        cost = coerce.cost(value.get("total_cost_usd"))  # of the whole run so far, not of this turn
        if cost is not None:
            yield Fact(name="cost_usd", value=cost)
        yield from self._position.report("status", "failed" if error else "completed")
        # A request that the service refused ends with the subtype success.
        yield from self._position.report(
            "exit_status", "error" if error and subtype == "success" else subtype
        )
        yield from self._position.report("exit_error", error)


read = read_with(_Reader)


def _denial(denied: dict[str, Any]) -> str:
    tool, arguments = coerce.text(denied.get("tool_name")) or "a tool", denied.get("tool_input")
    call = calls.call(tool, arguments, None)
    what = call.command or " ".join(call.paths)
    return f"permission denied: {tool} {what}".strip()


# ---------------------------------------------------------------- the calls' tokens


class Tally:
    """Adds up the tokens of the calls since the last result. ``state``: what :meth:`state` returned."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._restore(state)

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._before = Usage(**state.get("before", {}))
        self._last = Usage(**state.get("last", {}))
        self._response: str | None = state.get("response")

    def state(self) -> dict[str, Any]:
        return {"before": asdict(self._before), "last": asdict(self._last), "response": self._response}

    def count(self, spent: Spent) -> None:
        if spent.response != self._response:
            self._before += self._last
        self._response, self._last = spent.response, spent.usage

    def settle(self, total: Usage) -> Spent | None:
        """The last call, credited with the output tokens by which ``total`` exceeds the sum of the calls.

        None unless their input tokens add up, which shows that ``total`` counts just these calls: some
        versions continue to count from the previous turn.
        """
        response, last, known = self._response, self._last, self._before + self._last
        self._restore({})
        more = total.output_tokens - known.output_tokens
        if response is None or more <= 0 or replace(known, output_tokens=total.output_tokens) != total:
            return None
        return Spent(
            response=response, usage=replace(last, output_tokens=last.output_tokens + more), beside=True
        )

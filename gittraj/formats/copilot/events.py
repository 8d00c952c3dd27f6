"""Copilot's event stream: ``~/.copilot/session-state/<id>/events.jsonl``, and the transcripts of VS Code.

One record per line, ``{type, data, id, timestamp, parentId}``. A call is in the message that requests it and
in a record of its start; VS Code only reports whether it succeeded. The format is not published; this reader
follows files of versions 0.0.3xx to 1.0.

Tokens are reported after each model call, or as a total when the program ends, never both. ``inputTokens``
includes cached ones. ``cost`` counts premium requests, not dollars, and so is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, images, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.position import LogReader, read_with
from gittraj.formats.copilot import calls
from gittraj.formats.copilot.calls import Record
from gittraj.model.session_items import Cursor, Item, Spent, TurnEnd
from gittraj.model.values import Artifact, Message, NoteEvent, PeerMessage, Prompt, Thinking, Usage

_TOKENS = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens")
_STARTED = {"agent_version": "copilotVersion", "entrypoint": "producer", "model": "selectedModel"}


class Calls:
    """The model calls since the last human prompt, by the ids of their messages.

    ``state`` is what :meth:`state` returned earlier: whether the program reports the tokens of each call.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self._reported = state.get("told") is True
        self.begin_turn()

    def state(self) -> dict[str, Any]:
        return {"told": self._reported}

    def begin_turn(self) -> None:
        self._last: str | None = None
        self._by_model: dict[str | None, str] = {}
        self._spent: dict[str, Usage] = {}
        self._waiting: list[Usage] = []

    def answered(self, response: str, model: str | None) -> Iterator[Spent]:
        """Register a message, and credit it with the tokens that were reported before it."""
        self._last = self._by_model[model] = response
        waiting, self._waiting = self._waiting, []
        for usage in waiting:
            yield self._add(response, usage)

    def reported(self, record: dict[str, Any]) -> Iterator[Spent]:
        """Add the tokens of ``assistant.usage`` or ``session.usage_record`` to the last message, if it has
        none yet, else to the next one."""
        self._reported = True
        if self._last is None or self._last in self._spent:
            self._waiting.append(_usage(record))
        else:
            yield self._add(self._last, _usage(record))

    def ended(self, metrics: dict[str, Any]) -> Iterator[Spent]:
        """Add the tokens in ``session.shutdown``: the total of each model since the program was started."""
        if not self._reported and self._last is not None:
            for model, fields in metrics.items():
                response = self._by_model.get(model, self._last)
                yield self._add(response, _usage(coerce.mapping(coerce.mapping(fields).get("usage"))))
        self._reported = False

    def _add(self, response: str, usage: Usage) -> Spent:
        self._spent[response] = self._spent.get(response, Usage()) + usage
        return Spent(response=response, usage=self._spent[response], beside=True)


def _usage(fields: dict[str, Any]) -> Usage:
    return coerce.usage(fields, _TOKENS, cached_in_input=True)


name = "copilot-cli"
agent = "copilot"

_PREFIXES = ("session.", "user.", "assistant.", "tool.", "subagent.")
_CUT_FIRST_LINE = re.compile(rb'\{\s*"type"\s*:\s*"session\.start"\s*,\s*"data"\s*:\s*\{')


def _is_record(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind.startswith(_PREFIXES) and isinstance(record.get("data"), dict)


detect = lines.detector(_is_record, cut=_CUT_FIRST_LINE)


class _Reader(LogReader):
    trusted = frozenset(("type", "data"))

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        super().__init__(stream, session, cursor)
        state = cursor.state
        self._spending = Calls(dict(state.get("usage", {})))
        self._open: dict[str, str] = dict(state.get("open", {}))
        """The names of the calls without a result."""
        self._arguments: dict[str, Any] = {}
        """The arguments of this turn's calls, needed to read answers to questions."""
        self._reasoning: set[str] = set()
        """Thinking that was in separate records: a later message may repeat it."""
        self._idle = True  # whether the last message requests no calls

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        value = fragment.value
        data = coerce.mapping(value.get("data"))
        parent = coerce.text(data.get("parentToolCallId"))
        record = Record(
            id=coerce.text(value.get("id")) or f"n{self._number}",
            kind=coerce.string(value.get("type")),
            data=data,
            ts=coerce.stamp(value.get("timestamp")),
            end=fragment.end,
            tags=("sidechain",) if parent else (),
            parent=parent,
        )
        if "session" not in self._position.facts:
            yield from self._identify(record)
        yield from self._items(record, fragment)

    def _identify(self, record: Record) -> Iterator[Item]:
        named = coerce.text(record.data.get("sessionId")) if record.kind == "session.start" else None
        shape = (record.kind, record.id, record.ts)
        yield from self._position.report(
            "session", named or self._file_session or coerce.shape_id(name, [shape])
        )

    def _items(self, record: Record, fragment: Fragment) -> Iterator[Item]:
        data = record.data
        match record.kind:
            case "user.message":
                yield from self._user(record, fragment)
            case "assistant.message":
                yield from self._message(record)
            case "assistant.reasoning" if text := coerce.text(data.get("content")):
                self._reasoning.add(text)
                yield record.entry(Thinking(**record.common(), content=text, model=self._model))
            case "assistant.usage":
                yield from self._spending.reported(data)
            case "assistant.turn_end" if self._idle and "parentToolCallId" not in data:
                yield TurnEnd(end=record.end)
            case "tool.execution_start":
                yield from self._started(record)
            case "tool.execution_complete":
                yield from self._completed(record)
            case "abort":
                text = f"Aborted: {coerce.text(data.get('reason')) or 'no reason given'}"
                yield record.entry(NoteEvent(**record.common(0, "interrupted"), content=text, kind="note"))
                yield TurnEnd(end=record.end)
            case _:
                yield from self._session(record)

    # ------------------------------------------------------------ the session

    def _session(self, record: Record) -> Iterator[Item]:
        data, report = record.data, self._position.report
        match record.kind:
            case "session.usage_record":
                yield from self._spending.reported(coerce.mapping(data.get("usage")))
            case "session.start" | "session.resume" | "session.context_changed":
                yield from self._context(record)
            case "session.model_change":
                yield from report("model", coerce.text(data.get("newModel")))
            case "session.title_changed":
                yield from report("title", coerce.text(data.get("title")))
            case "session.error" | "session.warning" as kind:
                text = coerce.first(data, "message", "errorType") or "error"
                severity: Any = "error" if kind == "session.error" else "note"
                yield record.entry(NoteEvent(**record.common(), content=text, kind=severity))
            case "session.compaction_complete" | "session.truncation":
                text = coerce.text(data.get("summaryContent")) or "Conversation compacted"
                yield record.entry(NoteEvent(**record.common(), content=text, kind="compaction"))
            case "session.shutdown":
                yield from self._shutdown(record)

    def _context(self, record: Record) -> Iterator[Item]:
        """Yield the facts that a session's start or resume states."""
        data, position = record.data, self._position
        context = coerce.mapping(data.get("context")) or data
        yield from position.report_fields(data, _STARTED)
        yield from position.report_once("started_at", coerce.stamp(data.get("startTime")) or record.ts)
        yield from position.report_fields(context, {"folder": "cwd", "branch": "branch"})
        yield from position.report("repository", _repository(context))
        yield from position.report_once("start_commit", coerce.text(context.get("headCommit")))

    def _shutdown(self, record: Record) -> Iterator[Item]:
        yield from self._spending.ended(coerce.mapping(record.data.get("modelMetrics")))
        failed = record.data.get("shutdownType") == "error"
        yield from self._position.report("status", "failed" if failed else "completed")
        yield TurnEnd(end=record.end)

    @property
    def _model(self) -> str | None:
        return self._position.facts.get("model")

    # ------------------------------------------------------------ messages

    def _user(self, record: Record, fragment: Fragment) -> Iterator[Item]:
        data = record.data
        text, artifact = _attached(coerce.string(data.get("content")), data)
        if not text or coerce.text(data.get("source")) not in (None, "user"):
            return
        if "parentToolCallId" in data:
            yield record.entry(PeerMessage(**record.common(), content=text, direction="received"))
            return
        self._spending.begin_turn()
        self._reasoning.clear()
        self._arguments.clear()
        state = {"record": self._number, "open": dict(self._open), "usage": self._spending.state()}
        yield from self._mark(fragment, state)
        self._idle = True
        yield record.entry(Prompt(**record.common(), content=text, artifact=artifact))

    def _message(self, record: Record) -> Iterator[Item]:
        data = record.data
        yield from self._position.report("model", coerce.text(data.get("model")))
        response = coerce.text(data.get("messageId")) or record.id
        reply: dict[str, Any] = {
            "model": coerce.text(data.get("model")) or self._model,
            "response": response,
        }
        requests = coerce.objects(data.get("toolRequests"))
        if "parentToolCallId" not in data:
            self._idle = not requests
        reasoning = coerce.text(data.get("reasoningText"))
        if reasoning in self._reasoning:  # it was in a separate record
            reasoning = None
        if reasoning:
            common = {**record.common(), "id": f"{record.id}:reasoning", **reply}
            yield record.entry(Thinking(**common, content=reasoning))
        self._reasoning.clear()
        text = coerce.string(data.get("content")).strip()
        if text:
            yield record.entry(Message(**record.common(), **reply, content=text))
        for ordinal, request in enumerate(requests, 1):
            tool = coerce.text(request.get("name"))
            yield from self._call(record, ordinal, reply, tool, request)
        if text or requests or reasoning:
            yield from self._spending.answered(response, reply["model"])

    # ------------------------------------------------------------ calls

    def _started(self, record: Record) -> Iterator[Item]:
        if coerce.text(record.data.get("toolCallId")) not in self._open:
            yield from self._call(record, 0, {}, coerce.text(record.data.get("toolName")), record.data)

    def _call(
        self, record: Record, ordinal: int, reply: dict[str, Any], tool: str | None, request: dict[str, Any]
    ) -> Iterator[Item]:
        tool = tool or "unknown"
        arguments = coerce.parsed(request.get("arguments"))
        call_id = coerce.text(request.get("toolCallId"))
        if call_id:
            self._open[call_id] = tool
            self._arguments[call_id] = arguments
        call = calls.call(tool, arguments, self._position.facts.get("folder"))
        yield record.entry(call.event(call_id, **record.common(ordinal), **reply), **call.known)

    def _completed(self, record: Record) -> Iterator[Item]:
        call_id = coerce.text(record.data.get("toolCallId"))
        tool = self._open.pop(call_id or "", "a tool call")
        yield from calls.result_entries(record, tool, self._arguments.pop(call_id or "", None))


read = read_with(_Reader)


def _attached(text: str, data: dict[str, Any]) -> tuple[str, Artifact | None]:
    """The text with a placeholder for each image that is attached to it."""
    pictures = [
        images.from_base64(attachment.get("data"), attachment.get("mimeType"))
        for attachment in coerce.objects(data.get("attachments"))
        if attachment.get("type") in ("blob", "image")
    ]
    shown = [text, *map(images.placeholder, pictures)]
    return "\n".join(filter(None, shown)), next(iter(pictures), None)


def _repository(context: dict[str, Any]) -> str | None:
    """The repository's URL; ``owner/name`` if its host is not known."""
    named, host = coerce.text(context.get("repository")), coerce.text(context.get("repositoryHost"))
    if host is None and context.get("hostType") == "github":
        host = "github.com"
    return f"https://{host}/{named}" if named and host and "://" not in named else named

"""The pi coding agent's sessions, ``~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl``.

A file has a header, then entries that form a tree by ``id`` and ``parentId`` (pi's docs/session-format.md);
going back to an earlier entry begins another branch in the same file. The branch of the last entry is the
active one. Which entries are not on it is known only at the end, so the file is read whole. The first version
has neither ids nor branches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, images, lines
from gittraj.formats.base.edits import pairs, replaced, written
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.formats.base.outcomes import Call, Outcome, printed_commits, tool_result
from gittraj.formats.base.position import Record, facts
from gittraj.model.session_items import START, Cursor, Damage, Edit, Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import Artifact, Foreign, Message, NoteEvent, Prompt, Thinking

name = "pi"
agent = "pi"

_TRUSTED = frozenset(("type", "timestamp"))
_CUT_FIRST_LINE = re.compile(rb'\{"type":"session","(?:version":\d|id":"[^"]*","timestamp":")')
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_EXIT = re.compile(r"Command exited with code (\d{1,10})\s*\Z")
_TOKENS = ("input", "cacheRead", "cacheWrite", "output", "reasoning")
_ABANDONED = "abandoned-branch"


def _is_first(record: dict[str, Any]) -> bool:
    return record.get("type") == "session" and {"id", "timestamp", "cwd"} <= record.keys()


detect = lines.detector(_is_first, cut=_CUT_FIRST_LINE, first=1)


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    """Yield the items of a whole session. Its id is the one in the file, else ``session``."""
    fragments = list(Lines(stream, trusted=_TRUSTED))
    yield from _Reading([record for record in fragments if isinstance(record, Fragment)], session).items()
    yield from (record for record in fragments if isinstance(record, Damage))


class _Reading:
    def __init__(self, fragments: list[Fragment], session: str | None) -> None:
        self._fragments = fragments
        header = fragments[0].value if fragments else {}
        self._header = header if header.get("type") == "session" else {}
        self._file_session = session
        self._folder = coerce.text(self._header.get("cwd"))
        self._model = coerce.text(self._header.get("modelId"))
        parent = coerce.first(self._header, "parentSession", "branchedFrom")
        named = _UUID.findall(parent or "")
        self._parent = named[-1] if named else parent
        self._began = coerce.stamp(self._header.get("timestamp"))
        self._active = _active(fragments)
        self._seen: set[str] = set()

    def items(self) -> Iterator[Item]:
        yield from self._facts()
        for number, fragment in enumerate(self._fragments):
            if fragment.value.get("type") != "session":
                yield from self._entry(self._record(number, fragment), fragment.value)

    def _facts(self) -> Iterator[Fact]:
        if not self._fragments:
            return
        first = self._fragments[0].value
        shape = coerce.shape_id(
            name, [[coerce.text(first.get("type")), coerce.stamp(first.get("timestamp"))]]
        )
        yield from facts(
            session=coerce.text(self._header.get("id")) or self._file_session or shape,
            started_at=self._began,
            folder=self._folder,
            parent_session=self._parent,
            parent_kind="fork" if self._parent else None,
            model=self._model,
        )

    def _record(self, number: int, fragment: Fragment) -> Record:
        """The entry's record; its ``session`` is the one from which the entry was copied, if any."""
        value = fragment.value
        own_id = coerce.text(value.get("id"))
        record_id = f"n{number}" if own_id is None or own_id in self._seen else own_id
        self._seen.add(record_id)
        ts = coerce.stamp(value.get("timestamp"))
        copied = bool(self._parent and ts and self._began and ts < self._began)
        return Record(
            id=record_id,
            ts=ts,
            end=fragment.end,
            tags=() if own_id is None or own_id in self._active else (_ABANDONED,),
            session=self._parent if copied else None,
        )

    def _entry(self, record: Record, value: dict[str, Any]) -> Iterator[Item]:
        match value.get("type"):
            case "message":
                yield from self._message(record, coerce.mapping(value.get("message")))
            case "model_change":
                yield from self._report_model(coerce.text(value.get("modelId")))
            case "session_info" if title := coerce.text(value.get("name")):
                yield Fact(name="title", value=title)
            case "compaction":
                summary = coerce.text(value.get("summary")) or "Context compacted"
                yield record.entry(NoteEvent(**record.common(), content=summary, kind="compaction"))
            case "branch_summary" if content := coerce.text(value.get("summary")):
                common = record.common(0, "branch-summary")
                yield record.entry(NoteEvent(**common, content=content, kind="note"))
            case "custom_message":
                text, artifact = _content(value.get("content"))
                if text:
                    common = record.common() | {"artifact": artifact}
                    yield record.entry(Foreign(**common, content=text, type="custom_message"))

    def _report_model(self, model: str | None) -> Iterator[Fact]:
        if model and model != self._model:
            self._model = model
            yield Fact(name="model", value=model)

    def _message(self, record: Record, message: dict[str, Any]) -> Iterator[Item]:
        match message.get("role"):
            case "user":
                text, artifact = _content(message.get("content"))
                if text:
                    yield record.entry(Prompt(**record.common(), content=text, artifact=artifact))
            case "assistant":
                yield from self._assistant(record, message)
            case "toolResult":
                yield from self._result(record, message)
            case "bashExecution":
                yield from self._typed_command(record, message)

    def _assistant(self, record: Record, message: dict[str, Any]) -> Iterator[Item]:
        yield from self._report_model(coerce.text(message.get("model")))
        entries = list(self._reply(record, message))
        yield from entries
        if entries and record.session is None:
            yield from _spent(record.id, message.get("usage"))
        if message.get("stopReason") in ("stop", "length", "error", "aborted"):
            yield TurnEnd(end=record.end)

    def _reply(self, record: Record, message: dict[str, Any]) -> Iterator[Entry]:
        """Yield the blocks of the model's message, and a note if it was not completed."""
        reply: dict[str, Any] = {"model": self._model, "response": record.id}
        for ordinal, block in enumerate(coerce.objects(message.get("content"))):
            common = record.common(ordinal) | reply
            kind = block.get("type")
            if kind == "text" and (text := coerce.string(block.get("text")).strip()):
                yield record.entry(Message(**common, content=text))
            elif kind == "thinking":
                yield record.entry(Thinking(**common, content=coerce.string(block.get("thinking"))))
            elif kind == "toolCall":
                yield self._call(record, common, block)
        stopped = message.get("stopReason")
        if stopped in ("error", "aborted"):
            failure = coerce.text(message.get("errorMessage")) or str(stopped)
            aborted = stopped == "aborted"
            common = record.common(0, *(("interrupted",) if aborted else ())) | reply
            common["id"] = f"{record.id}:{stopped}"
            yield record.entry(NoteEvent(**common, content=failure, kind="note" if aborted else "error"))

    def _call(self, record: Record, common: dict[str, Any], block: dict[str, Any]) -> Entry:
        tool, arguments = coerce.text(block.get("name")) or "unknown", coerce.parsed(block.get("arguments"))
        fields = coerce.mapping(arguments)
        path = coerce.first(fields, "path", "file_path")
        command = coerce.text(fields.get("command")) if tool == "bash" else None
        edits = _edits(tool, path, fields) if path else ()
        call = Call(tool, arguments, command, self._folder, edits, (path,) if path else ())
        return record.entry(call.event(coerce.text(block.get("id")), **common), **call.known)

    def _result(self, record: Record, message: dict[str, Any]) -> Iterator[Item]:
        text, artifact = _content(message.get("content"))
        cut = coerce.mapping(coerce.at(message, "details", "truncation"))
        shell = message.get("toolName") == "bash"
        is_error = message.get("isError") is True
        code = _EXIT.search(text[-200:]) if shell else None
        nested = message.get("usage") if record.session is None else None  # of a model that the tool called
        ended = Outcome(
            text=text,
            exit_code=int(code[1]) if code else (0 if shell and not is_error else None),
            is_error=is_error,
            truncated=cut.get("truncated") is True,
            artifact=artifact,
            commits=printed_commits(text),
            bytes=coerce.number(cut.get("totalBytes")),
        )
        common = record.common() | {"response": record.id if isinstance(nested, dict) else None}
        call_id = coerce.text(message.get("toolCallId"))
        yield record.entry(tool_result(ended, call_id=call_id, **common), **ended.known)
        yield from _spent(record.id, nested)

    def _typed_command(self, record: Record, message: dict[str, Any]) -> Iterator[Item]:
        """Yield a command that the human ran (``!command``) and its output, not as the agent's work."""
        command, code = coerce.text(message.get("command")), coerce.number(message.get("exitCode"))
        if command is None:
            return
        call = Call("bash", {"command": command}, folder=self._folder)
        yield record.entry(call.event(record.id, **record.common(0, "typed")), **call.known)
        ended = Outcome(
            text=coerce.string(message.get("output")),
            exit_code=code,
            is_error=code not in (None, 0) or message.get("cancelled") is True,
            truncated=message.get("truncated") is True,
        )
        yield record.entry(tool_result(ended, call_id=record.id, **record.common(1, "typed")))


def _edits(tool: str, path: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    if tool == "write":
        return written(path, fields.get("content"))
    changes = coerce.objects(fields.get("edits")) or [fields]
    return (replaced(path, pairs(changes, ["oldText"], ["newText"])),) if tool == "edit" else ()


def _content(value: Any) -> tuple[str, Artifact | None]:
    text, artifact = images.joined(value)
    return text.strip() if isinstance(value, str) else text, artifact


def _spent(response: str, value: Any) -> Iterator[Spent]:
    if numbers := coerce.mapping(value):
        cost = coerce.cost(coerce.at(numbers, "cost", "total"))
        usage = coerce.usage(numbers, _TOKENS, cached_in_input=False)
        yield Spent(response=response, usage=usage, cost=cost)


def _active(fragments: list[Fragment]) -> set[str]:
    """The ids of the entries on the path from the last entry to the tree's root."""
    parents: dict[str, str | None] = {}
    last: str | None = None
    for fragment in fragments:
        entry_id = coerce.text(fragment.value.get("id"))
        if entry_id and fragment.value.get("type") != "session":
            parents[entry_id] = coerce.text(fragment.value.get("parentId"))
            last = entry_id
    active: set[str] = set()
    while last in parents and last not in active:
        active.add(last)
        last = parents[last]
    return active

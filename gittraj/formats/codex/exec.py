"""Reads the output of ``codex exec --json``: the records of ``codex-rs/exec/src/exec_events.rs`` in
github.com/openai/codex, those of the oldest form (``{"id":"0","msg":…}``), and what wrappers add.

The output has no times and, today, neither the prompt, the model nor the folder. A rollout of the same thread
has more, so its events supersede those of the output, whose ids begin with ``exec.``. A file has one run of a
thread, and every run numbers its items from 0; so an event's id also has a checksum over the kinds and
lengths of the items so far. It differs between runs once an item differs, and stays the same when the file
grows.

A turn's tokens are the thread's total minus what the file reported before. What a resumed thread had spent
before this run is unknown and counts for the first turn. A run that was killed or is still running has the
status ``abandoned``.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.outcomes import Call, Outcome, tool_result
from gittraj.formats.base.position import LogReader
from gittraj.formats.codex import exec_items
from gittraj.formats.codex.records import NOTHING
from gittraj.formats.codex.usage import usage
from gittraj.model.session_items import START, Cursor, Damage, Entry, Item, Spent, TurnEnd
from gittraj.model.values import AnyEvent, Foreign, Message, NoteEvent, Prompt, Thinking, Usage

name = "codex-exec"
agent = "codex"

_STATUS = {"turn.completed": "completed", "turn.failed": "failed", "turn.aborted": "abandoned"}
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DROPPED = re.compile(
    rb'\{"(?:type":"item\.plan\.delta|id":"[^"]{0,40}","msg":\{"type":"(?:\w+_delta|turn_diff|background_event))"'
)


detect = lines.detector(exec_items.is_record)


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    """Yield the items of a run. The session is the thread in the log, else ``session`` if that is a Codex id,
    else a hash of the shape of the first two records. There are no marks, so reading begins at the start."""
    file_session = session if session and _UUID.fullmatch(session) else None
    return _Reading(stream, file_session).items()


def _skim(raw: bytes) -> dict[str, Any] | None:
    return NOTHING if _DROPPED.match(raw) and raw.endswith(b"}\n") and b'}{"' not in raw else None


class _Reading(LogReader):
    trusted = frozenset()

    def __init__(self, stream: BinaryIO, session: str | None) -> None:
        super().__init__(stream, session, START, skim=_skim)
        self._end = 0
        self._owner: str | None = None  # the current thread, if it is not the file's session
        self._chain = 0  # the checksum over the items so far
        self._spent = self._total = Usage()
        self._begin_run()

    def _begin_run(self) -> None:
        self._open: dict[str, tuple[str, Call]] = {}
        self._last: str | None = None  # the id of the last call
        self._began = False  # whether a turn began
        self._reported: set[str] = set()
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._running = False
        self._response: str | None = None
        self._plan: tuple[str, str] | None = None

    def items(self) -> Iterator[Item]:
        first: list[Fragment] = []
        for fragment in self._lines:
            if isinstance(fragment, Damage):
                yield fragment
            elif "session" in self._position.facts:
                yield from self._read(fragment)
            else:
                first.append(fragment)
                if identity := self._identify(first):
                    yield from self._position.report("session", identity)
                    yield from (item for waited in first for item in self._read(waited))
        if self._running:
            yield from self._position.report("status", "abandoned")

    def _identify(self, first: list[Fragment]) -> str | None:
        named = exec_items.thread_id(first)
        if named or len(first) < 2:
            return named
        return self._file_session or coerce.shape_id(name, exec_items.shapes(first))

    # ------------------------------------------------------------ records

    def _read(self, fragment: Fragment) -> Iterable[Item]:
        self._number += 1
        self._end = fragment.end
        record = exec_items.translated(fragment.value, self._number)
        return self._items(record) if record is not None else ()

    def _items(self, record: dict[str, Any]) -> Iterable[Item]:
        kind = exec_items.kind_of(record)
        if kind in exec_items.ITEMS:
            return self._item(kind, coerce.mapping(record.get("item")))
        if kind in exec_items.THREADS:
            return self._thread(record, coerce.text(record.get(exec_items.THREADS[kind])))
        match kind:
            case "turn.started":
                self._begin_turn()
                self._reported.clear()
                self._running = self._began = True
            case "turn.completed" | "turn.failed" | "turn.aborted":
                return self._ended_turn(kind, record)
            case "error":
                return self._fail(record.get("message"))
            case "usage":
                return self._count(record)
            case "task.completed" | "completed" | "done" if self._running:
                return self._end_turn("completed")
            case "request_user_input":
                return self._questions(coerce.objects(record.get("questions")))
            case "":
                return self._header(record)
        return ()

    def _questions(self, questions: list[dict[str, Any]]) -> Iterator[Entry]:
        texts = [coerce.string(question.get("question")) for question in questions]
        yield self._entry(Foreign(**self._common(), content="\n".join(texts), type="codex.question"))

    def _ended_turn(self, kind: str, record: dict[str, Any]) -> Iterator[Item]:
        if kind == "turn.failed":
            yield from self._fail(coerce.at(record, "error", "message"))
        elif kind == "turn.aborted":
            text = f"Turn aborted: {coerce.text(record.get('reason')) or 'no reason given'}"
            yield self._entry(NoteEvent(**self._common(), content=text, kind="note", tags=("interrupted",)))
        elif "usage" in record:
            self._total = usage(record["usage"])
        yield from self._end_turn(_STATUS[kind])

    def _header(self, record: dict[str, Any]) -> Iterator[Item]:
        """Yield the settings or the prompt from one of the first records of the oldest form."""
        if record.keys() >= exec_items.HEADER:
            yield from self._position.report_fields(record, {"folder": "workdir", "model": "model"})
        elif record.keys() == {"prompt"} and (text := coerce.text(record["prompt"])):
            yield self._entry(Prompt(**self._common(), content=text))

    def _thread(self, record: dict[str, Any], thread: str | None) -> Iterator[Item]:
        log_thread = self._position.facts.get("session")
        self._begin_run()
        if thread and thread != (self._owner or log_thread):
            self._spent = self._total = Usage()
        self._owner = thread if thread != log_thread else None
        yield from self._position.report("entrypoint", "codex_exec")
        yield from self._position.report("model", coerce.text(record.get("model")))

    def _end_turn(self, status: str) -> Iterator[Item]:
        if self._plan:
            yield self._note(*self._plan)
        yield from self._report_tokens()
        self._begin_turn()
        yield TurnEnd(end=self._end)
        yield from self._position.report("status", status)

    def _count(self, record: dict[str, Any]) -> Iterator[Item]:
        """Add the usage in a record of the oldest form: one model call's, or the thread's so far."""
        if isinstance(record.get("total"), dict):
            self._total = usage(record["total"])
        else:
            self._total += usage(record.get("last"))
        yield from self._report_tokens(final=False)

    def _report_tokens(self, *, final: bool = True) -> Iterator[Spent]:
        if self._response is None:  # there is no event: the tokens count for the next turn
            return
        new = coerce.usage_since(self._total, self._spent)
        if new != Usage():
            first = self._spent == Usage()  # what the thread spent before this log is unknown
            yield Spent(response=self._response, usage=new, beside=True, cumulative=first)
        if final:
            self._spent = self._total

    def _fail(self, value: Any) -> Iterator[Item]:
        """Yield an error, unless it was reported: a failed turn often repeats one."""
        text = exec_items.error_text(value)
        if text not in self._reported:
            self._reported.add(text)
            yield self._entry(NoteEvent(**self._common(), content=text, kind="error"))

    # ------------------------------------------------------------ items

    def _item(self, kind: str, item: dict[str, Any]) -> Iterator[Item]:
        item.setdefault("type", item.get("item_type"))
        completed = kind == "item.completed"
        item_id = coerce.text(item.get("id")) or f"n{self._number}"
        if kind != "item.updated":
            self._chain = zlib.crc32(repr(exec_items.shape(item)).encode("utf-8", "replace"), self._chain)
        key, known = self._open.get(item_id, (f"exec.{self._chain:08x}.{item_id}", None))
        if item.get("type") == "todo_list":
            yield from self._plan_items(key, item, completed=completed)
        elif call := known or exec_items.call(item, self._position.facts.get("folder")):
            if known is None:
                yield self._call(key, item, call)
                self._open[item_id] = (key, call)
            if completed:
                del self._open[item_id]
                if output := exec_items.result(item):
                    # a declined call is not a human's decision: a run without a terminal cannot ask anyone
                    yield self._ended(f"{key}:1", coerce.text(item.get("call_id")) or key, output)
        elif completed and (entry := self._other(key, item)):
            yield entry

    def _plan_items(self, key: str, item: dict[str, Any], *, completed: bool) -> Iterator[Item]:
        """Remember the plan, and yield it once it is completed."""
        self._plan = (self._plan[0] if self._plan else key), exec_items.steps(item)
        if completed:
            yield self._note(*self._plan)
            self._plan = None

    def _call(self, key: str, item: dict[str, Any], call: Call) -> Entry:
        call_id = coerce.text(item.get("call_id")) or key
        self._last = call_id
        refused = item.get("status") in ("failed", "declined")
        known = call.known | ({"edits": ()} if refused else {})
        return self._entry(call.event(call_id, **self._reply(key)), **known)

    def _ended(self, event_id: str, call_id: str | None, output: Outcome) -> Entry:
        event = tool_result(output, id=event_id, call_id=call_id)
        return self._entry(event, commits=output.commits)

    def _other(self, key: str, item: dict[str, Any]) -> Entry | None:
        text = coerce.text(item.get("text"))
        match item.get("type"):
            case "agent_message" | "assistant_message" if text:
                return self._entry(Message(**self._reply(key), content=text))
            case "reasoning" if text:
                return self._entry(Thinking(**self._reply(key), content=text))
            case "plan" if text:
                return self._note(key, text)
            case "error":
                return self._warn(key, exec_items.error_text(item.get("message")))
            case kind if kind in exec_items.OUTPUTS and (output := exec_items.result(item)):
                return self._ended(f"{key}:0", coerce.text(item.get("call_id")) or self._last, output)
            case str(kind) if content := text or coerce.first(item, "message", "content"):
                return self._entry(Foreign(id=f"{key}:0", content=content, type=f"codex.{kind}"))
        return None

    def _warn(self, key: str, text: str) -> Entry | None:
        """The event of a warning. Those before the first turn are about the configuration, and come twice."""
        if self._began:
            return self._entry(NoteEvent(id=f"{key}:0", content=text, kind="error"))
        if text in self._reported:
            return None
        self._reported.add(text)
        return self._entry(NoteEvent(id=f"{key}:0", content=text, kind="note", tags=("configuration",)))

    def _note(self, key: str, text: str) -> Entry:
        return self._entry(NoteEvent(**self._reply(key), content=text, kind="note", tags=("plan",)))

    def _reply(self, key: str) -> dict[str, Any]:
        self._running = self._began = True
        self._response = self._response or key
        return {"id": f"{key}:0", "response": self._response, "model": self._position.facts.get("model")}

    def _common(self) -> dict[str, Any]:
        return {"id": f"exec.{self._chain:08x}.n{self._number}:0"}

    def _entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self._end, session=self._owner, **known)

"""Reads one message by the model, part by part.

Older versions of OpenCode made several model calls for one message. A call ends with a ``step-finish`` part,
which has the call's cost. The message itself states only the last call's cost: that is used if there is no
such part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.outcomes import ruling, tool_result
from gittraj.formats.opencode import calls
from gittraj.model.session_items import Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import AnyEvent, Foreign, Message, NoteEvent, Thinking, Usage

Json = dict[str, Any]
_CONTINUED = ("tool-calls", "unknown")
"""Reasons to finish a step after which the model is called again."""
_TOKENS = ("input", "read", "write", "output", "reasoning")
_STOPPED = "MessageAbortedError"


class Context:
    """The state of a session, shared by its messages. ``child`` is true if another session's agent started
    the session; ``tags`` are those of the next events; ``end`` is the byte offset after the current record,
    None if the log has no offsets."""

    def __init__(self, *, child: bool = False) -> None:
        self.child = child
        self.tags: tuple[str, ...] = ()
        self.end: int | None = None
        self._reported: dict[str, set[str]] = {}
        self._calls: set[str] = set()

    def item_end(self, time: int | None) -> int:
        """The byte offset after an item's record, or the item's time in ms if the log has no offsets."""
        return self.end if self.end is not None else time or 0

    def learn(self, name: str, value: str | None, *, once: bool = False) -> Iterator[Fact]:
        """Yield the fact if it is new; with ``once``, only the first of its name."""
        values = self._reported.setdefault(name, set())
        if value and value not in values and not (once and values):
            values.add(value)
            yield Fact(name=name, value=value)

    def call_id(self, part: Json) -> str:
        """The call's id, or the part's id if an earlier call has the same: some models count from 0."""
        call_id = coerce.text(part.get("callID"))
        if call_id is None or call_id in self._calls:
            return str(part.get("id"))
        self._calls.add(call_id)
        return call_id


class Answer:
    """A message by the model; ``info`` is the message's record, which may lack fields."""

    def __init__(self, context: Context, info: Json) -> None:
        times = coerce.mapping(info.get("time"))
        self._context = context
        self._info = info
        self._id = coerce.string(info.get("id"))
        self._time = coerce.number(times.get("created"))
        self._model = coerce.text(info.get("modelID"))
        self._folder = coerce.text(coerce.at(info, "path", "cwd"))
        self._results: list[tuple[int, int, list[Entry]]] = []  # waiting results: time, number, entries
        self._step = 1
        self._has_event = self._has_call = self._has_cost = False
        self.is_finished = "completed" in times or isinstance(info.get("error"), dict)

    def begin(self) -> Iterator[Item]:
        yield from self._context.learn("model", self._model)
        yield from self._context.learn("folder", self._folder, once=True)

    def read(self, part: Json, *, changed: Sequence[str] = ()) -> Iterator[Item]:
        """Yield the items of the next part, after the results that came before the part began. ``changed``
        are the files that the part's step changed."""
        state = coerce.mapping(part.get("state"))
        started = start(part)
        yield from self.yield_results(started)
        self._time = started if started is not None else self._time
        match part.get("type"):
            case "tool":
                yield from self._call(part, state, changed)
            case "step-finish":
                yield from self._finish(part)
            case "retry":
                failed = coerce.number(coerce.at(part, "time", "created"))
                self._time = failed if failed is not None else self._time
                text = failure(coerce.mapping(part.get("error")))
                yield self._entry(NoteEvent(**self._common(part), content=text, kind="error"))
            case "file":
                placeholder, image = calls.file_image(part)
                yield self._entry(Message(**self._common(part), content=placeholder, artifact=image))
            case kind:
                yield from self._text(part, kind)

    def yield_results(self, until: int | None = None) -> Iterator[Item]:
        """Yield the waiting results that came at or before ``until`` (ms since 1970; None: all), by time."""
        ready = sorted(waiting for waiting in self._results if until is None or waiting[0] <= until)
        self._results = [waiting for waiting in self._results if waiting not in ready]
        for _, _, entries in ready:
            yield from entries

    def end(self) -> Iterator[Item]:
        """Yield the message's own cost and error, after all of its parts."""
        if not self._has_cost:
            yield from self._spend(self._info, self._id, beside=False)
        if error := coerce.mapping(self._info.get("error")):
            completed = coerce.number(coerce.at(self._info, "time", "completed"))
            yield from self.fail(self._id, error, completed)

    def fail(self, name: str, error: Json, time: int | None) -> Iterator[Item]:
        """Yield the error that ended the answer; ``name`` is the id of the record that has it."""
        self._time = time if time is not None else self._time
        common = self._common({"id": name})
        stopped = error.get("name") == _STOPPED
        if stopped:
            common["tags"] = ("interrupted", *common["tags"])
        yield self._entry(NoteEvent(**common, content=failure(error), kind="note" if stopped else "error"))
        yield TurnEnd(end=self._context.item_end(self._time))

    def _text(self, part: Json, kind: Any) -> Iterator[Item]:
        text = coerce.text(part.get("text"))
        if not text or text.isspace() or part.get("synthetic") or part.get("ignored"):
            return
        common = self._common(part)
        if kind == "reasoning":
            yield self._entry(Thinking(**common, content=text))
        elif kind != "text":
            yield self._entry(Foreign(**common, content=text, type=f"opencode.{kind}"))
        elif self._info.get("summary") is True:
            yield self._entry(NoteEvent(**common, content=text, kind="compaction"))
        else:
            yield self._entry(Message(**common, content=text))

    def _call(self, part: Json, state: Json, changed: Sequence[str]) -> Iterator[Item]:
        tool = coerce.text(part.get("tool")) or "unknown"
        if state.get("status") not in ("running", "completed", "error"):
            return  # its arguments are not complete, or it never ran
        call, call_id = calls.call(tool, state, self._folder), self._context.call_id(part)
        self._has_call = True
        paths = (*call.paths, *changed) if call.command else call.paths
        yield self._entry(call.event(call_id, **self._common(part)), **call.known | {"paths": paths})
        result = calls.result(tool, state)
        if result is None:
            return
        self._time = result.time if result.time is not None else self._time
        name = str(part.get("id"))
        common = self._common(part) | {"id": f"{name}:1"}
        entries = [self._entry(tool_result(result, call_id=call_id, **common), **result.known)]
        for number, decision in enumerate(result.decisions, 2):
            common = self._common(part) | {"id": f"{name}:{number}"}
            entries.append(self._entry(ruling(decision, **common)))
        self._results.append((self._time or 0, len(self._results), entries))

    def _finish(self, part: Json) -> Iterator[Item]:
        yield from self.yield_results()
        yield from self._spend(part, str(part.get("id")), beside=True)
        self._has_cost = True
        continues = part.get("reason") in _CONTINUED or self._has_call or self._info.get("summary") is True
        if not continues:
            yield TurnEnd(end=self._context.item_end(self._time))
        self._step += 1
        self._has_event = self._has_call = False

    def _spend(self, value: Json, name: str, *, beside: bool) -> Iterator[Item]:
        """Yield what a model call cost, as ``value`` states it; ``name`` is the id of that record."""
        usage, cost = _usage(value.get("tokens")), _dollars(value.get("cost"))
        if usage == Usage() and not cost:
            return
        if not self._has_event:  # the model answered without a text: the cost still needs an event
            yield self._entry(Message(**self._common({"id": name})))
        yield Spent(response=self._response, usage=usage, beside=beside, cost=cost)

    @property
    def _response(self) -> str:
        return self._id if self._step == 1 else f"{self._id}:{self._step}"

    def _common(self, part: Json) -> Json:
        return {
            "id": f"{part.get('id')}:0",
            "ts": coerce.stamp(self._time),
            "model": self._model,
            "response": self._response,
            "tags": self._context.tags,
        }

    def _entry(self, event: AnyEvent, **known: Any) -> Entry:
        self._has_event = True
        return Entry(event=event, end=self._context.item_end(self._time), **known)


def start(part: Json) -> int | None:
    """The start time of a part, in ms since 1970."""
    times = part.get("time") or coerce.at(part, "state", "time")
    return coerce.number(coerce.mapping(times).get("start"))


def failure(error: Json) -> str:
    """The name of an error's class, and the error's message if there is one."""
    message = coerce.either(coerce.at(error, "data", "message"), error.get("message"))
    name = coerce.text(error.get("name")) or "error"
    return f"{name}: {message}" if message else name


def _dollars(value: Any) -> float | None:
    cost = coerce.cost(value)
    return cost if cost is not None and cost >= 0 else None


def _usage(tokens: Any) -> Usage:
    """Convert token counts; OpenCode's input does not include cached tokens, nor its output reasoning."""
    fields = coerce.mapping(tokens)
    cache = coerce.mapping(fields.get("cache"))
    counts = {**fields, "read": cache.get("read"), "write": cache.get("write")}
    usage = coerce.usage(counts, _TOKENS, cached_in_input=False)
    return replace(usage, output_tokens=usage.output_tokens + usage.reasoning_tokens)

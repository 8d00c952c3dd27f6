"""Reads one message by the model, part by part.

Older versions made several model calls for one message: each ends with a ``step-finish`` part, which has its
cost. The message has only the last call's cost, which is used if no part has any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.outcomes import ruling, tool_result
from gittraj.formats.opencode import calls
from gittraj.model.session_items import Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import AnyEvent, Foreign, Message, NoteEvent, Thinking, Usage

Json = dict[str, Any]
_GOES_ON = ("tool-calls", "unknown")
"""Reasons to finish a step after which the model is called again."""
_STOPPED = "MessageAbortedError"


class Context:
    """The state beyond one message. ``child``: another session's agent started this one; ``tags``: those of
    the events that are read now; ``end``: the end of the current record, if it has an offset."""

    def __init__(self, *, child: bool = False) -> None:
        self.child = child
        self.tags: tuple[str, ...] = ()
        self.end: int | None = None
        self._reported: dict[str, set[str]] = {}
        self._calls: set[str] = set()

    def place(self, time: int | None) -> int:
        """The byte offset at which an item ends, or its time in ms if the log has no offsets."""
        return self.end if self.end is not None else time or 0

    def learn(self, name: str, value: str | None, *, once: bool = False) -> Iterator[Fact]:
        """The fact, if it is new; with ``once`` only the first of its name."""
        values = self._reported.setdefault(name, set())
        if value and value not in values and not (once and values):
            values.add(value)
            yield Fact(name=name, value=value)

    def call_id(self, part: Json) -> str:
        """The call's own id, or the part's if the session has it already: some models count from 0."""
        own = coerce.text(part.get("callID"))
        if own is None or own in self._calls:
            return str(part.get("id"))
        self._calls.add(own)
        return own


class Answer:
    """A message by the model; ``info`` is its record, or as much of it as there is."""

    def __init__(self, context: Context, info: Json) -> None:
        times = coerce.mapping(info.get("time"))
        self._context = context
        self._info = info
        self._id = coerce.string(info.get("id"))
        self._time = coerce.number(times.get("created"))
        self._model = coerce.text(info.get("modelID"))
        self._folder = coerce.text(coerce.at(info, "path", "cwd"))
        self._results: list[tuple[int, int, list[Entry]]] = []
        self._step = 1
        self._reply = self._called = self._paid = False
        self.is_finished = "completed" in times or isinstance(info.get("error"), dict)

    def begin(self) -> Iterator[Item]:
        yield from self._context.learn("model", self._model)
        yield from self._context.learn("folder", self._folder, once=True)

    def read(self, part: Json, *, changed: Sequence[str] = ()) -> Iterator[Item]:
        """Yield the items of the next part, after the results that came before it began. ``changed`` are the
        files that its step changed."""
        state = coerce.mapping(part.get("state"))
        begun = start(part)
        yield from self.settle(begun)
        self._time = begun if begun is not None else self._time
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
                yield from self._words(part, kind)

    def settle(self, until: int | None = None) -> Iterator[Item]:
        """Yield the results that came until then (ms since 1970; None: all), in the order of their times."""
        due = sorted(held for held in self._results if until is None or held[0] <= until)
        self._results = [held for held in self._results if held not in due]
        for _, _, entries in due:
            yield from entries

    def end(self) -> Iterator[Item]:
        """Yield the message's own cost and error, after all of its parts."""
        if not self._paid:
            yield from self._pay(self._info, self._id, beside=False)
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
        yield TurnEnd(end=self._context.place(self._time))

    def _words(self, part: Json, kind: Any) -> Iterator[Item]:
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
        self._called = True
        paths = (*call.paths, *changed) if call.command else call.paths
        yield self._entry(call.event(call_id, **self._common(part)), **call.known | {"paths": paths})
        result = calls.result(tool, state)
        if result is None:
            return
        ended = self._time = result.time if result.time is not None else self._time
        name = str(part.get("id"))
        common = self._common(part) | {"id": f"{name}:1"}
        entries = [self._entry(tool_result(result, call_id=call_id, **common), **result.known)]
        for number, found in enumerate(result.decisions, 2):
            common = self._common(part) | {"id": f"{name}:{number}"}
            entries.append(self._entry(ruling(found, **common)))
        self._results.append((ended or 0, len(self._results), entries))

    def _finish(self, part: Json) -> Iterator[Item]:
        yield from self.settle()
        yield from self._pay(part, str(part.get("id")), beside=True)
        self._paid = True
        goes_on = part.get("reason") in _GOES_ON or self._called or self._info.get("summary") is True
        if not goes_on:
            yield TurnEnd(end=self._context.place(self._time))
        self._step += 1
        self._reply = self._called = False

    def _pay(self, value: Json, name: str, *, beside: bool) -> Iterator[Item]:
        usage, cost = _usage(value.get("tokens")), _dollars(value.get("cost"))
        if usage == Usage() and not cost:
            return
        if not self._reply:  # an answer without text is an answer, too: its cost needs an event
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
        self._reply = True
        return Entry(event=event, end=self._context.place(self._time), **known)


def start(part: Json) -> int | None:
    """The start time of a part, in ms since 1970."""
    times = part.get("time") or coerce.at(part, "state", "time")
    return coerce.number(coerce.mapping(times).get("start"))


def failure(error: Json) -> str:
    """The class of an error, and its message if it has one."""
    message = coerce.either(coerce.at(error, "data", "message"), error.get("message"))
    name = coerce.text(error.get("name")) or "error"
    return f"{name}: {message}" if message else name


def _dollars(value: Any) -> float | None:
    cost = coerce.cost(value)
    return cost if cost is not None and cost >= 0 else None


def _usage(tokens: Any) -> Usage:
    """Convert OpenCode's counts: its input does not include cached tokens, nor its output reasoning."""
    fields = coerce.mapping(tokens)
    cache, reasoning = coerce.mapping(fields.get("cache")), coerce.count(fields.get("reasoning"))
    return Usage(
        input_tokens=coerce.count(fields.get("input")),
        cache_read_tokens=coerce.count(cache.get("read")),
        cache_write_tokens=coerce.count(cache.get("write")),
        output_tokens=coerce.count(fields.get("output")) + reasoning,
        reasoning_tokens=reasoning,
    )

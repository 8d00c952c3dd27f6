"""Inserts the explicitly recorded events into a log's items, each at its position in the log.

The events of a message's blocks come before the message, and the events of the ids in a command's result
before the result: the message remains the last event of its turn, and the result that of its call. Positions
must depend on the log alone, or two captures of one log would number its events differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gittraj.decisions.blocks import parse_blocks
from gittraj.decisions.commands import ID, STARTED, TASK, Call, find_calls, match_calls
from gittraj.decisions.wording import UnclearError, author_of
from gittraj.errors import FormatError
from gittraj.model.codec import from_json
from gittraj.model.session_items import Cursor, Entry, Fact, Item, Mark
from gittraj.model.values import AnyEvent, Message, NoteEvent, TaskRef, ToolCall, ToolResult

Recall = Callable[[str], AnyEvent | None]
"""Returns the event of an id as it was stored when its command ran in this clone, or None."""


def derive(items: Iterable[Item], start: Cursor, recall: Recall = lambda _: None) -> Iterator[Item]:
    """Insert the events. ``start`` is where reading began; each mark counts the events inserted before it."""
    added = start.added
    calls = _Calls(recall)
    for item in items:
        if isinstance(item, Mark):
            if not calls.open:  # reading must not resume between a recording call and its result
                yield Mark(cursor=replace(item.cursor, added=added))
            continue
        if not isinstance(item, Entry):
            yield item
            continue
        facts, recorded, call = calls.read(item)
        yield from facts
        event, events = _without_blocks(item.event)
        for each in (*recorded, *events):
            yield Entry(event=each, end=item.end, folder=item.folder, session=item.session, call=call)
            added += 1
        yield item if event is item.event else replace(item, event=event)


def _without_blocks(event: AnyEvent) -> tuple[AnyEvent, Sequence[AnyEvent]]:
    """Return a message without its blocks, and the events of these; any other event unchanged."""
    if not isinstance(event, Message):
        return event, ()
    parsed = parse_blocks(event.content, name=event.id, ts=event.ts, agent=event.agent)
    return replace(event, content=parsed.text) if parsed.events else event, parsed.events


@dataclass(slots=True)
class _Calls:
    """Follows recording commands from a call to its result. ``open`` has the commands of the calls without a
    result yet, by the call's id; ``seen`` has the ids of the events that were inserted."""

    recall: Recall
    open: dict[str, list[Call]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def read(self, entry: Entry) -> tuple[Sequence[Fact], Sequence[AnyEvent], str | None]:
        """Return the facts and events that a command's result shows, and the call's id."""
        event = entry.event
        if isinstance(event, ToolCall) and event.call_id is not None:
            if calls := find_calls(entry.command or ""):
                self.open[event.call_id] = calls
        elif isinstance(event, ToolResult) and event.call_id in self.open:
            return *self._read_result(event, self.open.pop(event.call_id)), event.call_id
        return (), (), None

    def _read_result(self, result: ToolResult, calls: list[Call]) -> tuple[list[Fact], list[AnyEvent]]:
        ids = [each for each in dict.fromkeys(ID.findall(result.content)) if each not in self.seen]
        self.seen.update(ids)
        matched = match_calls(calls, ids)
        events = [_recorded(*each, result, self.recall) for each in zip(ids, matched, strict=True)]
        ran = [each for each in calls if any(each is one for one in matched)]
        started = STARTED.findall(result.content) if events else ()
        return [*_facts(ran, events), *(Fact(name="alias", value=each) for each in started)], events


def _recorded(event_id: str, call: Call | None, result: ToolResult, recall: Recall) -> AnyEvent:
    known = recall(event_id)
    if known is not None:
        return replace(known, ts=known.ts or result.ts, agent=known.agent or result.agent)
    return _from_line(call, event_id, result)


def _from_line(call: Call | None, event_id: str, result: ToolResult) -> AnyEvent:
    """Return the event as far as the shell line describes it."""
    common: dict[str, Any] = {"id": event_id, "ts": result.ts, "agent": result.agent}
    try:
        if call is not None:
            return call.event(by="agent", **common)
    except UnclearError:
        pass
    text = f"git traj{f' {call.verb}' if call else ''}, in words that this log does not have"
    return NoteEvent(**common, content=text, kind="note")


def _facts(calls: list[Call], events: list[AnyEvent]) -> Iterator[Fact]:
    """Yield the facts about the session that these commands, and the events that they recorded, state."""
    for call in calls:
        if author := author_of(call.said):
            yield Fact(name="participant", value=":".join(filter(None, (author.name, author.role))))
        match call.verb:
            case "start":
                yield from (Fact(name="title", value=t) for t in (call.said.get("title"),) if t)
                yield from _task_facts(call, events)
                yield from (Fact(name="tag", value=tag) for tag in call.said.get("tags", ()))
            case "complete":
                yield Fact(name="ended", value="completed")
            case "abandon":
                yield Fact(name="ended", value="abandoned")


def _task_facts(call: Call, events: list[AnyEvent]) -> Iterator[Fact]:
    """Yield the facts about the task as the command looked it up, or else as the command names it."""
    known = next((task for event in events if (task := _read_task(event))), None)
    source = known.source if known else None
    named = f"{source.system}:{source.id}" if source else call.said.get("task")
    title, url = known.title if known else None, source.url if source else None
    for name, value in (("task", named), ("task_title", title), ("task_url", url)):
        if value:
            yield Fact(name=name, value=value)


def _read_task(event: AnyEvent) -> TaskRef | None:
    value = event.raw.get(TASK) if isinstance(event.raw, dict) else None
    try:
        return from_json(TaskRef, value) if value else None
    except FormatError:
        return None

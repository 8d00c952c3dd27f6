"""Inserts the explicitly recorded events into a log's items, each at its position in the log.

The events of a message's blocks come before the message, and those of the ids in a command's result before
the result: the message stays the last of its turn, the result the last of its call. Positions must depend on
the log alone, or two captures of one log would number its events differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from gittraj.decisions.blocks import parse_blocks
from gittraj.decisions.commands import ID, STARTED, TASK, Call, find_calls, match_calls
from gittraj.decisions.wording import UnclearError, author_of
from gittraj.errors import FormatError
from gittraj.model.codec import from_json
from gittraj.model.session_items import Cursor, Entry, Fact, Item, Mark
from gittraj.model.values import AnyEvent, Message, NoteEvent, TaskRef, ToolCall, ToolResult

Recall = Callable[[str], AnyEvent | None]
"""The event of an id as it was stored when its command ran in this clone, or None."""


def derive(items: Iterable[Item], start: Cursor, recall: Recall = lambda _: None) -> Iterator[Item]:
    """``start`` is where reading began; each mark counts the events that were inserted before it."""
    added = start.added
    seen: set[str] = set()
    open_calls: dict[str, list[Call]] = {}
    for item in items:
        if isinstance(item, Mark):
            if not open_calls:  # reading must not resume between a recording call and its result
                yield Mark(cursor=replace(item.cursor, added=added))
            continue
        if not isinstance(item, Entry):
            yield item
            continue
        event = item.event
        found: list[AnyEvent] = []
        call = None
        match event:
            case Message():
                parsed = parse_blocks(event.content, name=event.id, ts=event.ts, agent=event.agent)
                found = list(parsed.events)
                event = replace(event, content=parsed.text) if found else event
            case ToolCall(call_id=str(name)) if item.command and (calls := find_calls(item.command)):
                open_calls[name] = calls
            case ToolResult(call_id=str(name)) if name in open_calls:
                calls, call = open_calls.pop(name), name
                names = [each for each in dict.fromkeys(ID.findall(event.content)) if each not in seen]
                matched = match_calls(calls, names)
                found = [_recorded(*each, event, recall) for each in zip(names, matched, strict=True)]
                seen.update(names)
                yield from _facts([each for each in calls if any(each is ran for ran in matched)], found)
                yield from (Fact(name="alias", value=x) for x in STARTED.findall(event.content) if found)
        for each in found:
            yield Entry(event=each, end=item.end, folder=item.folder, session=item.session, call=call)
        added += len(found)
        yield item if event is item.event else replace(item, event=event)


def _recorded(name: str, call: Call | None, result: ToolResult, recall: Recall) -> AnyEvent:
    known = recall(name)
    if known is not None:
        return replace(known, ts=known.ts or result.ts, agent=known.agent or result.agent)
    return _from_line(call, name, result)


def _from_line(call: Call | None, name: str, result: ToolResult) -> AnyEvent:
    """The event as far as the shell line describes it."""
    common: dict[str, Any] = {"id": name, "ts": result.ts, "agent": result.agent}
    try:
        if call is not None:
            return call.event(by="agent", **common)
    except UnclearError:
        pass
    text = f"git traj{f' {call.verb}' if call else ''}, in words that this log does not have"
    return NoteEvent(**common, content=text, kind="note")


def _facts(calls: list[Call], found: list[AnyEvent]) -> Iterator[Fact]:
    """The facts about the session that these commands state."""
    for call in calls:
        if author := author_of(call.said):
            yield Fact(name="participant", value=":".join(filter(None, (author.name, author.role))))
        match call.verb:
            case "start":
                yield from (Fact(name="title", value=t) for t in (call.said.get("title"),) if t)
                yield from _task(call, found)
                yield from (Fact(name="tag", value=tag) for tag in call.said.get("tags", ()))
            case "complete":
                yield Fact(name="ended", value="completed")
            case "abandon":
                yield Fact(name="ended", value="abandoned")


def _task(call: Call, found: list[AnyEvent]) -> Iterator[Fact]:
    """The task as the command looked it up, or as it was named."""
    known = next((task for event in found if (task := _found_task(event))), None)
    source = known.source if known else None
    named = f"{source.system}:{source.id}" if source else call.said.get("task")
    title, url = known.title if known else None, source.url if source else None
    for name, value in (("task", named), ("task_title", title), ("task_url", url)):
        if value:
            yield Fact(name=name, value=value)


def _found_task(event: AnyEvent) -> TaskRef | None:
    value = event.raw.get(TASK) if isinstance(event.raw, dict) else None
    try:
        return from_json(TaskRef, value) if value else None
    except FormatError:
        return None

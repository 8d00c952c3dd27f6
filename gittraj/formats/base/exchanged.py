"""Finds the commands, files, commits and costs of events from another tool's document."""

from __future__ import annotations

from dataclasses import replace

from gittraj.formats import cursor
from gittraj.formats.base import coerce
from gittraj.formats.base.edits import editor
from gittraj.formats.base.outcomes import printed_commits
from gittraj.formats.copilot import calls as copilot
from gittraj.formats.openai.completion import Call
from gittraj.model.session_items import Edit, Entry, Spent
from gittraj.model.values import AnyEvent, ToolCall, ToolResult, Usage


def entry(event: AnyEvent, end: int) -> Entry:
    if isinstance(event, ToolCall):
        path = coerce.first(event.arguments, "path")
        call = Call(event.name, event.arguments)
        return Entry(
            event=event, end=end, command=call.command, edits=_edits(event), paths=(path,) if path else ()
        )
    printed = printed_commits(event.content) if isinstance(event, ToolResult) else ()
    return Entry(event=event, end=end, commits=printed)


def add_spending(spent: dict[str, Spent], event: AnyEvent, cost: float | None = None) -> AnyEvent:
    """Add an event's tokens to its model call in ``spent``; ``cost`` is the cost of the whole call. Return
    the event, with its own id as that of its model call if it has usage but names no model call."""
    if event.usage and not event.response:
        event = replace(event, response=event.id)
    if event.response and (event.usage or cost is not None):
        known = spent.get(event.response, Spent(response=event.response, usage=Usage()))
        usage = known.usage + (event.usage or Usage())
        spent[event.response] = replace(known, usage=usage, cost=cost)
    return event


def _edits(call: ToolCall) -> tuple[Edit, ...]:
    """The edits of a call of any agent's tool, by its arguments. Capture finds the commit by their lines."""
    arguments = call.arguments
    edits = editor(arguments) or cursor.edits(call.name, arguments) or copilot.edits(call.name, arguments)
    files = tuple(Edit(path=file.path, kind=file.kind) for file in call.files)
    if len(edits) == len(files) == 1:
        return (replace(edits[0], path=files[0].path, kind=files[0].kind),)
    return edits or files

"""What an event that another tool's document tells says of commands, files and commits."""

from __future__ import annotations

from dataclasses import replace

from gittraj.formats import cursor
from gittraj.formats.base import commits, editor
from gittraj.formats.copilot import calls as copilot
from gittraj.formats.openai.completion import Call
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import AnyEvent, ToolCall, ToolResult


def entry(event: AnyEvent, end: int) -> Entry:
    if isinstance(event, ToolCall):
        path = editor.path(event.arguments)
        call = Call(event.name, event.arguments)
        return Entry(
            event=event, end=end, command=call.command, edits=_edits(event), paths=(path,) if path else ()
        )
    printed = commits.printed(event.content) if isinstance(event, ToolResult) else ()
    return Entry(event=event, end=end, commits=printed)


def _edits(call: ToolCall) -> tuple[Edit, ...]:
    """By the arguments, whichever agent's tool it was: without the lines nobody finds the commit again."""
    given = call.arguments
    told = editor.edits(given) or cursor.edits(call.name, given) or copilot.edits(call.name, given)
    files = tuple(Edit(path=file.path, kind=file.kind) for file in call.files)
    if len(told) == len(files) == 1:
        return (replace(told[0], path=files[0].path, kind=files[0].kind),)
    return told or files

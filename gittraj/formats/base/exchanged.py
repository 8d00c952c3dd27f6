"""Finds the commands, files and commits of an event from another tool's document."""

from __future__ import annotations

from dataclasses import replace

from gittraj.formats import cursor
from gittraj.formats.base import coerce
from gittraj.formats.base.edits import editor
from gittraj.formats.base.outcomes import printed_commits
from gittraj.formats.copilot import calls as copilot
from gittraj.formats.openai.completion import Call
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import AnyEvent, ToolCall, ToolResult


def entry(event: AnyEvent, end: int) -> Entry:
    if isinstance(event, ToolCall):
        path = coerce.first(event.arguments, "path")
        call = Call(event.name, event.arguments)
        return Entry(
            event=event, end=end, command=call.command, edits=_edits(event), paths=(path,) if path else ()
        )
    printed = printed_commits(event.content) if isinstance(event, ToolResult) else ()
    return Entry(event=event, end=end, commits=printed)


def _edits(call: ToolCall) -> tuple[Edit, ...]:
    """The edits of a call of any agent's tool, by its arguments. Capture finds the commit by their lines."""
    arguments = call.arguments
    edits = editor(arguments) or cursor.edits(call.name, arguments) or copilot.edits(call.name, arguments)
    files = tuple(Edit(path=file.path, kind=file.kind) for file in call.files)
    if len(edits) == len(files) == 1:
        return (replace(edits[0], path=files[0].path, kind=files[0].kind),)
    return edits or files

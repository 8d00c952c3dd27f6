"""What a call of one of Claude Code's tools does, from its arguments alone.

Whether it did it is for its result to say (:mod:`gittraj.formats.claude.results`).
"""

from __future__ import annotations

from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.edits import first, pairs, replaced, written
from gittraj.formats.base.outcomes import Call
from gittraj.model.session_items import Edit

SHELLS = ("Bash", "PowerShell")
PATHS = ("file_path", "notebook_path", "path")


def call(name: str, arguments: Any, folder: str | None) -> Call:
    """What the call does; ``folder`` is where the session works."""
    own = edits(name, arguments)
    return Call.of(name, arguments, folder, is_shell=name in SHELLS, paths=PATHS, edits=own)


def edits(name: str, arguments: Any) -> tuple[Edit, ...]:
    """The file as the call leaves it, as far as its arguments show."""
    fields = coerce.mapping(arguments)
    path = first(fields, PATHS[:2])
    if path is None:
        return ()
    match name:
        case "Write":
            return written(path, fields.get("content"))
        case "Edit" | "MultiEdit":
            changes = coerce.objects(fields.get("edits")) if name == "MultiEdit" else [fields]
            return (replaced(path, pairs(changes, ["old_string"], ["new_string"])),)
        case "NotebookEdit":
            return (replaced(path, pairs([fields], ["old_source"], ["new_source"])),)
        case _:
            return ()

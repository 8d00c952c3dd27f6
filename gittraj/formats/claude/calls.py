"""What a call of one of Claude Code's tools does, from its arguments alone.

Whether it did it is for its result to say (:mod:`gittraj.formats.claude.results`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, line_changes
from gittraj.model.session_items import Edit

SHELLS = ("Bash", "PowerShell")
_PATHS = ("file_path", "notebook_path", "path")


def command(name: str, arguments: Any) -> str | None:
    """The shell command of the call."""
    return coerce.text(coerce.mapping(arguments).get("command")) if name in SHELLS else None


def paths(arguments: Any) -> tuple[str, ...]:
    """The files and folders that the arguments name."""
    fields = coerce.mapping(arguments)
    return tuple(path for key in _PATHS if (path := coerce.text(fields.get(key))))


def edits(name: str, arguments: Any) -> tuple[Edit, ...]:
    """The file as the call leaves it, as far as its arguments show."""
    fields = coerce.mapping(arguments)
    path = coerce.text(fields.get("file_path")) or coerce.text(fields.get("notebook_path"))
    if path is None:
        return ()
    match name:
        case "Write":
            content = fields.get("content")
            if not isinstance(content, str):
                return ()
            return (Edit(path=path, added=tuple(content.splitlines()), whole=content),)
        case "Edit":
            return (_changed(path, [fields]),)
        case "MultiEdit":
            return (_changed(path, coerce.objects(fields.get("edits"))),)
        case "NotebookEdit":
            cell = {"new_string": fields.get("new_source"), "old_string": fields.get("old_source")}
            return (_changed(path, [cell]),)
        case _:
            return ()


def replacements(arguments: Any) -> Iterator[tuple[str, str, bool]]:
    """Old text, new text, and whether everywhere, of each edit among ``arguments``."""
    for edit in arguments:
        old, new = edit.get("old_string"), edit.get("new_string")
        yield (
            old if isinstance(old, str) else "",
            new if isinstance(new, str) else "",
            edit.get("replace_all") is True,
        )


def _changed(path: str, changes: list[dict[str, Any]]) -> Edit:
    added: list[str] = []
    removed: list[str] = []
    for old, new, _ in replacements(changes):
        added += line_changes.only_in(new.splitlines(), old.splitlines())
        removed += line_changes.only_in(old.splitlines(), new.splitlines())
    return Edit(path=path, added=tuple(added), removed=tuple(removed))

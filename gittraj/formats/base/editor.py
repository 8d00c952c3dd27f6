"""``str_replace_editor``, the edit tool that several agents share, under a few names.

Its arguments were published with Anthropic's text editor tool: ``command`` (view, create, str_replace,
insert, undo_edit), ``path``, ``file_text``, ``old_str``, ``new_str``, ``insert_line``.
"""

from __future__ import annotations

from typing import Any

from gittraj.formats.base import coerce, line_changes
from gittraj.model.session_items import Edit


def path(arguments: Any) -> str | None:
    return coerce.text(coerce.mapping(arguments).get("path"))


def edits(arguments: Any) -> tuple[Edit, ...]:
    """The edits that the arguments describe."""
    fields = coerce.mapping(arguments)
    named = path(fields)
    old, new = _lines(fields.get("old_str")), _lines(fields.get("new_str"))
    match fields.get("command"):
        case "create" if named and isinstance(whole := fields.get("file_text"), str):
            return (Edit(path=named, kind="add", added=_lines(whole), whole=whole),)
        case "str_replace" if named and (old or new):
            return (replaced(named, old, new),)
        case "insert" if named and new:
            return (Edit(path=named, added=new),)
        case _:
            return ()


def replaced(named: str, old: tuple[str, ...], new: tuple[str, ...]) -> Edit:
    """The edit that replaces the ``old`` lines with the ``new`` ones."""
    return Edit(path=named, added=line_changes.only_in(new, old), removed=line_changes.only_in(old, new))


def _lines(value: Any) -> tuple[str, ...]:
    return tuple(value.splitlines()) if isinstance(value, str) else ()

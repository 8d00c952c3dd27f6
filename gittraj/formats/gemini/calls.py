"""What a call of one of Gemini CLI's tools does, from its arguments alone.

Whether it did it is for its result to say (:mod:`gittraj.formats.gemini.results`).
"""

from __future__ import annotations

import posixpath
from typing import Any

from gittraj.formats.base import coerce, line_changes
from gittraj.formats.base.outcomes import Call
from gittraj.model.session_items import Edit

SHELL = "run_shell_command"
_PATHS = ("file_path", "absolute_path", "dir_path", "directory", "path")


def call(name: str, arguments: Any, folder: str | None) -> Call:
    """The call; ``folder`` is where the session works, if that is known."""
    fields = coerce.mapping(arguments)
    command = coerce.text(fields.get("command")) if name == SHELL else None
    inside = coerce.text(fields.get("dir_path")) or coerce.text(fields.get("directory"))
    if command is not None and inside is not None and (folder is not None or posixpath.isabs(inside)):
        folder = posixpath.normpath(posixpath.join(folder or "", inside))
    named = tuple(path for key in _PATHS if (path := coerce.text(fields.get(key))))
    return Call(name, arguments, command, folder, _edits(name, fields), () if command is not None else named)


def _edits(name: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    path = coerce.text(fields.get("file_path"))
    if path is None:
        return ()
    content = fields.get("content")
    if name == "write_file" and isinstance(content, str):
        return (Edit(path=path, added=tuple(content.splitlines()), whole=content),)
    if name in ("replace", "edit"):  # Qwen Code's name for it
        old, new = (coerce.text(fields.get(key)) or "" for key in ("old_string", "new_string"))
        before, after = old.splitlines(), new.splitlines()
        added, removed = line_changes.only_in(after, before), line_changes.only_in(before, after)
        return (Edit(path=path, added=added, removed=removed),)
    return ()

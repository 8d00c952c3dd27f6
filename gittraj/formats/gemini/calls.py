"""What a call of one of Gemini CLI's tools does, from its arguments alone.

Whether it did it is for its result to say (:mod:`gittraj.formats.gemini.results`).
"""

from __future__ import annotations

import posixpath
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.edits import first, pairs, replaced, texts, written
from gittraj.formats.base.outcomes import Call
from gittraj.model.session_items import Edit

SHELL = "run_shell_command"
_PATHS = ("file_path", "absolute_path", "dir_path", "directory", "path")


def call(name: str, arguments: Any, folder: str | None) -> Call:
    """The call; ``folder`` is where the session works, if that is known."""
    fields = coerce.mapping(arguments)
    command = coerce.text(fields.get("command")) if name == SHELL else None
    inside = first(fields, ("dir_path", "directory"))
    if command is not None and inside is not None and (folder is not None or posixpath.isabs(inside)):
        folder = posixpath.normpath(posixpath.join(folder or "", inside))
    named = () if command is not None else tuple(texts(fields, _PATHS))
    return Call(name, arguments, command, folder, _edits(name, fields), named)


def _edits(name: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    path = coerce.text(fields.get("file_path"))
    if path is None:
        return ()
    if name == "write_file":
        return written(path, fields.get("content"))
    if name in ("replace", "edit"):  # Qwen Code's name for it
        return (replaced(path, pairs([fields], ["old_string"], ["new_string"])),)
    return ()

"""What a call of one of Copilot's tools does, from its arguments alone.

The command line and VS Code name their tools and arguments differently; here they all look alike.
Whether a call did it is for its result to say.
"""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base import coerce, line_changes, patch
from gittraj.model.session_items import Edit
from gittraj.model.values import FileKind

SHELLS = frozenset(("bash", "powershell", "shell", "local_shell", "run_in_terminal", "runInTerminal"))
_PATHS = ("path", "filePath", "file_path", "dirPath", "absolutePath")
_WHOLE = ("file_text", "content", "contents")
_OLD = ("old_str", "oldString", "old_string", "oldCode")
_NEW = ("new_str", "newString", "new_string", "newCode", "insert_text")
_CREATES = ("create", "create_file", "write", "write_file")
_READS = ("view", "read_file", "grep", "glob", "rg")
_EXIT = re.compile(r"(?:with )?exit(?:ed with)? code:? (-?\d{1,10})>?\.?\s*\Z")


def command(name: str, arguments: Any) -> str | None:
    """The shell command of the call."""
    return coerce.text(coerce.mapping(arguments).get("command")) if name in SHELLS else None


def paths(arguments: Any) -> tuple[str, ...]:
    """The files and folders that the arguments name."""
    fields = coerce.mapping(arguments)
    return tuple(path for key in _PATHS if (path := coerce.text(fields.get(key))))


def edits(name: str, arguments: Any) -> tuple[Edit, ...]:
    """The files as the call leaves them, as far as its arguments show."""
    fields = coerce.mapping(arguments)
    if name == "apply_patch":
        return patch.edits(_first(fields, ("input", "patch", "command")) or coerce.text(arguments) or "")
    verb = coerce.text(fields.get("command")) or "" if name == "str_replace_editor" else name
    if verb in SHELLS or verb in _READS:
        return ()
    several = coerce.objects(fields.get("replacements")) or coerce.objects(fields.get("edits"))
    return tuple(edit for item in several or [fields] if (edit := _edit(verb, fields | item)))


def exit_code(output: str) -> int | None:
    """The exit code that stands at the end of a shell's output."""
    match = _EXIT.search(output[-200:])
    return int(match[1]) if match else None


def _edit(verb: str, fields: dict[str, Any]) -> Edit | None:
    path = _first(fields, _PATHS)
    whole = next((fields[key] for key in _WHOLE if isinstance(fields.get(key), str)), None)
    if path is None:
        return None
    if verb in _CREATES:
        lines = tuple(whole.splitlines()) if whole is not None else ()
        kind: FileKind = "add" if verb.startswith("create") else "update"
        return Edit(path=path, kind=kind, added=lines, whole=whole)
    if verb in ("delete", "delete_file"):
        return Edit(path=path, kind="delete")
    old, new = _first(fields, _OLD), _first(fields, _NEW)
    if old is None and new is None:
        return None
    before, after = (old or "").splitlines(), (new or "").splitlines()
    return Edit(
        path=path, added=line_changes.only_in(after, before), removed=line_changes.only_in(before, after)
    )


def _first(fields: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if (text := coerce.text(fields.get(key)))), None)

"""What a call of one of Copilot's tools does, from its arguments alone.

The command line and VS Code name their tools and arguments differently; here they all look alike.
Whether a call did it is for its result to say.
"""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base import coerce, patch
from gittraj.formats.base.edits import first, replaced, written
from gittraj.formats.base.outcomes import Call
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


def call(name: str, arguments: Any, folder: str | None) -> Call:
    """What the call does; ``folder`` is where the session works."""
    own = edits(name, arguments)
    return Call.of(name, arguments, folder, is_shell=name in SHELLS, paths=_PATHS, edits=own)


def edits(name: str, arguments: Any) -> tuple[Edit, ...]:
    """The files as the call leaves them, as far as its arguments show."""
    fields = coerce.mapping(arguments)
    if name == "apply_patch":
        return patch.edits(first(fields, ("input", "patch", "command")) or coerce.text(arguments) or "")
    verb = coerce.text(fields.get("command")) or "" if name == "str_replace_editor" else name
    if verb in SHELLS or verb in _READS:
        return ()
    several = coerce.objects(fields.get("replacements")) or coerce.objects(fields.get("edits"))
    return tuple(edit for item in several or [fields] for edit in _edits(verb, fields | item))


def exit_code(output: str) -> int | None:
    """The exit code that stands at the end of a shell's output."""
    match = _EXIT.search(output[-200:])
    return int(match[1]) if match else None


def _edits(verb: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    path = first(fields, _PATHS)
    if path is None:
        return ()
    if verb in _CREATES:
        kind: FileKind = "add" if verb.startswith("create") else "update"
        whole = next((fields[key] for key in _WHOLE if isinstance(fields.get(key), str)), None)
        return written(path, whole, kind=kind) or (Edit(path=path, kind=kind),)
    if verb in ("delete", "delete_file"):
        return (Edit(path=path, kind="delete"),)
    old, new = first(fields, _OLD), first(fields, _NEW)
    return (replaced(path, [(old or "", new or "")]),) if old or new else ()

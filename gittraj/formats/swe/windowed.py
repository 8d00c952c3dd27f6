"""Determines which edits the commands of SWE-agent's shell make.

In addition to real commands, that shell has ``create``, ``open``, ``edit`` and ``insert``, which work on the
open file, and ``str_replace_editor``. Logs have them either as text (``edit 4:7`` up to ``end_of_edit``, or
with quoted arguments) or as tool calls.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.edits import editor, pairs, replaced
from gittraj.model.session_items import Edit

_RANGE = re.compile(r"edit \d+:\d+[^\n]*\n(.*?)(?:\nend_of_edit\s*)?", re.DOTALL)
_EDITOR = ("str_replace_editor", "str_replace_based_edit_tool")
_OPEN = re.compile(r"\(Open file: ([^\n]+)\)\r?\n\(Current directory: ([^\n]+)\)")
_STATE_WINDOW = 4096
"""How many characters at the end of an output are searched for the shell's state."""
_QUOTED_LIMIT = 100_000
"""The longest command, in characters, that is split as a shell would: ``shlex`` is slow."""
_REFUSED = (
    "Your edit was not applied",
    "Your proposed edit has introduced new syntax error",
    "Your bash command contained syntax errors and was NOT executed",
    "Your changes have NOT been applied",
    "EXECUTION TIMED OUT",
)


@dataclass(frozen=True, slots=True)
class Shell:
    """The shell's open file and its folder; each is ``None`` if it is not known."""

    file: str | None = None
    folder: str | None = None


def shell(state: Any, observation: str, before: Shell) -> Shell:
    """Return the state after a step, from the step's ``state`` (a JSON string in older files) or else from
    the last lines of its output; fields that are in neither are taken from ``before``."""
    fields = coerce.mapping(coerce.parsed(state))
    file, folder = coerce.text(fields.get("open_file")), coerce.text(fields.get("working_dir"))
    if not fields and (shown := _OPEN.search(observation[-_STATE_WINDOW:])):
        file, folder = shown[1], shown[2]
    return Shell(None if file == "n/a" else file or before.file, folder or before.folder)


def refused(observation: str) -> bool:
    """Whether the output reports that the command was not executed, or was stopped."""
    text = observation.lstrip()
    cancelled = text.startswith("The command '") and "was cancelled because" in text
    return cancelled or text.startswith(_REFUSED)


def edits(name: str, arguments: Any, open_file: str | None) -> tuple[Edit, ...]:
    """Return the edits that a call makes; ``name`` is the tool's, or ``bash`` for a command as text."""
    fields = coerce.mapping(arguments)
    if name in _EDITOR:
        return editor(fields)
    if name == "bash":
        return _command_edits(coerce.string(fields.get("command")), open_file)
    if name == "create" and (path := coerce.first(fields, "filename", "path")):
        return (Edit(path=path, kind="add"),)
    if name in ("edit", "insert") and open_file:
        ((old, new),) = pairs([fields], ["search"], ["replace", "text", "replacement_text"])
        return (replaced(open_file, [(old, new)]),) if old or new else ()
    return ()


def _command_edits(command: str, open_file: str | None) -> tuple[Edit, ...]:
    if lines := _RANGE.fullmatch(command):
        return (Edit(path=open_file, added=tuple(lines[1].splitlines())),) if open_file else ()
    name, fields = _parse(command)
    return edits(name, fields, open_file) if name != "bash" else ()


def paths(name: str, arguments: Any) -> tuple[str, ...]:
    """The file that a call opens or writes, if its arguments name one."""
    fields = coerce.mapping(arguments)
    if name == "bash":
        name, fields = _parse(coerce.string(fields.get("command")))
    path = coerce.first(fields, "path", "filename")
    return (path,) if path and name in (*_EDITOR, "create", "open") else ()


def _parse(command: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of one of this shell's commands; ``bash`` for any other command."""
    name = command.split(maxsplit=1)[0] if command.strip() else ""
    if name not in (*_EDITOR, "create", "open", "edit", "insert") or len(command) > _QUOTED_LIMIT:
        return "bash", {}
    try:
        words = shlex.split(command)[1:]
    except ValueError:
        return "bash", {}
    keys = {"edit": ("search", "replace"), "insert": ("text",)}.get(name, ("path",))
    if name in _EDITOR:
        keys = ("command", "path")
        options = dict(zip(words[2::2], words[3::2], strict=False))
        return name, dict(zip(keys, words, strict=False)) | {
            option.removeprefix("--"): value for option, value in options.items()
        }
    return name, dict(zip(keys, words, strict=False))

"""What a call of one of Codex's tools does, from its arguments alone.

Shell tools were renamed twice (``shell``, ``shell_command``, ``exec_command``), and a patch may come
as a tool of its own or inside a shell command: here they all look alike.
"""

from __future__ import annotations

import functools
import posixpath
import re
import shlex
from typing import Any

from gittraj.formats.base import coerce, patch
from gittraj.formats.base.outcomes import Call

_PATCH_TOOLS = ("apply_patch", "applypatch")
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh")
_INTO = re.compile(r"\s*cd\s+('[^']*'|\"[^\"]*\"|[^\s;&|'\"]+)\s*&&")


def call(payload: dict[str, Any], folder: str | None) -> Call:
    """The call in a response item; ``folder`` is where the session works."""
    name, arguments = _named(payload)
    fields = coerce.mapping(arguments)
    workdir = coerce.text(fields.get("workdir")) or coerce.text(fields.get("working_directory"))
    if workdir:
        folder = _within(folder, workdir)
    command = _command(fields)
    text = _patch(name, arguments, command)
    if text is not None and command is not None and (into := _INTO.match(command)):
        folder = _within(folder, into[1].strip("'\""))
    edits = patch.edits(text) if text is not None else ()
    path = coerce.text(fields.get("path"))
    paths = tuple([edit.path for edit in edits]) or ((path,) if path else ())
    return Call(name, arguments, command, folder, edits, paths)


@functools.lru_cache(maxsize=256)
def _within(folder: str | None, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder or "", path))


def _named(payload: dict[str, Any]) -> tuple[str, Any]:
    kind = payload.get("type")
    if kind == "custom_tool_call":
        arguments = payload.get("input")
    elif kind == "function_call":
        arguments = _parsed(payload.get("arguments"))
    else:
        arguments = payload.get("action", _parsed(payload.get("arguments")))
    name = coerce.text(payload.get("name")) or str(kind).removesuffix("_call")
    server = coerce.text(payload.get("namespace"))
    if server and server.startswith("mcp__") and not name.startswith("mcp__"):
        name = f"{server.rstrip('_')}__{name}"
    return name, arguments


def _parsed(arguments: Any) -> Any:
    if isinstance(arguments, str) and not arguments.lstrip().startswith("{"):
        return arguments
    return coerce.parsed(arguments)


def _patch(name: str, arguments: Any, command: str | None) -> str | None:
    fields = coerce.mapping(arguments)
    words = fields.get("command")
    if name in _PATCH_TOOLS:
        return coerce.text(fields.get("input") or fields.get("patch") or arguments)
    if isinstance(words, list) and len(words) == 2 and words[0] in _PATCH_TOOLS:
        return coerce.text(words[1])
    return patch.inside(command) if command is not None else None


def _command(fields: dict[str, Any]) -> str | None:
    """The shell command, without the shell that a wrapper starts for it."""
    command = fields.get("cmd") or fields.get("command")
    if isinstance(command, str):
        return command or None
    if not isinstance(command, list):
        return None
    words = [word for word in command if isinstance(word, str)]
    if len(words) == 3 and words[0] in _SHELLS and words[1] in ("-c", "-lc"):
        return words[2]
    return shlex.join(words) or None

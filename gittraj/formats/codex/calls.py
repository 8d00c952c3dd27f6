"""Reads what a call of Codex's tools does, from its arguments alone, and the files reported as changed.

Shell tools were renamed twice (``shell``, ``shell_command``, ``exec_command``), and a patch may be a separate
tool or inside a shell command: all forms become the same :class:`Call`.

Changed files are in ``file_change`` items and ``patch_apply_begin`` events, as a list (``[{path, kind}]``) or
an object (``{path: {type, content, unified_diff, move_path}}``; formerly ``{path: {add: {content}}}``).
"""

from __future__ import annotations

import functools
import posixpath
import re
import shlex
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, patch
from gittraj.formats.base.edits import only_in, written
from gittraj.formats.base.outcomes import Call
from gittraj.model.session_items import Edit
from gittraj.model.values import FileKind

_PATCH_TOOLS = ("apply_patch", "applypatch")
_SHELLS = ("bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "bash.exe", "sh.exe")
_CD = re.compile(r"\s*cd\s+('[^']*'|\"[^\"]*\"|[^\s;&|'\"]+)\s*&&")


def call(payload: dict[str, Any], folder: str | None) -> Call:
    """The call in a response item; ``folder`` is the session's."""
    name, arguments = _name_and_arguments(payload)
    fields = coerce.mapping(arguments)
    workdir = coerce.first(fields, "workdir", "working_directory")
    if workdir:
        folder = _within(folder, workdir)
    command = shell_command(fields.get("cmd") or fields.get("command"))
    text = _patch(name, arguments, command)
    if text is not None and command is not None and (cd := _CD.match(command)):
        folder = _within(folder, cd[1].strip("'\""))
    edits = patch.edits(text) if text is not None else ()
    path = coerce.text(fields.get("path"))
    paths = tuple([edit.path for edit in edits]) or ((path,) if path else ())
    return Call(name, arguments, command, folder, edits, paths)


@functools.lru_cache(maxsize=256)
def _within(folder: str | None, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder or "", path))


def _name_and_arguments(payload: dict[str, Any]) -> tuple[str, Any]:
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
    return patch.find_patch(command) if command is not None else None


def shell_command(command: Any) -> str | None:
    """A call's command, without the shell that a wrapper starts for it."""
    if not isinstance(command, list):
        return coerce.text(command)
    words = [word for word in command if isinstance(word, str)]
    if len(words) == 3 and re.split(r"[/\\]", words[0])[-1] in _SHELLS and words[1] in ("-c", "-lc"):
        return words[2]
    return shlex.join(words) or None


# ---------------------------------------------------------------- the files that Codex reports as changed

_KINDS: dict[str, FileKind] = {"add": "add", "delete": "delete", "update": "update"}


def changed(changes: Any) -> tuple[Edit, ...]:
    """The edits of changed files; their lines are known only if the log has them."""
    return tuple(edit for path, change in _changes(changes) for edit in _edits(path, change))


def _changes(changes: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(changes, dict):
        for path, change in changes.items():
            fields = coerce.mapping(change)
            inner = next((kind for kind in _KINDS if isinstance(fields.get(kind), dict)), None)
            yield path, fields if inner is None else fields[inner] | {"type": inner}
    for change in coerce.objects(changes):
        if path := coerce.text(change.get("path")):
            kind = change.get("kind")
            yield path, change | (kind if isinstance(kind, dict) else {"type": kind})


def _edits(path: str, change: dict[str, Any]) -> Iterator[Edit]:
    kind = _KINDS.get(str(change.get("type")), "update")
    content = coerce.text(change.get("content"))
    if kind == "add" and content is not None:
        yield from written(path, content, kind=kind)
        return
    if kind == "delete" and content is not None:
        yield Edit(path=path, kind=kind, removed=tuple(content.splitlines()))
        return
    added, removed = _lines(coerce.first(change, "unified_diff", "diff") or "")
    target = coerce.text(change.get("move_path"))
    if target is not None:
        yield Edit(path=path, kind="delete")
    yield Edit(path=target or path, kind="rename" if target else kind, added=added, removed=removed)


def _lines(diff: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that the hunks of a unified diff add and remove."""
    hunks = diff[diff.find("@@") :].split("\n") if "@@" in diff else []
    added = [line[1:] for line in hunks if line.startswith("+")]
    removed = [line[1:] for line in hunks if line.startswith("-")]
    return only_in(added, removed), only_in(removed, added)

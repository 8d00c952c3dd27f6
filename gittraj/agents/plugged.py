"""Checks an agent that another package provides, so that its hooks and instructions are safe to write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gittraj.agents import HookSettings, InstructionFile, SessionFile
from gittraj.plugins import Returns, Shape, shorten


def _is_own(file: SessionFile, fields: Mapping[str, Any]) -> bool:
    typed = all(isinstance(getattr(file, name), kind) for name, kind in _TYPES.items())
    return typed and file.agent == fields["name"]


def _find_fault(fields: Mapping[str, Any]) -> str | None:
    """Why an installation could not write this agent's hooks or instructions; None if it can."""
    hooks, instructions = fields["hooks"], fields["instructions"]
    files = (hooks.file,) if hooks else ()
    if instructions:
        beside = instructions.beside if isinstance(instructions.beside, tuple) else (None,)
        files += (instructions.own, *beside, *filter(None, (instructions.instead,)))
    if len(files) > _MAX_ENTRIES or not all(map(_is_inside, files)):
        return f"not all of these are paths inside a work tree: {shorten(repr(files))}"
    if hooks is None or _is_sound(hooks, fields["name"]):
        return None
    return f"its hooks are not valid: {shorten(repr(hooks))}"


def _is_inside(file: object) -> bool:
    parts = file.split("/") if isinstance(file, str) and _is_line(file) else [""]
    return not any("\\" in part or part.lower() in ("", ".", "..", ".git") for part in parts)


def _is_sound(hooks: HookSettings, name: str) -> bool:
    tables = (hooks.events, {} if hooks.label is None else hooks.label)
    ours = type(hooks) is HookSettings and hooks.name == name  # not a subclass with methods of its own
    if not ours or not all(isinstance(table, Mapping) and len(table) <= _MAX_ENTRIES for table in tables):
        return False
    tools = (tool for tool in hooks.events.values() if tool is not None)
    texts = (*tables[0], *tables[1], *tables[1].values(), *tools, hooks.advice)
    return all(map(_is_line, texts)) and type(hooks.second) is int and 0 < hooks.second <= _LARGEST_SECOND


def _is_line(text: object) -> bool:
    return isinstance(text, str) and len(text) <= _LONGEST_LINE and text.isprintable()


_MAX_ENTRIES, _LONGEST_LINE, _LARGEST_SECOND = 20, 300, 1_000_000
"""Limits for a plug-in's agent: files or entries, characters of a line, and the value of ``second``."""
_TYPES = {"session": str, "path": Path, "changed": int | None}
_TYPES |= dict.fromkeys(("subagent", "format", "own"), str | None)
_FILES = Returns(each=SessionFile, right=_is_own, otherwise=())
SHAPE = Shape(
    fields={
        "name": str,
        "option": str,
        "program": str,
        "hooks": (HookSettings, type(None)),
        "instructions": (InstructionFile, type(None)),
        "session": (str, type(None)),
    },
    methods={
        "current": Returns(one=(str, type(None))),
        "folder": Returns(one=(Path, type(None))),
        "find": Returns(one=(Path, type(None))),
        "sessions": _FILES,
        "subagents": _FILES,
    },
    wrong=_find_fault,
)

"""Extracts from the arguments of calls what they write to a file. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from gittraj.frozen import dataclass
from gittraj.model.values import AnyEvent, ToolCall, ToolResult

_NEW = ("new_string", "newString", "new_str", "newText", "new_text", "new_source", "code_edit")
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "old_source")
_WHOLE = ("content", "contents", "file_text")
_HEADER = re.compile(r"\*\*\* (?:Add File|Update File|Move to): (.*)")
_UNIFIED = re.compile(r"^--- .*\n\+\+\+ (?:b/)?(.*)$", re.MULTILINE)
_BEGIN = "*** Begin Patch"
_HUNK = re.compile(r"^@@ -\d", re.MULTILINE)

Hunk = tuple[tuple[str, ...], tuple[str, ...]]
"""Old lines, and the new ones that replace them."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The lines that a call wrote to a file. ``whole``: the new lines are the whole file; ``part``: the
    replaced text may begin and end inside a line; ``mentioned``: the lines are only text in the call's
    command, which may have written them."""

    call: ToolCall
    hunks: tuple[Hunk, ...]
    whole: bool = False
    part: bool = False
    mentioned: bool = False


def read_edits(events: Iterable[AnyEvent], paths: Collection[str]) -> list[Edit]:
    """Return the edits of a file, known by ``paths``, among ``events`` (in the log's order), without failed
    edits; a shell command that failed counts, since it may have written before."""
    events = list(events)
    failed = {e.call_id for e in events if isinstance(e, ToolResult) and e.is_error and e.call_id}
    calls = (event for event in events if isinstance(event, ToolCall))
    return [edit for call in calls for edit in _read_call(call, paths, failed=call.call_id in failed)]


def _read_call(call: ToolCall, paths: Collection[str], *, failed: bool) -> Iterator[Edit]:
    if not call.files:
        hunks, whole, part = [*_read_program(call.arguments, paths)], False, True
    elif failed or not any(file.path in paths for file in call.files):
        return
    else:
        hunks, whole = read_hunks(call.arguments, paths)
        part = not whole and not any(map(_is_patch, _texts(call.arguments)))
    if hunks:
        yield Edit(call, tuple(hunks), whole, part, mentioned=not call.files)


def _read_program(arguments: Any, paths: Collection[str]) -> Iterator[Hunk]:
    """Yield the hunks that a command writes, or a program that is given as ``code``."""
    names = {posixpath.basename(path) for path in paths}
    texts = [text for text in _texts(arguments) if any(name in text for name in names)]
    if texts:
        from gittraj.query.why.shell import read_command, read_script  # noqa: PLC0415 - rarely needed

        reads = read_script if isinstance(arguments, dict) and "code" in arguments else read_command
        for text in texts:
            yield from reads(text, paths)


def read_hunks(arguments: Any, paths: Collection[str]) -> tuple[list[Hunk], bool]:
    """Return the hunks of these files in a call's arguments, and whether they are a whole file."""
    if isinstance(arguments, str):
        return [*_read_patch(arguments, paths)] if _is_patch(arguments) else [], False
    if isinstance(arguments, dict):
        return _read_fields(arguments, paths)
    items = [read_hunks(item, paths) for item in arguments] if isinstance(arguments, list) else []
    return [hunk for hunks, _ in items for hunk in hunks], False


def _read_fields(arguments: Mapping[str, Any], paths: Collection[str]) -> tuple[list[Hunk], bool]:
    new, old, whole = (_first(arguments, keys) for keys in (_NEW, _OLD, _WHOLE))
    if new is not None:
        return [(_lines(old or ""), _lines(new))], False
    if whole is not None and not _is_patch(whole):
        return [((), _lines(whole))], True
    return read_hunks([*arguments.values()], paths)


def _first(arguments: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((value for key in keys if isinstance(value := arguments.get(key), str)), None)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").splitlines()) if text else ()


def _is_patch(text: str) -> bool:
    return _BEGIN in text or _HUNK.search(text) is not None


def _read_patch(text: str, paths: Collection[str]) -> Iterator[Hunk]:
    """Yield the hunks of ``paths`` in a patch, in Codex's format or as a unified diff, and all hunks before
    the first file name."""
    old: list[str] = []
    new: list[str] = []
    is_wanted = True
    text = _UNIFIED.sub(r"*** Update File: \1", text.replace("\r\n", "\n"))
    for line in [*text.split("\n"), "@@"]:
        named = _HEADER.match(line)
        if named or line.startswith(("@@", "*** ", "diff --git ")):
            if is_wanted and (old or new):
                yield tuple(old), tuple(new)
            old, new = [], []
            is_wanted = is_one_of(named[1].strip(), paths) if named else is_wanted
            continue
        if line[:1] in ("+", " "):
            new.append(line[1:])
        if line[:1] in ("-", " "):
            old.append(line[1:])


def is_one_of(path: str, paths: Collection[str]) -> bool:
    """Whether ``path`` may be one of ``paths``: patches name files relative to their call's folder."""
    return any(path == p or path.endswith(f"/{p}") or p.endswith(f"/{path}") for p in paths)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)

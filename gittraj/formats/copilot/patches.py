"""VS Code's chat sessions as a log of patches, ``chatSessions/<id>.jsonl``; ``chat`` reads the result.

``{kind 0, v}`` is the whole state, ``{kind 1, k, v}`` sets the value at the path ``k``, ``{kind 2, k, v,
i}`` cuts the list at ``k`` to ``i`` elements and appends ``v``, ``{kind 3, k}`` deletes the value at ``k``
(objectMutationLog.ts of VS Code). A later patch may change anything, so the log is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.formats.base import coerce, lines
from gittraj.formats.base.lines import Lines
from gittraj.formats.copilot import chat
from gittraj.model.session_items import START, Cursor, Damage, Item

name = "copilot-vscode-log"
agent = "copilot"

_TRUSTED = frozenset(("kind",))
_CUT_FIRST_LINE = re.compile(rb'(?:\xef\xbb\xbf)?\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:\s*\{')
_INITIAL, _SET, _PUSH, _DELETE = range(4)


def detect(head: bytes) -> bool:
    objects = lines.head(head, limit=1)
    if objects and objects[0].get("kind") == _INITIAL:
        return "requests" in coerce.mapping(objects[0].get("v"))
    return not objects and _CUT_FIRST_LINE.match(head) is not None


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    """Yield the items of the session that results from the patches. ``session`` replaces a missing id."""
    state: Any = None
    end = 0
    for fragment in Lines(stream, trusted=_TRUSTED):
        if isinstance(fragment, Damage):
            yield fragment
        else:
            state = _apply(state, fragment.value)
            end = fragment.end
    yield from chat.items(state, session, end)


def _apply(state: Any, patch: dict[str, Any]) -> Any:
    """The state after a patch; a patch whose path does not exist changes nothing."""
    kind, path, value = patch.get("kind"), patch.get("k"), patch.get("v")
    if kind == _INITIAL:
        return value
    if isinstance(path, list) and path:
        holder = state
        for key in path[:-1]:
            holder = _at(holder, key)
        _change(holder, path[-1], kind, value, patch.get("i"))
    return state


def _change(holder: Any, key: Any, kind: Any, value: Any, keep: Any) -> None:
    if kind == _PUSH:
        value = _extended(coerce.sequence(_at(holder, key)), keep, coerce.sequence(value))
    elif kind not in (_SET, _DELETE):
        return
    if isinstance(holder, dict) and isinstance(key, str):
        holder[key] = None if kind == _DELETE else value
    elif isinstance(holder, list) and type(key) is int and 0 <= key <= len(holder):
        holder[key : key + 1] = [value]


def _extended(values: list[Any], keep: Any, more: list[Any]) -> list[Any]:
    """The first ``keep`` of the values, all if that is not a number, and ``more``."""
    end = keep if type(keep) is int and keep >= 0 else len(values)
    return values[:end] + more


def _at(holder: Any, key: Any) -> Any:
    if isinstance(holder, dict) and isinstance(key, str):
        return holder.get(key)
    if isinstance(holder, list) and type(key) is int and 0 <= key < len(holder):
        return holder[key]
    return None

"""The files that Codex says a patch changed: ``file_change`` items and ``patch_apply_begin`` events.

As list: ``[{path, kind}]``. As object: ``{path: {type, content, unified_diff, move_path}}``, and before that
had a ``type``, ``{path: {add: {content}}}``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.edits import only_in, written
from gittraj.model.session_items import Edit
from gittraj.model.values import FileKind

_KINDS: dict[str, FileKind] = {"add": "add", "delete": "delete", "update": "update"}


def edits(changes: Any) -> tuple[Edit, ...]:
    """The files as they were left; lines are known only where the log has them."""
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
    added, removed = _lines(coerce.text(change.get("unified_diff")) or coerce.text(change.get("diff")) or "")
    target = coerce.text(change.get("move_path"))
    if target is not None:
        yield Edit(path=path, kind="delete")
    yield Edit(path=target or path, kind="rename" if target else kind, added=added, removed=removed)


def _lines(diff: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the hunks of a unified diff add and remove."""
    hunks = diff[diff.find("@@") :].split("\n") if "@@" in diff else []
    added = [line[1:] for line in hunks if line.startswith("+")]
    removed = [line[1:] for line in hunks if line.startswith("-")]
    return only_in(added, removed), only_in(removed, added)

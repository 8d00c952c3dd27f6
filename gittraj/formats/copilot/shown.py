"""What single parts of a VS Code chat answer show: a text, a group of edits, the output of a call."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.copilot import calls
from gittraj.model.session_items import Edit

GROUPS = ("textEditGroup", "notebookEditGroup")
_EDITS = re.compile("edit|patch|replace|create|insert", re.IGNORECASE)
_FENCE = "```"
_DEPTH = 200


def text(part: dict[str, Any]) -> str | None:
    """What a part shows as text; ``None`` for a part of another kind."""
    kind = part.get("kind")
    if kind == "inlineReference":
        return _reference(part)
    if kind == "markdownContent":
        value = coerce.mapping(part.get("content")).get("value")
    elif kind is None:
        value = part.get("value")
    else:
        return None
    if not isinstance(value, str):
        return None
    return "" if value.strip() == _FENCE else value  # the frame of a group of edits


def groups(parts: list[dict[str, Any]], asked: dict[int, tuple[str, Any]]) -> dict[int, list[Edit]]:
    """The edits that are shown and that no call's arguments tell, by the ordinal of the call that made them,
    else by the group's own. ``asked`` are name and arguments of the calls, where they are known."""
    output: dict[int, list[Edit]] = {}
    paths: set[str] = set()
    maker: int | None = None
    edits_files = False
    for ordinal, part in enumerate(parts):
        if part.get("kind") == "toolInvocationSerialized":
            name, arguments = asked.get(ordinal, (str(part.get("toolId")), None))
            paths |= {edit.path for edit in calls.edits(name, arguments)}
            maker, edits_files = ordinal, _EDITS.search(name) is not None
        elif not edits_files and (text(part) or "").strip():
            maker = None
        elif part.get("kind") in GROUPS and (edit := _group(part)) and edit.path not in paths:
            output.setdefault(ordinal if maker is None else maker, []).append(edit)
    return output


def _group(part: dict[str, Any]) -> Edit | None:
    uri = coerce.mapping(part.get("uri"))
    path = coerce.text(uri.get("fsPath")) or coerce.text(uri.get("path"))
    batches = part.get("edits")
    edits = [edit for batch in batches for edit in coerce.objects(batch)] if isinstance(batches, list) else []
    texts = [edit["text"] for edit in edits if isinstance(edit.get("text"), str)]
    return (
        Edit(path=path, added=tuple(line for edit in texts for line in edit.splitlines())) if path else None
    )


def _reference(part: dict[str, Any]) -> str:
    reference = coerce.mapping(part.get("inlineReference"))
    uri = coerce.mapping(reference.get("uri")) or coerce.mapping(
        coerce.mapping(reference.get("location")).get("uri")
    )
    path = coerce.text((uri or reference).get("path")) or ""
    named = coerce.text(part.get("name")) or coerce.text(reference.get("name")) or posixpath.basename(path)
    return f"`{named}`" if named else ""


def output(part: dict[str, Any], result: dict[str, Any], special: dict[str, Any]) -> str | None:
    """What the call gave, as the model saw it, else as it was shown; ``None`` if it has not ended."""
    if texts := [_flat(item.get("value")) for item in coerce.objects(result.get("content"))]:
        return "\n".join(texts)
    if part and part.get("isComplete") is not True:
        return None
    if text := coerce.text(coerce.mapping(special.get("terminalCommandOutput")).get("text")):
        return text
    details = coerce.mapping(part.get("resultDetails")).get("output")
    if isinstance(details, str):
        return details
    if texts := [text for item in coerce.objects(details) if (text := coerce.text(item.get("value")))]:
        return "\n".join(texts)
    message = part.get("pastTenseMessage")
    shown = message if isinstance(message, str) else coerce.mapping(message).get("value")
    return (coerce.text(shown) or "") if part else None


def _flat(value: Any) -> str:
    """A result's text; it may be a tree as VS Code lays out its prompts."""
    if isinstance(value, str):
        return value
    pieces: list[str] = []
    waiting = [(value, 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, dict) and depth < _DEPTH:
            if isinstance(node.get("text"), str):
                pieces.append("\n" if node.get("lineBreakBefore") is True and pieces else "")
                pieces.append(node["text"])
            inner = [node.get("node"), *coerce.objects(node.get("children"))]
            waiting += [(item, depth + 1) for item in reversed(inner) if isinstance(item, dict)]
    return "".join(pieces)

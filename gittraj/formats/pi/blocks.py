"""The parts of a message in pi's sessions: content, edits of a call, and tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, images, line_changes
from gittraj.model.session_items import Edit, Spent
from gittraj.model.values import Artifact, Usage


def edits(tool: str, path: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    if tool == "write":
        whole = fields.get("content")
        lines_of = tuple(whole.splitlines()) if isinstance(whole, str) else None
        return () if lines_of is None else (Edit(path=path, added=lines_of, whole=whole),)
    if tool != "edit":
        return ()
    added: list[str] = []
    removed: list[str] = []
    for change in coerce.objects(fields.get("edits")) or [fields]:
        old, new = ((coerce.text(change.get(key)) or "").splitlines() for key in ("oldText", "newText"))
        added += line_changes.only_in(new, old)
        removed += line_changes.only_in(old, new)
    return (Edit(path=path, added=tuple(added), removed=tuple(removed)),)


def content(value: Any) -> tuple[str, Artifact | None]:
    """The text of content blocks with a placeholder for each image, and the first image."""
    if isinstance(value, str):
        return value.strip(), None
    parts: list[str] = []
    artifact: Artifact | None = None
    for block in coerce.objects(value):
        if block.get("type") == "image":
            image = images.from_base64(block.get("data"), block.get("mimeType"))
            artifact = artifact or image
            parts.append(images.placeholder(image))
        elif text := coerce.text(block.get("text")):
            parts.append(text)
    return "\n".join(parts), artifact


def spent(response: str, value: Any) -> Iterator[Spent]:
    numbers = coerce.mapping(value)
    if not numbers:
        return
    cost = coerce.cost(coerce.mapping(numbers.get("cost")).get("total"))
    usage = Usage(
        input_tokens=coerce.count(numbers.get("input")),
        cache_read_tokens=coerce.count(numbers.get("cacheRead")),
        cache_write_tokens=coerce.count(numbers.get("cacheWrite")),
        output_tokens=coerce.count(numbers.get("output")),
        reasoning_tokens=coerce.count(numbers.get("reasoning")),
    )
    yield Spent(response=response, usage=usage, cost=cost)

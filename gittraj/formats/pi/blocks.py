"""The parts of a message in pi's sessions: content, edits of a call, and tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.formats.base.edits import pairs, replaced, written
from gittraj.model.session_items import Edit, Spent
from gittraj.model.values import Artifact, Usage


def edits(tool: str, path: str, fields: dict[str, Any]) -> tuple[Edit, ...]:
    if tool == "write":
        return written(path, fields.get("content"))
    changes = coerce.objects(fields.get("edits")) or [fields]
    return (replaced(path, pairs(changes, ["oldText"], ["newText"])),) if tool == "edit" else ()


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

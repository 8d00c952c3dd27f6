"""Images and documents among Claude Code's content blocks: described, but never stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.model.values import Artifact

KINDS = ("image", "document")


def attached(block: dict[str, Any]) -> tuple[Artifact | None, str]:
    """A description of the image or document in ``block``, and its placeholder.

    A document of plain text is its own text; one stored elsewhere is named by its address.
    """
    source = coerce.mapping(block.get("source"))
    data, url = coerce.text(source.get("data")), coerce.text(source.get("url"))
    if source.get("type") == "text" and data:
        return None, data
    if image := images.from_base64(data, source.get("media_type")) or images.from_uri(url):
        return image, images.placeholder(image)
    where = f" {url}" if url and not url.startswith("data:") else ""
    return None, f"[{block.get('type')}{where}]"


def first(content: Iterable[dict[str, Any]]) -> Artifact | None:
    """The first image or document of a message; an event has room for one."""
    images = (attached(block)[0] for block in content if block.get("type") in KINDS)
    return next((artifact for artifact in images if artifact), None)

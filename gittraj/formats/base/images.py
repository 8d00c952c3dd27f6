"""Images are never stored, only their media type, size and hash: notes must not contain media."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.values import Artifact

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,80}")


def from_base64(data: Any, media_type: Any) -> Artifact | None:
    """The image that ``data`` encodes, or ``None`` if ``data`` is not base64."""
    if not isinstance(data, str):
        return None
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    known = isinstance(media_type, str) and _MEDIA_TYPE.fullmatch(media_type)
    return Artifact(
        media_type=media_type if known else "application/octet-stream",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def from_uri(uri: Any) -> Artifact | None:
    """The image in a ``data:`` URI (RFC 2397, base64)."""
    if not isinstance(uri, str) or not uri.startswith("data:"):
        return None
    kind, _, data = uri[5:].partition(",")
    return from_base64(data, kind.partition(";")[0])


def of_block(block: dict[str, Any]) -> Artifact | None:
    """The image of a content block, which may have a ``source``."""
    source = coerce.mapping(block.get("source")) or block
    return from_base64(source.get("data"), coerce.first(source, "media_type", "mimeType", "mime_type"))


def joined(content: Any) -> tuple[str, Artifact | None]:
    """A text, or the texts of content blocks with a placeholder for each image; and the first image."""
    if isinstance(content, str):
        return content, None
    fragments: list[str] = []
    artifact = None
    for block in coerce.objects(content):
        if block.get("type") == "image":
            image = of_block(block)
            artifact = artifact or image
            fragments.append(placeholder(image))
        elif text := coerce.text(block.get("text")):
            fragments.append(text)
    return "\n".join(fragments), artifact


def placeholder(image: Artifact | None) -> str:
    """The text that replaces an image."""
    return f"[{image.media_type}, {image.bytes} bytes]" if image else "[image]"


_LONG_BASE64 = re.compile(r"(?=.{2001})[A-Za-z0-9+/_-]{2000,}={0,2}")


def without_media(value: Any) -> Any:
    """A JSON value with a placeholder for each image or other medium."""
    match value:
        case str():
            image = from_uri(value) or (from_base64(value, None) if _LONG_BASE64.fullmatch(value) else None)
            return placeholder(image) if image else value
        case list():
            return [without_media(item) for item in value]
        case dict():
            return {key: without_media(item) for key, item in value.items()}
        case _:
            return value

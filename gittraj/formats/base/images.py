"""Images are never stored, only their media type, size and hash."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Any

from gittraj.model.values import Artifact

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,80}")


def from_base64(data: Any, media_type: Any) -> Artifact | None:
    """The image that ``data`` encodes, or ``None`` if it encodes nothing."""
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


def placeholder(image: Artifact | None) -> str:
    """The text that replaces an image."""
    return f"[{image.media_type}, {image.bytes} bytes]" if image else "[image]"

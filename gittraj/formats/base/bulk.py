"""Replaces media embedded in a document, which a note must not contain, with placeholders."""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base import images

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{2000,}={0,2}")
_DATA = "data:"


def without_media(value: Any) -> Any:
    """A JSON value with a placeholder for each medium."""
    match value:
        case str() if value.startswith(_DATA) or len(value) > 2000:
            image = images.from_uri(value) or (
                images.from_base64(value, None) if _BASE64.fullmatch(value) else None
            )
            return images.placeholder(image) if image else value
        case list():
            return [without_media(item) for item in value]
        case dict():
            return {key: without_media(item) for key, item in value.items()}
        case _:
            return value

"""What a document holds that no note may: media, as data in a text. A placeholder stands in for each."""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base import images

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{2000,}={0,2}")
_DATA = "data:"


def without_media(value: Any) -> Any:
    """A JSON value without media in it."""
    match value:
        case str() if value.startswith(_DATA) or len(value) > 2000:
            found = images.from_uri(value) or (
                images.from_base64(value, None) if _BASE64.fullmatch(value) else None
            )
            return images.placeholder(found) if found else value
        case list():
            return [without_media(each) for each in value]
        case dict():
            return {key: without_media(each) for key, each in value.items()}
        case _:
            return value

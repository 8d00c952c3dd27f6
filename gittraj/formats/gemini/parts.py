"""Google's content parts (``Part`` of the Gemini API), of which Gemini CLI's messages are made.

A message's content is a text, one part or a list of either; everything else in it is left out. It must not
decide who said something.
"""

from __future__ import annotations

from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.model.values import Artifact

Part = dict[str, Any]


def parts(content: Any) -> list[Part]:
    """The content as parts; a bare text is one text part."""
    items = content if isinstance(content, list) else [content]
    return [{"text": p} if isinstance(p, str) else p for p in items if isinstance(p, str | dict)]


def text(part: Part) -> str | None:
    """The part's text, or the placeholder of its image. None for calls and responses."""
    if image := inline(part):
        return images.placeholder(image)
    return coerce.text(part.get("text"))


def inline(part: Part) -> Artifact | None:
    """The image or other data in the part."""
    data = coerce.mapping(part.get("inlineData"))
    return images.from_base64(data.get("data"), data.get("mimeType"))


def function_call(part: Part) -> Part | None:
    return part["functionCall"] if isinstance(part.get("functionCall"), dict) else None


def function_response(part: Part) -> Part | None:
    return part["functionResponse"] if isinstance(part.get("functionResponse"), dict) else None

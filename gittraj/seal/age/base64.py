"""Base64 as age wants it: one text for the same bytes, so that nobody can write a seal in another way."""

from __future__ import annotations

from base64 import b64decode, b64encode


def encode(data: bytes, *, padded: bool = False) -> str:
    """``padded`` is how everybody but age's headers writes it."""
    text = b64encode(data).decode()
    return text if padded else text.rstrip("=")


def decode(text: str, *, padded: bool = False) -> bytes:
    """Raises ValueError for all that :func:`encode` does not write: line breaks, bits that are left over."""
    data = b64decode(text if padded else text + "=" * (-len(text) % 4))
    if encode(data, padded=padded) != text:
        raise ValueError("not canonical")
    return data

"""Base64 as age wants it: one text for the same bytes, so that nobody can write a seal in another way;
and the text form of an age file, strict PEM (RFC 7468, section 3) with nothing but white space around it."""

from __future__ import annotations

from base64 import b64decode, b64encode

from gittraj.seal.age.errors import ArmorError

BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----"
_END = "-----END AGE ENCRYPTED FILE-----"
_COLUMNS = 64


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


def armor(file: bytes) -> str:
    """Ends with a newline."""
    text = encode(file, padded=True)
    lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
    return "\n".join([BEGIN, *lines, _END, ""])


def dearmor(text: str) -> bytes:
    """The file. Lines may end with CRLF; raises ArmorError for all else that :func:`armor` won't write."""
    first, *lines = text.strip(" \t\r\n").replace("\r\n", "\n").split("\n")
    if first != BEGIN or not lines or lines.pop() != _END:
        raise ArmorError("not an armored age file: it must begin and end with age's own lines")
    if any(len(line) != _COLUMNS for line in lines[:-1]) or (lines and not 0 < len(lines[-1]) <= _COLUMNS):
        raise ArmorError(f"a damaged armored age file: its lines are not of {_COLUMNS} characters")
    try:
        return decode("".join(lines), padded=True)
    except ValueError:
        raise ArmorError("a damaged armored age file: its base64 is not as age writes it") from None

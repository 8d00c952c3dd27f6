"""The text form of an age file: strict PEM (RFC 7468, section 3), with nothing but white space around it."""

from __future__ import annotations

from gittraj.seal.age import base64
from gittraj.seal.age.errors import ArmorError

BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----"
_END = "-----END AGE ENCRYPTED FILE-----"
_COLUMNS = 64


def armor(file: bytes) -> str:
    """Ends with a newline."""
    text = base64.encode(file, padded=True)
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
        return base64.decode("".join(lines), padded=True)
    except ValueError:
        raise ArmorError("a damaged armored age file: its base64 is not as age writes it") from None

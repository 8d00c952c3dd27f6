"""Reads the beginning of a file, enough to recognise its format."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from gittraj.formats.base import document

HEAD = 65536
"""Bytes of a file that decide on its format."""
_PIECE = re.compile(rb'[^"]+|"(?:[^"\\]|\\.)*"', re.DOTALL)


def read_head(path: Path) -> bytes:
    """The first bytes of the file; none where there is no file to read. A pipe may never answer."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except (OSError, ValueError):
        return b""


def peek(head: bytes) -> Any:
    """The value that begins with ``head``, which may be cut anywhere; ``None`` if it is not JSON."""
    end = 0
    while match := _PIECE.match(head, end):
        end = match.end()
    return document.load(io.BytesIO(head[:end]))[0]  # without the text that the cut went through

"""Reads the beginning of a JSON document, enough to recognise its format."""

from __future__ import annotations

import io
import re
from typing import Any

from gittraj.formats.base import document

_PIECE = re.compile(rb'[^"]+|"(?:[^"\\]|\\.)*"', re.DOTALL)


def peek(head: bytes) -> Any:
    """The value that begins with ``head``, which may be cut anywhere; ``None`` if it is not JSON."""
    end = 0
    while match := _PIECE.match(head, end):
        end = match.end()
    return document.load(io.BytesIO(head[:end]))[0]  # without the text that the cut went through

"""The beginning of a JSON document, as far as it can be read: enough to tell whose it is."""

from __future__ import annotations

import io
import re
from typing import Any

from gittraj.formats.base import document

_PIECE = re.compile(rb'[^"]+|"(?:[^"\\]|\\.)*"', re.DOTALL)


def peek(head: bytes) -> Any:
    """The value that begins with ``head``, which may be cut anywhere; ``None`` if it is no JSON."""
    end = 0
    while match := _PIECE.match(head, end):
        end = match.end()
    return document.load(io.BytesIO(head[:end]))[0]  # without the text that the cut went through

"""Estimates how much of a comment is visible above the fold, in lines on a desktop. Pure.

The numbers were measured in a browser; ``benchmarks/pictures.py`` measures them again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FOLD = 30.5
"""Lines visible at once on a desktop: 650 pixels at GitHub's 21 per line, less a margin."""
TABLE = 4.1
"""The lines that a table's title, header row and margins take."""
_LINE, _CELLS = 115, 85
"""The characters that fit on one line, and in a row of a table before it wraps."""
_PARAGRAPH, _ALERT, _ROW = 1.75, 0.5, 1.6
_TARGET = re.compile(r"\]\([^)]*\)")


def height(text: str) -> float:
    """The lines that paragraphs and quotations of Markdown take."""
    lines = [line for line in _TARGET.sub("", text).splitlines() if line.strip("> ")]
    return sum(_PARAGRAPH + len(line) // _LINE + _ALERT * line.startswith("> [!") for line in lines)


def row(characters: int) -> float:
    """The lines that a table's row with this number of characters takes."""
    return _ROW + characters // _CELLS


def count_fitting(rows: Sequence[float], room: float) -> int:
    """How many rows with these heights fit into ``room``, but at least one, if there is any."""
    number = 0
    for each in rows:
        room -= each
        if room < 0 and number:
            break
        number += 1
    return number

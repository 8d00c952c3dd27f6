"""How much of a comment is seen before its folds: estimated in lines of text on a desktop, measured once with
a browser (``benchmarks/pictures.py`` measures again). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

FOLD = 30.5
"""Lines that a desktop shows at once: 650 pixels at GitHub's 21 a line, and a little to spare."""
TABLE = 4.1
"""Lines of a table's heading, head and margins."""
_LINE, _CELLS = 115, 85
"""Characters on one line, and in one row of a table before it becomes higher."""
_PARAGRAPH, _ALERT, _ROW = 1.75, 0.5, 1.6
_TARGET = re.compile(r"\]\([^)]*\)")


def height(text: str) -> float:
    """Lines that paragraphs and quotations of Markdown take."""
    told = [line for line in _TARGET.sub("", text).splitlines() if line.strip("> ")]
    return sum(_PARAGRAPH + len(line) // _LINE + _ALERT * line.startswith("> [!") for line in told)


def row(characters: int) -> float:
    """Lines of a table's row with that much text in it."""
    return _ROW + characters // _CELLS


def fitting(rows: Sequence[float], room: float) -> int:
    """How many of ``rows``, each with its height, fit into ``room``; one in any case."""
    taken = 0
    for each in rows:
        room -= each
        if room < 0 and taken:
            break
        taken += 1
    return taken

"""Draws terminal output with ANSI colours as an SVG picture."""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise

_WIDE, _HIGH, _EDGE = 8.43, 20, 16  # pixels: a character's width, a line's height, the margin
_COLOURS = {"1": "#fff", "2": "#9198a1", "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff"}
_FONT = "ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace"
_ANSI_CODE = re.compile(r"\x1b\[([0-9;]*)m")


def picture(text: str) -> str:
    """Return the SVG. It is dark in a light theme, too; its text can be searched and read aloud."""
    rows = text.rstrip("\n").split("\n")
    columns = max(len(_ANSI_CODE.sub("", row)) for row in rows)
    width, height = round(columns * _WIDE) + 2 * _EDGE, len(rows) * _HIGH + 2 * _EDGE
    lines = [_line(row, _EDGE + (number + 0.75) * _HIGH) for number, row in enumerate(rows)]
    size = f'width="{width}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size}>',
            f'<rect {size} rx="8" fill="#151b23"/>',
            f'<g font-family="{_FONT}" font-size="14" fill="#d1d7e0">',
            *lines,
            "</g>\n</svg>\n",
        ]
    )


def _line(row: str, y: float) -> str:
    cuts = [(0, ""), *((found.end(), found[1]) for found in _ANSI_CODE.finditer(row)), (len(row), "")]
    spans, at = [], 0
    for (start, style), (end, _) in pairwise(cuts):
        shown = _ANSI_CODE.sub("", row[start:end])
        colour = next((_COLOURS[code] for code in style.split(";") if code in _COLOURS), "")
        if shown:  # the span begins at its column, and has the same width in any font
            place = f'x="{_EDGE + at * _WIDE:.1f}" textLength="{len(shown) * _WIDE:.1f}"'
            fill = f' fill="{colour}"' if colour else ""
            kept = escape(shown, quote=False).replace(" ", "\u00a0")  # plain spaces would collapse
            spans.append(f"<tspan {place}{fill}>{kept}</tspan>")
        at += len(shown)
    return f'<text y="{y:.0f}">{"".join(spans)}</text>'

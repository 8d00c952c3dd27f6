"""Text for a terminal: escaped, measured, wrapped and coloured.

Renderers escape all text before colouring it, so every escape sequence in the output is ours.
"""

from __future__ import annotations

from collections.abc import Iterable

from gittraj.frozen import dataclass
from gittraj.render.text.wrapping import cut, escape, escape_line, width, wrap

__all__ = ["Page", "cut", "escape", "escape_line", "width", "wrap"]

_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


@dataclass(frozen=True, slots=True)
class Page:
    """The width of lines (None: unlimited), and whether they are coloured."""

    columns: int | None = None
    colour: bool = False

    def paint(self, text: str, *styles: str) -> str:
        """``text``, which must be escaped, in these styles (``bold``, ``dim``, ``red`` …)."""
        if not self.colour or not text or not styles:
            return text
        return f"\x1b[{';'.join(_COLOURS[s] for s in styles)}m{text}\x1b[0m"

    def room(self, indent: int) -> int | None:
        return None if self.columns is None else max(self.columns - indent, 8)

    def block(
        self, text: str, *styles: str, indent: int = 0, label: str = "", lines: int | None = None
    ) -> list[str]:
        """Escaped text as lines that begin at ``indent``, the first after a ``label``."""
        rows = wrap(text, self.room(indent), lines=lines)
        margin = " " * indent
        first = self.paint(label, "cyan") + " " * (indent - width(label)) if label else margin
        leads: Iterable[str] = (first, *(margin for _ in rows[1:]))
        return [f"{lead}{self.paint(row, *styles)}".rstrip() for lead, row in zip(leads, rows, strict=True)]

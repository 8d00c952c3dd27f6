"""Text for a terminal: made harmless, measured, wrapped and coloured.

Everything that a renderer for the terminal shows goes through ``escape()`` first; only then is it painted, so
that an escape sequence in the output is always one of ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = str.maketrans({"\u2028": "\n", "\u2029": "\n", "\t": "    "})
_PAINT = re.compile("\x1b\\[[0-9;]*m")
_WORDS = re.compile(r"(\s*)(\S+)")
_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


def escape(text: str) -> str:
    """``text`` without any power over a terminal; newlines stay.

    Controls are shown in caret notation, direction marks and C1 controls by their number (``<U+202E>``);
    characters without width that join, hide or tag others are dropped.
    """
    flat = text.replace("\r\n", "\n").translate(_BREAKS)
    if flat.isascii() and flat.replace("\n", "").isprintable():
        return flat
    return "".join(map(_harmless, flat))


def escape_line(text: str) -> str:
    """The same on one line: every stretch of white space is one space."""
    return " ".join(escape(text).split())


def _harmless(sign: str) -> str:
    if sign == "\n":
        return sign
    match unicodedata.category(sign):
        case "Cc" if sign < "\x80":
            return f"^{chr(ord(sign) ^ 0x40)}"
        case "Cc":
            return f"<U+{ord(sign):04X}>"
        case "Cf":
            return f"<U+{ord(sign):04X}>" if sign in _BIDI else ""
        case "Cs":
            return "\ufffd"
        case _:
            return sign


def width(text: str) -> int:
    """Columns that escaped (and painted) ``text`` takes in a terminal."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(_columns, _PAINT.sub("", text)))


def _columns(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def cut(text: str, columns: int | None) -> str:
    """One line of at most ``columns``, ended by an ellipsis when some is gone."""
    if columns is None or width(text) <= columns:
        return text
    bare = _PAINT.sub("", text)
    room = max(columns - 1, 0)
    end = 0
    for sign in bare:
        room -= _columns(sign)
        if room < 0:
            break
        end += 1
    return f"{bare[:end].rstrip()}…"


def wrap(text: str, columns: int | None, *, lines: int | None = None) -> list[str]:
    """Lines of at most ``columns`` (None: as long as they are), broken at white space, never with hyphens.

    A word that is longer than a line, and text in wide letters, is broken where the line is full. With
    ``lines`` at most so many, the last ended by an ellipsis.
    """
    if columns is None:
        wrapped = [line.rstrip() for line in text.split("\n")]
    else:
        wrapped = [row for line in text.split("\n") for row in _rows(line, max(columns, 8))]
    if lines is not None and len(wrapped) > lines:
        last = wrapped[lines - 1].rstrip(" .,;:")
        wrapped = [*wrapped[: lines - 1], cut(f"{last} …", columns) if columns else f"{last} …"]
    return wrapped


def _rows(line: str, columns: int) -> Iterator[str]:
    row, used = "", 0
    for gap, piece in _pieces(line, columns):
        size = width(piece)
        if row.strip() and used + gap + size > columns:
            yield row
            row, used = piece, size
        else:
            row, used = f"{row}{' ' * gap}{piece}", used + gap + size
    yield row


def _pieces(line: str, columns: int) -> Iterator[tuple[int, str]]:
    """What must not be broken, each after so many spaces."""
    for space, word in _WORDS.findall(line):
        gap = min(len(space), columns // 2)
        if width(word) <= columns and not any(_columns(sign) == 2 for sign in word):
            yield gap, word
            continue
        piece, used = "", 0
        for sign in word:
            size = _columns(sign)
            if piece and size and (used + size > columns or 2 in (size, _columns(piece[0]))):
                yield gap, piece
                gap, piece, used = 0, "", 0
            piece, used = piece + sign, used + size
        yield gap, piece


@dataclass(frozen=True, slots=True)
class Page:
    """How wide lines may be (None: into a pipe), and whether they are painted."""

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

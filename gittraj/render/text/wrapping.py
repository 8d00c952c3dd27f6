"""Text for a terminal: made harmless, measured and wrapped. It must import next to nothing that a console
script has not: see ``gittraj.index.fast_open``.
"""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = str.maketrans({"\u2028": "\n", "\u2029": "\n", "\t": "    "})
_PAINT = re.compile("\x1b\\[[0-9;]*m")
_WORDS = re.compile(r"(\s*)(\S+)")


def escape(text: str) -> str:
    """``text`` without any power over a terminal; newlines stay.

    Controls are shown in caret notation, direction marks and C1 controls by their number (``<U+202E>``);
    characters without width that join, hide or tag others are dropped.
    """
    flat = text.replace("\r\n", "\n").translate(_BREAKS)
    if flat.replace("\n", "").isprintable():  # so is every sign that stays as it is, but for blanks
        return flat
    return flat.translate({ord(sign): _harmless(sign) for sign in set(flat)})


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
            kept = min(gap, columns - used - size)  # an indent gives way to a word that fills the line
            row, used = f"{row}{' ' * kept}{piece}", used + kept + size
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

"""Text for a terminal: escaped, measured, wrapped and coloured.

Renderers escape all text before colouring it, so every escape sequence in the output comes from ``paint``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from gittraj.frozen import dataclass
from gittraj.model.unseen import drop_unseen

_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = str.maketrans({"\u2028": "\n", "\u2029": "\n", "\t": "    "})
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_MAX_PER_COLUMN = 4  # characters: some have no width
_WORDS = re.compile(r"(\s*)(\S+)")


@dataclass(frozen=True, slots=True)
class Page:
    """The width of lines (None: unlimited), and whether they are coloured."""

    columns: int | None = None
    colour: bool = False

    def paint(self, text: str, *styles: str) -> str:
        """Return ``text``, which must be escaped, in these styles (``bold``, ``dim``, ``red`` …)."""
        if not self.colour or not text or not styles:
            return text
        return f"\x1b[{';'.join(_COLOURS[s] for s in styles)}m{text}\x1b[0m"

    def room(self, indent: int) -> int | None:
        """The columns that are left after an indent."""
        return None if self.columns is None else max(self.columns - indent, 8)

    def block(
        self, text: str, *styles: str, indent: int = 0, label: str = "", lines: int | None = None
    ) -> list[str]:
        """Return escaped text as lines that begin at ``indent``, the first after a ``label``."""
        rows = wrap(text, self.room(indent), lines=lines)
        margin = " " * indent
        first = self.paint(label, "cyan") + " " * (indent - width(label)) if label else margin
        leads: Iterable[str] = (first, *(margin for _ in rows[1:]))
        return [f"{lead}{self.paint(row, *styles)}".rstrip() for lead, row in zip(leads, rows, strict=True)]


def escape(text: str) -> str:
    """Escape ``text`` so that it cannot control a terminal; newlines are kept.

    Control characters are shown in caret notation, direction marks and C1 controls by number (``<U+202E>``);
    other invisible characters are handled by ``drop_unseen``.
    """
    flat = text.replace("\r\n", "\n").translate(_BREAKS)
    if flat.isascii() and flat.replace("\n", "").isprintable():  # nothing to escape
        return flat
    return drop_unseen(flat.translate({ord(char): _harmless(char) for char in set(flat)}))


def escape_line(text: str) -> str:
    """Return ``text`` escaped, on one line: white space is collapsed to single spaces."""
    return " ".join(escape(text).split())


def _harmless(char: str) -> str:
    if char == "\n":
        return char
    match unicodedata.category(char):
        case "Cc" if char < "\x80":
            return f"^{chr(ord(char) ^ 0x40)}"
        case "Cc":
            return f"<U+{ord(char):04X}>"
        case "Cf" if char in _BIDI:
            return f"<U+{ord(char):04X}>"
        case "Cs":
            return "\ufffd"
        case _:
            return char


def width(text: str) -> int:
    """The columns that escaped (and perhaps painted) ``text`` takes in a terminal."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(_columns, _COLOUR.sub("", text)))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, columns: int | None) -> str:
    """Shorten a line to at most ``columns``, and to at most ``_MAX_PER_COLUMN`` characters per column. If it
    was cut, it ends with an ellipsis."""
    if columns is None or (text.isascii() and len(text) <= columns):
        return text
    bare = _COLOUR.sub("", text)
    if len(bare) <= _MAX_PER_COLUMN * columns and width(bare) <= columns:
        return text
    room = max(columns - 1, 0)
    end = 0
    for char in bare[: _MAX_PER_COLUMN * columns]:
        room -= _columns(char)
        if room < 0:
            break
        end += 1
    return f"{bare[:end].rstrip()}…"


def wrap(text: str, columns: int | None, *, lines: int | None = None) -> list[str]:
    """Return lines of at most ``columns`` (None: of any length), broken at white space, never with hyphens.

    A word that is longer than a line, and text in wide letters, is broken where the line is full. ``lines``
    is the most lines to return; if there are more, the last one ends with an ellipsis.
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
    for gap, piece in _unbreakable(line, columns):
        size = width(piece)
        if row.strip() and used + gap + size > columns:
            yield row
            row, used = piece, size
        else:
            spaces = min(gap, columns - used - size)  # an indent gives way to a word that fills the line
            row, used = f"{row}{' ' * spaces}{piece}", used + spaces + size
    yield row


def _unbreakable(line: str, columns: int) -> Iterator[tuple[int, str]]:
    """Yield the strings that are not broken, each after the number of spaces before it."""
    for space, word in _WORDS.findall(line):
        gap = min(len(space), columns // 2)
        if width(word) <= columns and not any(_columns(char) == 2 for char in word):
            yield gap, word
            continue
        piece, used = "", 0
        for char in word:
            size = _columns(char)
            if piece and size and (used + size > columns or 2 in (size, _columns(piece[0]))):
                yield gap, piece
                gap, piece, used = 0, "", 0
            piece, used = piece + char, used + size
        yield gap, piece


def printable(text: str) -> str:
    """Replace each character that controls a terminal by U+FFFD, since agents' text may contain escape
    sequences. Other invisible characters are handled by ``drop_unseen``."""
    return drop_unseen("".join(c if _harmless(c) == c != "\n" else "\N{REPLACEMENT CHARACTER}" for c in text))


_STYLES = (
    ("red", ("Wrong: ", "Rotate: ", "wrong: ", "Problems found.")),
    ("yellow", ("Paused ", "Off ", "note: ", "git-traj is not installed")),
    ("green", ("fixed: ", "Everything is OK.", "Nothing is wrong.")),
)


def render_line(line: str, page: Page) -> str:
    """Return a line of ``status`` or ``doctor`` escaped, wrapped and coloured, with its line break."""
    escaped = printable(line)
    indent = len(escaped) - len(escaped.lstrip())
    rows = wrap(escaped[indent:], page.room(indent))
    first, *rest = (f"{escaped[:indent]}{row}" for row in rows)
    style = next((style for style, prefixes in _STYLES if escaped.startswith(prefixes)), "")
    if not style and "(git traj doctor)" in escaped:
        style = "red"
    label, colon, text = first.partition(": ")
    if style:
        first, rest = page.paint(first, style), [page.paint(row, style) for row in rest]
    elif colon and not label.startswith(" "):
        first = f"{page.paint(label, 'cyan')}{colon}{text}"
    return "\n".join([first, *rest]) + "\n"

r"""The view of a text that the rules read: without escapes, colours and the seams of split literals.

``\n``, ``\\\"``, ``\u003d`` and ``&quot;`` become the characters they encode, at any depth of JSON in JSON;
colours are removed, and so are the quotes between ``"abc" + "def"``. A position in the view maps back to one
in the text. The text itself is never changed here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate

from .lazy import lazy

# Starts only where a run of backslashes starts, and never gives any back: linear on 300 KB of them. Each
# branch begins with a literal: else the whole is tried at every character.
_BACKSLASHED = r"""\\(?<!\\\\)(?:(?<![\w\\:]\\)\\[\w.$-]{1,64}\\[\w.$-]{1,80}  # a share, unchanged: \\host\name
          | \\*+(?:
            (?:u001[bB]|x1[bB]|033|e)(?:\[[0-9;:?]{0,24}[A-Za-z]|\][^\x07\x1b\\\n]{0,200}(?:\x07|\\{1,8}u0007))
          | u[0-9a-fA-F]{4}
          | x[2-7][0-9a-fA-F]
          | [nrtbf"'`/]
          | (?<![\"'][ ]\\)(?<![\"']\\)[ ]{0,4}\r?\n[ \t]{0,40}         # a continued line
        ))"""
_COLOURED = r"""\x1b(?:\[[0-9;:?]{0,24}[A-Za-z]|[()][AB0]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))"""
_ENTITY = r"&(?:quot|apos|amp|lt|gt|\#39|\#34|\#x27|\#x22);"
_ESCAPE = lazy(f"({_BACKSLASHED})", re.VERBOSE)  # begins with one literal, which is quick to find
_ANY_ESCAPE = lazy(f"({_BACKSLASHED}\n|{_COLOURED}|{_ENTITY})", re.VERBOSE)
# Between two parts of a literal that a program or a formatter split. It begins with a quote, not with the
# text before it: otherwise it would be tried at every character.
_SEAM = lazy(
    r"""((?P<q>["'])(?<=[\w+/=.!@\#$%^&*~-]["'])(?:
          [ \t]{0,8}(?:\+{1,2}|\.{1,2}|&|~|<>|\|\|)[ \t]{0,8}_?(?:\r?\n[ \t>|]{0,40}[+-]?[ \t]{0,40})?
        | [ \t]{0,8}\\{0,4}\r?\n[+-]?[ \t]{1,40}(?:\+{1,2}|\.{1,2}|&|~|<>|\|\|)?[ \t]{0,8}
        )["'](?=[\w+/=.!@\#$%^&*~-]))""",
    re.VERBOSE,
)
# Percent-encoding in a form or a URL in a URL; only if one of _IN_PERCENT shows that it is one.
_PERCENT = lazy(r"(%(?:2[02367CFcf]|3[ABDabd]|40|5[BDbd]|7[BDbd]))")
_IN_PERCENT = ("%22", "%3a%2f%2f", "%3A%2F%2F")
# The number or file name that a tool put before each line of a file. The first column of a table, below its
# heading, is not a line number.
_NUMBERED = lazy(r"((?:\n|\A)[ ]{0,8}\d{1,6}(?:→|\t))")
_TABBED = lazy(
    r"(?:\A|\n)[ ]{1,8}\d{1,6}\t|\A(?:(?!COPY )[^\n\t]{0,200}\n){0,4}?\d{1,6}\t[^\n]*(?:\n\d{1,6}\t|\Z)"
)
_FOUND = lazy(r"((?:\n|\A)(?:[A-Za-z]:)?[\w.@/\\-]{1,100}[:-]\d{1,6}[:-](?!\*:))")
_SEARCHED = lazy(
    r"(?:[^\n]{0,200}\n){0,6}?(?P<name>(?:[A-Za-z]:)?[\w.@/\\-]{1,100})[:-]\d{1,6}[:-][^\n]*\n(?P=name)[:-]\d{1,6}[:-]"
)
# The sign of a line that a diff or a patch adds or removes; blanks keep the indent. A merge diff has two.
_HUNK = lazy(r"(?:\n|\A)(?:@@ -|@@[\r\n]|(?P<merge>@@@ -)|\*\*\* (?:Add|Update) File: )")
_SIGNED = lazy(r"((?:\n|\A)[+-](?!\+\+ |-- |----))")
_SIGNED_TWICE = lazy(r"((?:\n|\A)[ +-]{2}(?<!\n  )(?!\+ |- |---))")
_MAY_SPLIT = lazy(r"""["'][ \t]{0,8}(?:[+.&~|<\n\\]|\r\n)""")
_TYPOGRAPHIC = str.maketrans("“”„«»「」『』‘’‚：＝，；（）｜│┃ ¦", '"""""""""\'\'\'' + ":=,;()||| |")
_FRENCH = lazy("«[ \u00a0\u202f]|[ \u00a0\u202f]»")  # a blank is between such quotes and the value
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " "}
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ENTITIES |= {"&#39;": "'", "&#34;": '"', "&#x27;": "'", "&#x22;": '"'}


How = tuple[re.Pattern[str], Callable[[str], str]] | None
"""A pattern and the function that replaces its matches; None: nothing is replaced."""


def _escapes(text: str) -> How:
    if "\x1b" in text or ("&" in text and any(entity in text for entity in _ENTITIES)):
        return _ANY_ESCAPE, _decoded
    return (_ESCAPE, _decoded) if "\\" in text else None


def _percents(text: str) -> How:
    return (_PERCENT, _unpercented) if "%" in text and any(map(text.__contains__, _IN_PERCENT)) else None


def _numbers(text: str) -> How:
    numbered = "→" in text or ("\t" in text and _TABBED.search(text))
    return (_NUMBERED, _line_start) if numbered else None


def _locations(text: str) -> How:
    return (_FOUND, _line_start) if _SEARCHED.match(text) else None


def _signs(text: str) -> How:
    hunk = _HUNK.search(text) if "@@" in text or "*** " in text else None
    signed = _SIGNED_TWICE if hunk and hunk["merge"] else _SIGNED
    return (signed, lambda start: re.sub("[+-]", " ", start)) if hunk else None


class View:
    """``text`` is the text that the rules read, ``lower`` the same in lower case, with the same length."""

    def __init__(self, source: str) -> None:
        self._layers: list[Layer] = []
        text = source
        for layer in (_escapes, _percents, _numbers, _locations, _signs):
            if how := layer(text):
                text = self._derive(text, how[0], 1, how[1])
        if not text.isascii():
            text = _FRENCH.sub(lambda quote: ' "' if quote[0][0] == "«" else '" ', text).translate(
                _TYPOGRAPHIC
            )
        if ('"' in text or "'" in text) and _MAY_SPLIT.search(text):
            text = self._derive(text, _SEAM, 2, lambda _: "")
        self.text = text
        self.lower = lowered(text)

    def _derive(self, text: str, pattern: re.Pattern[str], groups: int, decode: Callable[[str], str]) -> str:
        pieces = pattern.split(text)
        if len(pieces) == 1:
            return text
        if groups > 1:
            pieces = [piece for n, piece in enumerate(pieces) if n % (groups + 1) < 2]
        layer = Layer(pieces, decode)
        self._layers.append(layer)
        return layer.text

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the source's position of a non-empty range in the view."""
        for layer in reversed(self._layers):
            start, end = layer.origin(start), layer.end(end)
        return start, end

    def depth(self, at: int) -> int:
        """How many characters escape the quote at ``at`` in the source."""
        depth = 0
        for layer in reversed(self._layers):
            depth += layer.length(at) - 1
            at = layer.origin(at)
        return depth


class Layer:
    """A text in fragments, of which every second one was replaced."""

    def __init__(self, pieces: list[str], decode: Callable[[str], str]) -> None:
        self._before = pieces
        self._after = pieces.copy()
        self._after[1::2] = [decode(piece) for piece in pieces[1::2]]
        self.text = "".join(self._after)
        self._starts: tuple[list[int], list[int]] | None = None

    def origin(self, at: int) -> int:
        """The position, in the text before this layer, of the character at ``at``."""
        view, source = self._offsets()
        n = bisect_right(view, at) - 1
        return source[n] + (at - view[n] if n % 2 == 0 else 0)

    def end(self, at: int) -> int:
        """The position, in the text before this layer, of the end of the character before ``at``."""
        view, source = self._offsets()
        n = bisect_left(view, at) - 1
        return source[n] + at - view[n] if n % 2 == 0 else source[n + 1]

    def length(self, at: int) -> int:
        """The length, in the text before this layer, of the character at ``at``."""
        view, source = self._offsets()
        n = bisect_right(view, at) - 1
        return 1 if n % 2 == 0 else source[n + 1] - source[n]

    def _offsets(self) -> tuple[list[int], list[int]]:
        if self._starts is None:  # computed late, because few texts have a secret
            view = list(accumulate(map(len, self._after), initial=0))
            self._starts = view, list(accumulate(map(len, self._before), initial=0))
        return self._starts


def lowered(text: str) -> str:
    """Return ``text`` in lower case, with the same length."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    if "\n" in text:  # so that a line's result does not depend on other lines
        return "\n".join(map(lowered, text.split("\n")))
    return "".join(char if len(char.lower()) > 1 else char.lower() for char in text)


_known: dict[str, str] = {"\\n": "\n", '\\"': '"', "\\t": "\t", "\\\\n": "\n", '\\\\\\"': '"'}


def _decoded(piece: str) -> str:
    if (plain := _known.get(piece)) is None:
        plain = _decode(piece)
        if len(_known) < 4096:
            _known[piece] = plain
    return plain


def _line_start(gutter: str) -> str:
    return "\n" * (gutter[0] == "\n")


def _unpercented(piece: str) -> str:
    return chr(int(piece[1:], 16))


def _decode(piece: str) -> str:
    if piece[0] == "&":
        return _ENTITIES[piece]
    body = piece.lstrip("\\")
    if piece[0] == "\x1b" or "[" in body or "]" in body or "\n" in body:
        return ""
    if "\\" in body:
        return piece
    if body[0] in "ux":
        char = chr(int(body[1:], 16))
        return "?" if "\ud800" <= char <= "\udfff" else char
    return _PLAIN.get(body, body)

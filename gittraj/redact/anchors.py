"""Anchors: the literals and patterns without which a reader does not run on a page.

Most pages have none, and most of the others have those of one reader, so a text is read only by readers that
may match something in it. The contract: wherever a reader matches, one of its anchors is within a line. A
reader that declares too few misses secrets (``test_gate`` tests each with its own examples); too many only
cost time. The ``words``, ``hits`` and ``telling`` of the page that it reads are only those of lines with
anchors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from .lazy import lazy

_WORD = lazy(r"[a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Anchors:
    """``signs`` are literals in lower case; the longest word of each must be a whole word on the page.
    ``parts`` match anywhere, also within a word. ``patterns`` are searched for in lower case, begin with a
    literal and bound their repeats. Each of the ``parts`` and ``patterns`` costs a search of the whole text.
    ``names``: the stem of a name (``names.STEMS``) is an anchor. ``shapes``: so is a long word in which one
    of the functions that ``rules.tells`` registers matches.
    """

    signs: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()
    names: bool = False
    shapes: bool = False


class Marked(Protocol):
    """The attributes of a text that the search for anchors needs."""

    text: str
    lower: str

    @property
    def words(self) -> frozenset[str]: ...
    @property
    def telling(self) -> list[str]: ...


class Anchorage:
    """The anchors of several readers, searched for together. Each reader has a bit; ``names`` and ``shapes``
    have the bits of the readers with these anchors."""

    def __init__(self, readers: Iterable[Anchors]) -> None:
        self._by_word: dict[str, dict[str, int]] = {}
        parts: dict[str, int] = {}
        patterns: dict[re.Pattern[str], int] = {}
        self.names = self.shapes = 0
        for n, anchors in enumerate(readers):
            for sign in anchors.signs:
                words: list[str] = _WORD.findall(sign)
                rows = self._by_word.setdefault(max(words, key=len), {})
                rows[sign] = rows.get(sign, 0) | 1 << n
            for part in anchors.parts:
                parts[part] = parts.get(part, 0) | 1 << n
            for pattern in anchors.patterns:
                patterns[pattern] = patterns.get(pattern, 0) | 1 << n
            self.names |= anchors.names << n
            self.shapes |= anchors.shapes << n
        self._parts = tuple(parts.items())
        self._ascii_parts = tuple((part, readers) for part, readers in parts.items() if part.isascii())
        self._patterns = tuple(patterns.items())

    def places(self, text: Marked) -> Iterator[tuple[int, int, str]]:
        """The positions of signs, parts and patterns, the bits of their readers, and the word that a line
        must have for a sign to count."""
        lower = text.lower
        for part, readers in self._ascii_parts if lower.isascii() else self._parts:
            if part in lower:
                yield from _everywhere(lower, part, readers, "")
        for word in self._by_word.keys() & text.words:
            for sign, readers in self._by_word[word].items():
                if sign in lower:
                    yield from _everywhere(lower, sign, readers, word)
        for pattern, readers in self._patterns:
            for match in pattern.finditer(lower):
                yield match.start(), readers, ""


def _everywhere(text: str, part: str, readers: int, word: str) -> Iterator[tuple[int, int, str]]:
    at = text.find(part)
    while at >= 0:
        yield at, readers, word
        at = text.find(part, at + 1)

"""Remembers which anchors each line has: each line is examined once, and most have none.

The result for a line must depend on the line alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from itertools import accumulate

from .anchors import Anchorage
from .rules import Page, Text

_MOST = 8 << 20  # characters of lines that are kept
_LONGEST = 4096  # characters: a longer line does not come twice
Hit = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """``asked``: a bit for each reader that may find something. ``hits``: the stems of names that may have a
    value."""

    asked: int
    hits: tuple[Hit, ...]
    telling: frozenset[str]


class Ledger:
    """The lines examined so far. ``is_live`` decides whether a hit in a lower-case text may be a name."""

    def __init__(self, anchorage: Anchorage, is_live: Callable[[Text, Hit], bool]) -> None:
        self._anchorage = anchorage
        self._is_live = is_live
        self._inert: set[str] = set()
        self._lines: dict[str, Line] = {}
        self._size = 0

    def open(self, page: Page) -> int:
        """A bit for each reader that may find something on the page, which from now on knows its anchors."""
        lines = page.text.split("\n")
        found = self._judged(set(lines) - self._inert)
        asked, at = 0, 0
        hits: list[Hit] = []
        for line in lines if found else ():
            if line in found:
                asked |= found[line].asked
                hits += [(start + at, end + at) for start, end in found[line].hits]
            at += len(line) + 1
        page.mark(
            hits=hits,
            telling=sorted(frozenset().union(*[one.telling for one in found.values()])),
            anchored=Text("".join([f"{line}\n" for line, one in found.items() if one.asked])),
        )
        return asked

    def prepare(self, lines: set[str]) -> None:
        """Examine lines that will be read later."""
        self._judged(lines - self._inert)

    def _judged(self, lines: set[str]) -> dict[str, Line]:
        """The lines that have an anchor."""
        found = {line: known for line in lines if (known := self._lines.get(line))}
        if len(found) < len(lines):
            new = lines - found.keys()
            judged = self._judge(new)
            self._keep(new - judged.keys(), judged)
            found |= judged
        return found

    def _judge(self, lines: Set[str]) -> dict[str, Line]:
        text = Text("".join([f"{line}\n" for line in lines]))
        ordered = list(lines)
        starts = list(accumulate([len(line) + 1 for line in ordered], initial=0))
        asked: dict[int, int] = {}  # by the number of the line
        hits: dict[int, list[Hit]] = {}
        telling: dict[int, frozenset[str]] = {}
        of_line: dict[int, frozenset[str]] = {}  # its words
        for at, readers, word in self._anchorage.places(text):
            n = bisect_right(starts, at) - 1
            if word and n not in of_line:
                of_line[n] = Text(ordered[n]).words
            if not word or word in of_line[n]:
                asked[n] = asked.get(n, 0) | readers
        for hit in text.hits:
            if self._is_live(text, hit):
                n = bisect_right(starts, hit[0]) - 1
                hits.setdefault(n, []).append((hit[0] - starts[n], hit[1] - starts[n]))
                asked[n] = asked.get(n, 0) | self._anchorage.names
        for n, line in enumerate(ordered) if text.telling else ():
            if not any(word in line for word in text.telling):
                continue
            if words := Text(line).long_words.intersection(text.telling):
                telling[n] = words
                asked[n] = asked.get(n, 0) | self._anchorage.shapes
        return {
            ordered[n]: Line(asked=readers, hits=tuple(hits.get(n, ())), telling=telling.get(n, frozenset()))
            for n, readers in asked.items()
        }

    def _keep(self, inert: Iterable[str], found: dict[str, Line]) -> None:
        if self._size > _MOST:
            self._inert.clear()
            self._lines.clear()
            self._size = 0
        short = [line for line in inert if len(line) <= _LONGEST]
        self._inert.update(short)
        self._lines.update({line: one for line, one in found.items() if len(line) <= _LONGEST})
        self._size += sum(map(len, short)) + 60 * len(short) + 1000 * len(found)

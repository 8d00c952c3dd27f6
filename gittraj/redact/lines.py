"""Lines of particular files, programs and devices, whose form shows what is secret: ``data/lines.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from .decide import ACCEPT
from .lazy import lazy
from .load import WHOLE_TEXT, Row, rows
from .page import Page, Span
from .rules import Reader

_IDENTIFIER = lazy(r"[a-z0-9_]+")
_FLAGS = {"i": re.IGNORECASE}


def lines(page: Page) -> Iterator[Span]:
    """The secrets of the page in lines of a known form."""
    for number, keywords in _gate().open(page).items():
        row = rows()[number]
        places = [(0, len(page.text))] if row.window == WHOLE_TEXT else page.near(keywords, after=row.window)
        for start, stop in places:
            for match in _matches(row, page.text, start, stop):
                page.tick()
                group = "v" if match.groupdict().get("v") else match.lastgroup
                if group and ACCEPT[row.accept](match[group]):
                    at = match.start(group)
                    yield Span(at, at + len(match[group].rstrip(",;")), row.id, row.kind)


def _matches(row: Row, text: str, start: int, stop: int) -> Iterator[re.Match[str]]:
    while match := _compiled(row.pattern, row.flags).search(text, start, stop):
        yield match
        start = max(match.end(), start + 1)
        while row.then and (match := _compiled(row.then, row.flags).match(text, start, stop)):
            yield match
            start = match.end()


class Gate:
    """Selects the rows of a table that may match on a page: those with a sign on the page. A sign is searched
    for only if its longest word is among the page's words."""

    def __init__(self, signs: Iterable[Iterable[str]]) -> None:
        self._by_word: dict[str, list[tuple[int, str]]] = {}
        self._wordless: list[tuple[int, str]] = []
        for row, ones in enumerate(signs):
            for sign in ones:
                words = _IDENTIFIER.findall(sign)
                place = self._by_word.setdefault(max(words, key=len), []) if words else self._wordless
                place.append((row, sign))

    def open(self, page: Page) -> dict[int, list[str]]:
        """The rows to try, each with its signs on the page."""
        found: dict[int, list[str]] = {}
        named = [one for word in self._by_word.keys() & page.words for one in self._by_word[word]]
        for row, sign in (*named, *self._wordless):
            if sign in page.lower:
                found.setdefault(row, []).append(sign)
        return found


@cache
def _gate() -> Gate:
    return Gate(row.keywords for row in rows())


@cache
def _compiled(pattern: str, flags: str) -> re.Pattern[str]:
    return re.compile(pattern, _FLAGS[flags] if flags else 0)


LINES = Reader(id="line", kind="secret", find=lines)

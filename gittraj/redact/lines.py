"""Finds secrets by the form of the line, for certain files, programs and devices: ``data/lines.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from .decide import Candidate, Proposals, Reader
from .lazy import lazy
from .load import WHOLE_TEXT, LineRule, line_rules
from .page import Page

_IDENTIFIER = lazy(r"[a-z0-9_]+")
_FLAGS = {"i": re.IGNORECASE}


def lines(page: Page) -> Proposals:
    """The secrets of the page in lines of a known form."""
    for number, keywords in sorted(_gate().open(page).items()):
        rule = line_rules()[number]
        whole = [(0, len(page.text))]
        places = whole if rule.window == WHOLE_TEXT else page.near(keywords, after=rule.window)
        for start, stop in places:
            for match in _matches(rule, page.text, start, stop):
                page.tick()
                if group := "v" if match.groupdict().get("v") else match.lastgroup:
                    at = match.start(group)
                    end = at + len(match[group].rstrip(",;"))
                    yield Candidate(at, end, rule.id, rule.kind, accept=rule.accept)


def _matches(rule: LineRule, text: str, start: int, stop: int) -> Iterator[re.Match[str]]:
    while match := _compiled(rule.pattern, rule.flags).search(text, start, stop):
        yield match
        start = max(match.end(), start + 1)
        while rule.then and (match := _compiled(rule.then, rule.flags).match(text, start, stop)):
            yield match
            start = match.end()


class Gate:
    """Selects the rules that may match on a page: those with a keyword on the page. A keyword is searched for
    only if its longest word is among the page's words."""

    def __init__(self, keywords: Iterable[Iterable[str]]) -> None:
        self._by_word: dict[str, list[tuple[int, str]]] = {}
        self._wordless: list[tuple[int, str]] = []
        for rule, each in enumerate(keywords):
            for keyword in each:
                words = _IDENTIFIER.findall(keyword)
                entries = self._by_word.setdefault(max(words, key=len), []) if words else self._wordless
                entries.append((rule, keyword))

    def open(self, page: Page) -> dict[int, list[str]]:
        """The rules to try, each with its keywords on the page."""
        found: dict[int, list[str]] = {}
        named = [one for word in self._by_word.keys() & page.words for one in self._by_word[word]]
        for rule, keyword in (*named, *self._wordless):
            if keyword in page.lower:
                found.setdefault(rule, []).append(keyword)
        return found


@cache
def _gate() -> Gate:
    return Gate(rule.keywords for rule in line_rules())


@cache
def _compiled(pattern: str, flags: str) -> re.Pattern[str]:
    return re.compile(pattern, _FLAGS[flags] if flags else 0)


LINES = Reader(id="line", kind="secret", find=lines)

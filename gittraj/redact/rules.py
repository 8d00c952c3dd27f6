"""Defines rules and readers, and runs rules. The rules themselves are data, or readers of a few lines.

A pattern never runs over the whole text: it is matched at the positions of a literal anchor, and every
repeat in it is bounded, so that no text can make a scan slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Protocol

from .anchors import Anchors
from .lazy import lazy, once
from .load import tables
from .names import ALL_STEMS, STEMS
from .values import is_placeholder
from .view import View, lowered
from .vocabulary import Vocabulary

_PERCENT = lazy(r"%[0-9A-Fa-f]{2}")
_LINE = 1500  # characters around a sign that are looked at
_NO_WORD = bytes(code if chr(code).isalnum() or code == 95 else 32 for code in range(128)) + b" " * 128
_IDENTIFIER = lazy(r"[a-z0-9_]+")
VARIABLE = "$user"  # a stem by its sign alone: the word is everywhere
_LONG_WORD = 16  # characters: no token that is known by its form is shorter


@dataclass(frozen=True, slots=True)
class Span:
    """A secret's position in the text; the placeholder shows ``kind``. ``told``: only a password or a key can
    be in such a place, as after ``DB_PASSWORD=``."""

    start: int
    end: int
    rule: str
    kind: str
    told: bool = False

    def at(self, start: int, end: int) -> Span:
        """The same secret at another position."""
        return Span(start, end, self.rule, self.kind, self.told)


Hit = tuple[int, int]


class Text:
    """A text without escapes, and its features that decide whether a rule can match in it."""

    def __init__(self, text: str, lower: str | None = None) -> None:
        self.text = text
        self.lower = lowered(text) if lower is None else lower

    @once
    def long_words(self) -> frozenset[str]:
        """The distinct words, split also at quotes, that are long enough for a token."""
        text = self.text.replace('"', " ").replace("'", " ").replace("`", " ")
        return frozenset([word for word in text.split() if len(word) >= _LONG_WORD])

    @once
    def telling(self) -> list[str]:
        """The long words in which there may be a token."""
        return _LONG_WORDS.telling(self.long_words)

    @once
    def is_foreign(self) -> bool:
        """Whether the page may have a word, in another alphabet, that a rule knows."""
        return not self.lower.isascii() and bool(_FOREIGN.telling(frozenset(_NOT_ASCII.findall(self.lower))))

    @once
    def hits(self) -> list[tuple[int, int]]:
        """The positions of words that may name a secret: where each begins, and where its stem ends."""
        found: list[tuple[int, int]] = []
        lower = self.lower
        stems = {stem for word in _NAMING.telling(self.words) for stem in _stems_of(word)}
        if VARIABLE in lower:
            stems.add((VARIABLE, False))
        for stem, whole in (*stems, *(_FOREIGN_STEMS if self.is_foreign else ())):
            at = lower.find(stem)
            while at >= 0:
                end = at + len(stem)
                if not (whole and lower[end : end + 1].isalpha() and lower[end].isascii()):
                    found.append((at, end))
                at = lower.find(stem, end)
        return sorted(set(found))

    @once
    def words(self) -> frozenset[str]:
        """The distinct identifiers in lower case."""
        return frozenset(self.lower.encode("ascii", "replace").translate(_NO_WORD).decode("ascii").split())


class Page(Text):
    """A view, with features that several rules need. ``tick`` is called at every hit and may raise.

    ``hits``, ``telling`` and ``words`` may be limited to lines with anchors (``mark``). ``heading`` is the
    position of the heading of a table that continues to the end.
    """

    def __init__(self, source: str, tick: Callable[[], None]) -> None:
        self.source = source
        self.view = View(source)
        self.heading: tuple[int, int] | None = None
        super().__init__(self.view.text, self.view.lower)
        self.tick = tick

    def mark(self, *, hits: list[Hit], telling: list[str], anchored: Text) -> None:
        """Sets the known features of the page's lines; ``anchored`` are the lines with an anchor."""
        self.__dict__.update(hits=hits, telling=telling, words=anchored.words, anchored=anchored.lower)

    @once
    def anchored(self) -> str:
        """The lines with anchors, in lower case."""
        return self.lower

    @once
    def hit_lines(self) -> list[tuple[int, int]]:
        """The lines with hits."""
        found: list[tuple[int, int]] = []
        for at, _ in self.hits:
            if not found or at >= found[-1][1]:
                stop = self.text.find("\n", at)
                found.append((self.text.rfind("\n", 0, at) + 1, stop if stop >= 0 else len(self.text)))
        return found

    def near(self, signs: Iterable[str], *, fold: bool = True, after: int = 1) -> list[tuple[int, int]]:
        """The lines with one of ``signs``, each with the ``after`` lines below it."""
        found = []
        text = self.lower if fold else self.text
        for sign in signs:
            at = text.find(sign)
            while at >= 0:
                stop = at
                for _ in range(after + 1):
                    stop = text.find("\n", stop + 1)
                    if stop < 0:
                        stop = len(text)
                        break
                start = text.rfind("\n", 0, at) + 1
                found.append((max(start, at - _LINE), min(stop, at + _LINE * 2)))
                at = text.find(sign, max(at + 1, min(stop, at + _LINE)))
        found.sort()
        merged: list[tuple[int, int]] = []
        for start, stop in found:
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
            else:
                merged.append((start, stop))
        return merged


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

    @property
    def signs(self) -> tuple[str, ...]:
        """The signs with a word."""
        return tuple(sign for ones in self._by_word.values() for _, sign in ones)

    @property
    def wordless(self) -> tuple[str, ...]:
        """The signs without a word."""
        return tuple(sign for _, sign in self._wordless)

    def open(self, page: Page) -> dict[int, list[str]]:
        """The rows to try, each with its signs on the page."""
        found: dict[int, list[str]] = {}
        if not self._wordless and self._by_word.keys().isdisjoint(page.words):
            return found
        named = [one for word in self._by_word.keys() & page.words for one in self._by_word[word]]
        for signs, text in ((named, page.anchored), (self._wordless, page.lower)):
            for row, sign in signs:
                if sign in text:
                    found.setdefault(row, []).append(sign)
        return found


class Described(Protocol):
    """A rule that can be listed and tried: ``good`` examples contain a secret, ``bad`` ones do not."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def good(self) -> tuple[str, ...]: ...
    @property
    def bad(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A kind of text that needs code to read. ``find`` yields the secrets in the page's view; it is called if
    one of the ``anchors`` is on the page. Its examples are in ``data/readers.toml``."""

    id: str
    kind: str
    find: Callable[[Page], Iterator[Span]]
    anchors: Callable[[], Anchors]

    @property
    def good(self) -> tuple[str, ...]:
        return tuple(tables("readers").get(self.id, {}).get("good", ()))

    @property
    def bad(self) -> tuple[str, ...]:
        return tuple(tables("readers").get(self.id, {}).get("bad", ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of secret that a pattern matches.

    ``anchors`` are literals, one of which begins every match. The secret is the group ``v``, or the whole
    match without one. ``good`` and ``bad`` are the tests' examples: ``{base62:36}`` in them draws a secret,
    so none is in this repository.
    """

    id: str
    anchors: tuple[str, ...]
    pattern: str
    kind: str
    accept: Callable[[str], bool] = field(default=lambda value: not is_placeholder(value))
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()

    def spans(self, anchor: str, page: Page) -> Iterator[Span]:
        """The secrets in the page's view at one of the anchors."""
        pattern = _compiled(self.pattern)
        group = "v" if "v" in pattern.groupindex else 0
        hit = page.text.find(anchor)
        while hit >= 0:
            page.tick()
            match = self._match(pattern, page.text, hit, anchor)
            if match and match[group] and self.accept(match[group]):
                yield Span(match.start(group), match.end(group), self.id, self.kind)
            hit = page.text.find(anchor, max(hit + 1, match.end() if match else 0))

    def places(self, anchor: str, words: str) -> Iterator[int]:
        """The positions of the rule's secrets, at one of the anchors, in words, one per line."""
        pattern = _compiled(self.pattern)
        hit = words.find(anchor)
        while hit >= 0:
            match = self._match(pattern, words, hit, anchor)
            if match and self.accept(match["v" if "v" in pattern.groupindex else 0]):
                yield hit
            hit = words.find(anchor, hit + 1)

    def _match(self, pattern: re.Pattern[str], text: str, hit: int, anchor: str) -> re.Match[str] | None:
        glued = hit and text[hit - 1].isalnum() and anchor[0].isalnum() and text[hit - 1].isascii()
        if glued and not _PERCENT.fullmatch(text, max(0, hit - 3), hit):
            return None
        return pattern.match(text, hit)


Told = Callable[[str], Iterator[int]]
_TOLD: list[Told] = []


def tells(told: Told) -> Told:
    """Registers a function that yields where in long words, one per line, a rule's secret may be."""
    _TOLD.append(told)
    return told


_LONG_WORDS = Vocabulary(lambda words: (at for told in _TOLD for at in told(words)))
_NOT_ASCII = lazy(r"[^\x00-\x7f]+")
_FOREIGN_STEMS = ALL_STEMS[len(STEMS) :]
_FOREIGN_PARTS = frozenset(("用", *(max(_NOT_ASCII.findall(stem), key=len) for stem, _ in _FOREIGN_STEMS)))
_FOREIGN = Vocabulary(lambda runs: (at for part in _FOREIGN_PARTS for at in _everywhere(runs, part)))


def _everywhere(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


@cache
def _needs() -> re.Pattern[str]:
    by_first: dict[str, list[str]] = {}
    for part in {_longest(stem) for stem, _ in STEMS if stem != VARIABLE}:
        by_first.setdefault(part[0], []).append(part[1:])
    return re.compile(
        "|".join(f"{first}(?:{'|'.join(sorted(rest))})" for first, rest in sorted(by_first.items())),
        re.MULTILINE,
    )


def _longest(sign: str) -> str:
    words: list[str] = _IDENTIFIER.findall(sign)
    return max(words, key=len)


@lru_cache(maxsize=8192)
def _stems_of(word: str) -> tuple[tuple[str, bool], ...]:
    return tuple(stem for part, stem in _stem_parts() if part in word)


@cache
def _stem_parts() -> tuple[tuple[str, tuple[str, bool]], ...]:
    return tuple((_longest(stem[0]), stem) for stem in STEMS if stem[0] != VARIABLE)


def _naming_at(words: str) -> Iterator[int]:
    return (found.start() for found in _needs().finditer(words))


_NAMING = Vocabulary(_naming_at)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

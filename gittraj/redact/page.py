"""A page: a text as the readers read it, with data that several of them need, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from .lazy import lazy, once
from .names import ALL_STEMS, STEMS
from .view import View

Hit = tuple[int, int]
VARIABLE = "$user"  # a stem only with its sign: the bare word is too common
_LINE = 1500  # characters around a sign that are examined
_NO_WORD = bytes(code if chr(code).isalnum() or code == 95 else 32 for code in range(128)) + b" " * 128
_IDENTIFIER = lazy(r"[a-z0-9_]+")
_LONG_WORD = 16  # characters: a token that is recognised by its form is at least as long


@dataclass(frozen=True, slots=True)
class Span:
    """A secret's position in the text; the placeholder shows ``kind``. ``secret_only``: only a password or a
    key can be in such a position, as after ``DB_PASSWORD=``."""

    start: int
    end: int
    rule: str
    kind: str
    secret_only: bool = False

    def at(self, start: int, end: int) -> Span:
        """Return the span of the same secret at another position."""
        return Span(start, end, self.rule, self.kind, self.secret_only)


class Page:
    """``text`` is the view of the ``source``, ``lower`` the same in lower case. ``tick`` is called at every
    hit and may raise. ``heading`` is the position of the heading of a table that continues to the end."""

    def __init__(self, source: str, tick: Callable[[], None]) -> None:
        self.source = source
        self.view = View(source)
        self.text, self.lower = self.view.text, self.view.lower
        self.heading: tuple[int, int] | None = None
        self.tick = tick

    @once
    def long_words(self) -> frozenset[str]:
        """The distinct words, split also at quotes, that are long enough for a token."""
        text = self.text.replace('"', " ").replace("'", " ").replace("`", " ")
        return frozenset([word for word in text.split() if len(word) >= _LONG_WORD])

    @once
    def hits(self) -> list[Hit]:
        """The positions of words that may name a secret: where each begins, and where its stem ends."""
        found: set[Hit] = set()
        lower = self.lower
        stems = {stem for word in self.words for stem in _stems_of(word)}
        if VARIABLE in lower:
            stems.add((VARIABLE, False))
        for stem, whole in (*stems, *(() if lower.isascii() else _FOREIGN_STEMS)):
            for at in places(lower, stem):
                end = at + len(stem)
                if not (whole and lower[end : end + 1].isalpha() and lower[end].isascii()):
                    found.add((at, end))
        return sorted(found)

    @once
    def words(self) -> frozenset[str]:
        """The distinct identifiers in lower case."""
        return frozenset(self.lower.encode("ascii", "replace").translate(_NO_WORD).decode("ascii").split())

    @once
    def hit_lines(self) -> list[tuple[int, int]]:
        """The lines with hits."""
        found: list[tuple[int, int]] = []
        for at, _ in self.hits:
            if not found or at >= found[-1][1]:
                stop = self.text.find("\n", at)
                found.append((self.text.rfind("\n", 0, at) + 1, stop if stop >= 0 else len(self.text)))
        return found

    def near(self, signs: Iterable[str], *, after: int) -> list[tuple[int, int]]:
        """The lines with one of ``signs`` (literals in lower case), each with the ``after`` lines below it."""
        found = []
        text = self.lower
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


_FOREIGN_STEMS = ALL_STEMS[len(STEMS) :]
_STEM_PARTS = tuple(
    (max(_IDENTIFIER.findall(stem), key=len), (stem, whole)) for stem, whole in STEMS if stem != VARIABLE
)


@lru_cache(maxsize=1 << 17)
def _stems_of(word: str) -> tuple[tuple[str, bool], ...]:
    return tuple(stem for part, stem in _STEM_PARTS if part in word)


def places(text: str, value: str) -> Iterator[int]:
    """Yield the positions of a value in a text."""
    at = text.find(value)
    while at >= 0:
        yield at
        at = text.find(value, at + len(value))

"""What a rule is, and how one is run. The rules themselves are data: see ``tokens`` and ``credentials``.

A pattern never runs over the whole text: it is matched at the places where a literal anchor stands, and
every repeat in it is bounded, so that no text can make a scan slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .image import FILLER
from .values import is_placeholder

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_WINDOW = 4096


@dataclass(frozen=True, slots=True)
class Span:
    """A secret's place in the text, ``kind`` being what the placeholder will call it."""

    start: int
    end: int
    rule: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of secret that a pattern can tell.

    ``anchors`` are literals, one of which is in every match (lower-case ones when ``fold``); the match starts
    at most ``back`` characters before it. The secret is the group ``v``, or the whole match without one.
    ``good`` and ``bad`` are the tests' examples: in ``{base62:36}`` they draw a secret, so none stands here.
    """

    id: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    kind: str
    fold: bool = False
    back: int = 0
    accept: Callable[[str], bool] = field(default=lambda value: not is_placeholder(value))
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()

    def spans(self, anchor: str, image: str, lower: str, tick: Callable[[], None]) -> Iterator[Span]:
        """The secrets in ``image`` at one of the anchors; ``tick`` is called at every hit and may raise."""
        group = "v" if "v" in self.pattern.groupindex else 0
        text = lower if self.fold else image
        hit = text.find(anchor)
        while hit >= 0:
            tick()
            match = self._match(image, hit, anchor)
            if match and self.accept(match[group].strip(FILLER)):
                start, end = trim(image, match.start(group), match.end(group))
                yield Span(start, end, self.id, self.kind)
            hit = text.find(anchor, max(hit + 1, match.end() if match else 0))

    def _match(self, image: str, hit: int, anchor: str) -> re.Match[str] | None:
        if self.back:
            return self.pattern.search(image, max(0, hit - self.back), hit + _WINDOW)
        glued = hit and image[hit - 1].isalnum() and anchor[0].isalnum()
        if glued and not _PERCENT.fullmatch(image, max(0, hit - 3), hit):
            return None
        return self.pattern.match(image, hit)


def trim(image: str, start: int, end: int) -> tuple[int, int]:
    """The span without fillers at its ends: an escape there belongs to what stands around the value."""
    while start < end and image[start] == FILLER:
        start += 1
    while end > start and image[end - 1] == FILLER:
        end -= 1
    return start, end

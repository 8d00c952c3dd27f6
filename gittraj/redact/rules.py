"""Defines rules and readers, and runs rules. The rules themselves are data, or readers of a few lines.

A pattern never runs over the whole text: it is matched at the positions of a literal anchor, and every
repeat in it is bounded, so that no text can make a scan slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from .decide import Candidate, Proposals
from .lazy import lazy
from .load import LineRule, tables
from .page import Page

_PERCENT = lazy(r"%[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A kind of text that needs code to read. ``find`` proposes what may be secrets in the page's view; it
    must be quick where there are none. Its examples are in ``data/readers.toml``."""

    id: str
    kind: str
    find: Callable[[Page], Proposals]

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
    accept: str = "literal"
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()

    def find(self, anchor: str, page: Page) -> Proposals:
        """What is in the page's view at one of the anchors."""
        pattern = _compiled(self.pattern)
        group = "v" if "v" in pattern.groupindex else 0
        hit = page.text.find(anchor)
        while hit >= 0:
            page.tick()
            match = self._match(pattern, page.text, hit, anchor)
            if match and match[group]:
                yield Candidate(*match.span(group), self.id, self.kind, accept=self.accept)
            hit = page.text.find(anchor, max(hit + 1, match.end() if match else 0))

    def _match(self, pattern: re.Pattern[str], text: str, hit: int, anchor: str) -> re.Match[str] | None:
        glued = hit and text[hit - 1].isalnum() and anchor[0].isalnum() and text[hit - 1].isascii()
        if glued and not _PERCENT.fullmatch(text, max(0, hit - 3), hit):
            return None
        return pattern.match(text, hit)


Described = Rule | LineRule | Reader
"""A rule that can be listed and tried: ``good`` examples contain a secret, ``bad`` ones do not."""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

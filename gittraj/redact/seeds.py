"""The words that a wallet, or whatever else keeps a key, is recovered with: twelve and more common words in a row."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .lazy import lazy
from .load import words
from .rules import Page, Span

_SEED = lazy(
    r"[^\n:=]{0,40}[:=]?\s{0,4}(?:[>|][ ])?[\"'`\[(]{0,3}(?P<v>(?:\d{1,2}[.)]\s?)?[a-z]{3,8}(?:[ ,\n|]{1,4}(?:\d{1,2}[.):] ?)?[a-z]{3,8}){11,23})\b"
)
_WORDS_OF_12 = r"[a-z]{3,8}(?: [a-z]{3,8}){11}"
_MNEMONIC = lazy(r"[\"'`\n]?(?P<v>" + _WORDS_OF_12 + r"(?:(?: [a-z]{3,8}){3}){0,4})(?=[\"'`\n]|$)")
QUOTED = lazy('"' + _WORDS_OF_12), lazy("'" + _WORDS_OF_12)
_COMMON = frozenset(words("words", "not_in_seeds"))


def seeds(page: Page) -> Iterator[Span]:
    """The words of a wallet's seed."""
    for seed in _listed(page):
        page.tick()
        if len(set(words := seed["v"].split())) >= len(words) - 1 and _COMMON.isdisjoint(words):
            yield Span(*seed.span("v"), "phrase", "mnemonic")
    for hit in page.hits:
        if page.lower[slice(*hit)] in ("seed", "phrase", "mnemonic", "secret"):
            page.tick()
            match = _SEED.match(page.lower, hit[1])
            if (
                match
                and len(set(words := re.findall(r"[a-z]{3,8}", match["v"]))) >= 8
                and not {
                    "the",
                    "and",
                    "for",
                    "with",
                    "this",
                    "that",
                    "are",
                    "you",
                    "your",
                    "from",
                }.intersection(words)
            ):
                yield Span(*match.span("v"), "phrase", "mnemonic")


def _listed(page: Page) -> Iterator[re.Match[str]]:
    """The literals that are words like a seed's; and the lines, near a name."""
    for quoted in QUOTED:
        for literal in quoted.finditer(page.text):
            if whole := _MNEMONIC.match(page.text, literal.start()):
                yield whole
    done = 0
    for at, _ in page.hits:
        if at >= done:
            page.tick()
            first, done = max(done, at - 400), at + 600
            line = page.text.rfind("\n", 0, max(0, first)) + 1
            while 0 <= line < done:
                if seed := _MNEMONIC.match(page.text, line):
                    yield seed
                line = page.text.find("\n", line) + 1 or -1

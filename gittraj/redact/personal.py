"""Finds, only if the user's options ask for it, text that is not secret by itself: addresses, and long random
words."""

from __future__ import annotations

from collections.abc import Iterator

from .load import patterns, words
from .page import Page, Span, places
from .randomness import looks_random

_RE = patterns("values")


_PUBLIC_HOSTS = tuple(words("words", "public_hosts"))
_NOBODY = frozenset(words("words", "nobody"))


def personal(page: Page) -> Iterator[Span]:
    """E-mail addresses except those of documentation, and the names of home folders."""
    for mail in _RE.address.finditer(page.text) if "@" in page.text else ():
        page.tick()
        if not mail["host"].lower().endswith(_PUBLIC_HOSTS) and not mail[0].startswith("git@"):
            yield Span(*mail.span(), "e-mail", "email")
    for home in _RE.home.finditer(page.text):
        if home["v"] not in _NOBODY:
            yield Span(*home.span("v"), "home", "user")


def random_words(page: Page) -> Iterator[Span]:
    """Every long word that is most likely random and has letters of both cases and digits."""
    for word in sorted(page.long_words):
        for match in _RE.long_run.finditer(word):
            page.tick()
            value = match[0]
            if looks_random(value) and _RE.mixed.match(value) and not _RE.tool_id.fullmatch(value):
                for at in places(page.text, value):
                    yield Span(at, at + len(value), "random", "random")

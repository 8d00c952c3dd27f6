"""Removes, only if a user asks for it, text that is not secret by itself: addresses, and long random
words."""

from __future__ import annotations

from collections.abc import Iterator

from .lazy import lazy
from .load import form, words
from .page import Page, Span, places
from .randomness import looks_random
from .values import TOOL_ID

_MAIL = form("mail")
_PUBLIC_HOSTS = tuple(words("words", "public_hosts"))
_HOME = lazy(r"(?:/home|/Users|[A-Z]:\\Users|[A-Z]:/Users)[/\\](?P<v>[A-Za-z0-9_.-]{2,32})(?=[/\\\s\"':]|$)")
_WORD = lazy(r"[A-Za-z0-9+/_-]{24,512}={0,2}")
_MIXED = lazy(r"(?=.*\d).*[A-Z]")
_NOBODY = frozenset(words("words", "nobody"))


def personal(page: Page) -> Iterator[Span]:
    """E-mail addresses except those of documentation, and the names of home folders."""
    for mail in _MAIL.finditer(page.text) if "@" in page.text else ():
        page.tick()
        if not mail["host"].lower().endswith(_PUBLIC_HOSTS) and not mail[0].startswith("git@"):
            yield Span(*mail.span(), "e-mail", "email")
    for home in _HOME.finditer(page.text):
        if home["v"] not in _NOBODY:
            yield Span(*home.span("v"), "home", "user")


def random_words(page: Page) -> Iterator[Span]:
    """Every long word that was most likely drawn at random and has letters of both cases and digits."""
    for word in sorted(page.long_words):
        for match in _WORD.finditer(word):
            page.tick()
            value = match[0]
            if looks_random(value) and _MIXED.match(value) and not TOOL_ID.fullmatch(value):
                for at in places(page.text, value):
                    yield Span(at, at + len(value), "random", "random")

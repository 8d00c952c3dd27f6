"""Cookies: every pair of a ``Cookie:`` or ``Set-Cookie:`` line that may be a session."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lazy import lazy
from .load import words
from .names import Grade, grade
from .page import Page, Span
from .rules import Reader
from .values import Style, is_plain, is_secret

_HEAD = lazy(
    r"cookies?[\"'\])]{0,4}[ \t]{0,4}(?:[:=,(]|=>)?[ \t]{0,4}[\"'`]{0,2}(?:set-cookie: )?", re.IGNORECASE
)
_PAIR = lazy(r"[ ]?(?P<name>[\w.-]{1,64}+)=(?P<v>[^\s;\"'`,]{0,4096}+);?")
# Pairs without the header's name, as a browser's storage or a dump shows them.
_LIST = lazy(r"(?:(?<=[\s\"'])|^)\.?[\w.-]{2,64}=[^\s;\"',]{1,4096}(?:; \.?[\w.-]{2,64}=[^\s;\"',]{1,4096})+")
# … or one with its attributes.
_SET = lazy(
    r"(?:(?<=[\s\"'])|^)(?P<name>[\w.-]{2,64})=(?P<v>[^\s;\"',]{16,4096}); ?"
    r"(?i:path|httponly|secure|samesite|max-age|expires|domain)\b",
    re.MULTILINE,
)
_ATTRIBUTE_SIGNS = ("; path=", "; httponly", "; samesite=")
_SESSION = lazy(r"sess|sid$|auth|token|jwt|awsalb|remember|login", re.IGNORECASE)
_ATTRIBUTES = frozenset(words("words", "cookie_attributes"))
_BY_DESIGN_PUBLIC = tuple(words("words", "public_cookies"))


def cookies(page: Page) -> Iterator[Span]:
    """The values of the page's cookies that look like a session's."""
    hit = page.lower.find("cookie")
    while hit >= 0:
        page.tick()
        head = _HEAD.match(page.text, hit)
        end = head.end() if head else hit + 1
        while pair := _PAIR.match(page.text, end):
            end = pair.end()
            if pair["name"].lower() not in _ATTRIBUTES and _is_session(pair["name"], pair["v"]):
                yield Span(*pair.span("v"), "cookie", "cookie")
        hit = page.lower.find("cookie", end)
    for start, stop in page.near([sign for sign in _ATTRIBUTE_SIGNS if sign in page.lower]):
        for pair in _SET.finditer(page.text, start, stop):
            page.tick()
            if _is_session(pair["name"], pair["v"]):
                yield Span(*pair.span("v"), "cookie", "cookie")
    if "; " in page.text:
        for start, stop in page.hit_lines:
            last = min(stop, start + 4000)
            if page.text.find("; ", start, last) >= 0 and (listed := _LIST.search(page.text, start, last)):
                page.tick()
                for pair in _PAIR.finditer(page.text, *listed.span()):
                    named = _SESSION.search(pair["name"])
                    if named and len(pair["v"]) >= 16 and _is_session(pair["name"], pair["v"]):
                        yield Span(*pair.span("v"), "cookie", "cookie")


def _is_session(name: str, value: str) -> bool:
    if "%" in value:
        from urllib.parse import unquote  # noqa: PLC0415 - it takes longer to import than all of this package

        value = unquote(value)
    if is_secret(value, max(grade(name), Grade.TOKEN), Style.EXACT):
        return True
    if name.lower().startswith(_BY_DESIGN_PUBLIC):
        return False
    return len(value) >= 12 and any(map(str.isdigit, value)) and not value.isdigit() and not is_plain(value)


COOKIES = Reader(
    id="cookie",
    kind="cookie",
    find=cookies,
)

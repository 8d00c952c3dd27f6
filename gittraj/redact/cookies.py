"""Cookies: every pair of a ``Cookie:`` or ``Set-Cookie:`` line that may be a session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .names import Grade, grade, words_of
from .rules import Span, trim
from .values import Style, is_plain, is_secret

_HEAD = re.compile(r"cookie[\"'\x7f\]]{0,6}[ \t\x7f]{0,4}[:=,]?[ \t\x7f]{0,4}[\"'\x7f]{0,6}", re.IGNORECASE)
_PAIR = re.compile(r"[ ]?(?P<name>[\w.-]{1,64}+)=(?P<v>[^\s;\"'`\x7f,]{0,4096}+);?")
_ATTRIBUTES = words_of("path domain expires max-age samesite version priority")


def cookies(image: str, lower: str, tick: Callable[[], None]) -> Iterator[Span]:
    """The values in ``image`` that look like a session's."""
    hit = lower.find("cookie")
    while hit >= 0:
        tick()
        head = _HEAD.match(image, hit)
        end = head.end() if head else hit + 1
        while pair := _PAIR.match(image, end):
            end = pair.end()
            if pair["name"].lower() not in _ATTRIBUTES and _is_session(pair["name"], pair["v"]):
                yield Span(*trim(image, *pair.span("v")), "cookie", "cookie")
        hit = lower.find("cookie", end)


def _is_session(name: str, value: str) -> bool:
    if is_secret(value, max(grade(name), Grade.TOKEN), Style.EXACT):
        return True
    return len(value) >= 12 and any(map(str.isdigit, value)) and not value.isdigit() and not is_plain(value)

"""Finds passwords by their position in a call: ``connect(url, "me", "…")``, ``fill("#password", "…")``.

The function's name shows that one of its literals is secret; the literals' forms show which one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .decide import Candidate, Proposals, Reader
from .load import patterns, words
from .page import Page, places

_RE = patterns("calls")
# The secret is the last literal, but not the first one, which is a user, a host or a selector.
_AFTER_USER = frozenset(words("words", "calls_after_user"))
# The secret is any literal that is random or clearly a secret by itself.
_OF_KEYS = frozenset(words("words", "calls_of_keys"))
_REACH = 400  # characters to a call's end


def calls(page: Page) -> Proposals:
    """The literals of the page's calls that are passwords."""
    if '"' not in page.text and "'" not in page.text:
        return
    for name in sorted(word for word in page.words if _is_taker(word)):
        for start in _called(page, name):
            literals = list(_RE.literal.finditer(page.text, start, _closing(page.text, start)))
            of_keys = name in _OF_KEYS or (name not in _AFTER_USER and _RE.of_key.search(name))
            kind = "secret" if of_keys else "password"
            for place, accept in (_keys if of_keys else _behind_user)(page, name, start, literals):
                yield Candidate(*place, "call", kind, accept=accept)


@lru_cache(maxsize=1 << 16)
def _is_taker(word: str) -> bool:
    return word in _AFTER_USER or word in _OF_KEYS or _RE.takes.search(word) is not None


def _called(page: Page, name: str) -> Iterator[int]:
    """The positions at which the arguments of the function's calls begin."""
    bare = (f"{name} '", f'{name} "') if name in _AFTER_USER else ()  # a call in Ruby
    for sign in (f"{name}(", f"{name}!(", *bare):
        for at in places(page.lower, sign):
            page.tick()
            if not at or not (page.lower[at - 1].isalnum() or page.lower[at - 1] == "_"):
                yield at + len(sign) - (sign[-1] != "(")


def _closing(text: str, start: int) -> int:
    depth, end = 1, min(len(text), start + _REACH)
    for match in _RE.brackets.finditer(text, start, end):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return end


Literals = list[re.Match[str]]
Judged = tuple[tuple[int, int], str]
"""A literal's position, and the names of its judges."""


def _behind_user(page: Page, name: str, start: int, literals: Literals) -> Iterator[Judged]:
    several = len(literals) > 1 or page.text.find(",", start, _closing(page.text, start)) >= 0
    found = literals[1:] or (literals if several else [])
    for literal in found:
        value = _RE.pressed.sub("", literal["v"])
        at = literal.start("v")
        pair = len(literals) == 2 and _RE.pairs.search(name) is not None
        accept = ("argument | alone" if pair else "argument") if literal is found[-1] else "fair"
        yield (at, at + len(value)), accept


def _keys(page: Page, name: str, start: int, literals: Literals) -> Iterator[Judged]:
    before = page.lower[max(0, start - len(name) - 24) : start]
    if _RE.of_data.search(before):
        return
    of_key = _RE.of_key.search(name) or "jwt." in before
    for literal in literals:
        yield literal.span("v"), "drawn-argument | key" if of_key else "drawn-argument"


CALLS = Reader(id="call", kind="password", find=calls)

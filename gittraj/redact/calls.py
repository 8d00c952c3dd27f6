"""Passwords that are arguments of a call, by position: ``connect(url, "me", "…")``, ``fill("#password", "…")``.

The function's name shows that one of its literals is secret; the literals' forms show which one.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .decide import Style, is_secret
from .lazy import lazy
from .load import words
from .made import DULL, is_chosen
from .names import Grade
from .page import Page, Span
from .proof import Proof, proof
from .randomness import looks_random
from .rules import Reader
from .values import is_evident

# The last literal but the first, where a user, a host or a selector stands.
_AFTER_USER = frozenset(words("words", "calls_after_user"))
# Any literal that was drawn or speaks for itself.
_OF_KEYS = frozenset(words("words", "calls_of_keys"))
# What a function takes whose name is in no list.
_TAKES = lazy(
    r"cred|auth|login|_bind|passw|signin|account|jwt|hmac|crypt|secret|privatekey|private_key|from_key|fromkey|ecdsa"
)
_OF_KEY = lazy(r"jwt|hmac|crypt|secret|privatekey|private_key|from_key|fromkey|ecdsa|^sign$|^wallet$")
# A user and a password, and nothing else.
_PAIRS = lazy(
    r"simple_bind(?:_s)?$|ldap_bind|plainauth|plaintextauth|passwordauth|usernamepassword|userpassword|credentials?$|basicauth|httpbasic|digestauth"
)
_LITERAL = lazy(
    r"(?<![\w\"'])[brfuL@$]?(?P<q>[\"'`])(?P<v>(?:(?!(?P=q))[^\n\\]|\\.){0,200})(?P=q)(?=\s{0,2}[,)\].;:]|$|\s)"
)
_PRESSED = lazy(r"(?:\{\w{2,12}\}|\\[nr])+$")  # keys, after it
_BRACKETS = lazy(r"[()\n]")
_REACH = 400  # characters to a call's end


def calls(page: Page) -> Iterator[Span]:
    """The literals of the page's calls that are passwords."""
    if '"' not in page.text and "'" not in page.text:
        return
    for name in sorted(word for word in page.words if _is_taker(word)):
        for start in _called(page, name):
            literals = list(_LITERAL.finditer(page.text, start, _closing(page.text, start)))
            of_keys = name in _OF_KEYS or (name not in _AFTER_USER and _OF_KEY.search(name))
            kind = "secret" if of_keys else "password"
            for place in (_keys if of_keys else _behind_user)(page, name, start, literals):
                yield Span(*place, "call", kind)


@lru_cache(maxsize=1 << 16)
def _is_taker(word: str) -> bool:
    return word in _AFTER_USER or word in _OF_KEYS or _TAKES.search(word) is not None


def _called(page: Page, name: str) -> Iterator[int]:
    """The positions at which the arguments of the function's calls begin."""
    bare = (f"{name} '", f'{name} "') if name in _AFTER_USER else ()  # a call in Ruby
    for sign in (f"{name}(", f"{name}!(", *bare):
        at = page.lower.find(sign)
        while at >= 0:
            page.tick()
            end = at + len(sign) - (sign[-1] != "(")
            if not at or not (page.lower[at - 1].isalnum() or page.lower[at - 1] == "_"):
                yield end
            at = page.lower.find(sign, end)


def _closing(text: str, start: int) -> int:
    depth, end = 1, min(len(text), start + _REACH)
    for match in _BRACKETS.finditer(text, start, end):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return end


Literals = list[re.Match[str]]


def _behind_user(page: Page, name: str, start: int, literals: Literals) -> Iterator[tuple[int, int]]:
    several = len(literals) > 1 or page.text.find(",", start, start + _REACH) >= 0
    found = literals[1:] or (literals if several else [])
    for literal in found:
        value = _PRESSED.sub("", literal["v"])
        at = literal.start("v")
        pair = len(literals) == 2 and _PAIRS.search(name) is not None and _is_any(value)
        last = literal is found[-1]
        if (_is_password(value) or pair) if last else proof(value) >= Proof.FAIR:
            yield at, at + len(value)


def _keys(page: Page, name: str, start: int, literals: Literals) -> Iterator[tuple[int, int]]:
    before = page.lower[max(0, start - len(name) - 24) : start]
    if name == "encode" and "tokeni" in before:
        return
    of_key = _OF_KEY.search(name) or "jwt." in before
    for literal in literals:
        value = literal["v"]
        if _is_drawn(value) or (of_key and (_KEY.fullmatch(value) or (is_chosen(value) and value.islower()))):
            yield literal.span("v")


_KEY = lazy(
    r"(?:0x)?(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})", re.IGNORECASE
)
_NOT_DRAWN = lazy(
    r"\.(?:com|org|io|net)\b|^[a-z]+[0-9]{1,3}(?:-[a-z]+)*$|^[A-Z]+[-/][A-Z0-9/-]+$|^(?:utf|iso|cp|windows|koi8|latin|big5|euc|shift)[-_]?|^[A-Z]{2,5}\d{2,4}$|^\W*%|^#|^aes-|^[0-9a-f]{7,64}$|^[\w-]+/[\w.-]+$| "
)


def _is_any(value: str) -> bool:
    return value.lower() not in DULL and " " not in value and is_secret(value, Grade.STRONG, Style.EXACT)


def _is_password(value: str) -> bool:
    if not is_secret(value, Grade.STRONG, Style.EXACT) or (value.isdigit() and len(value) < 6):
        return False
    return proof(value) > Proof.NONE or is_evident(value) or looks_random(value)


def _is_drawn(value: str) -> bool:
    return (
        len(value) >= 8
        and not _NOT_DRAWN.search(value)
        and is_secret(value, Grade.TOKEN, Style.EXACT)
        and (is_evident(value) or looks_random(value))
    )


CALLS = Reader(id="call", kind="password", find=calls)

"""Passwords that a program gives by position: ``connect(url, "me", "…")``, ``fill("#password", "…")``.

The function's name says that one of its literals is secret, the literals' forms which one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import Anchors
from .common import DULL
from .lazy import lazy
from .load import words
from .made import is_chosen, is_noise, is_worded
from .names import Grade
from .proofs import Proof, proof
from .randomness import looks_random
from .rules import Page, Reader, Span
from .values import Style, is_evident, is_label, is_secret

# The last literal but the first, where a user, a host or a selector stands.
_AFTER_USER = frozenset(words("words", "calls_after_user"))
# Any literal that was drawn or speaks for itself.
_SECRET_FIRST = frozenset(words("words", "calls_of_keys"))
NAMES = _AFTER_USER | _SECRET_FIRST | frozenset(("tochararray", "tobytearray"))
_LITERAL = lazy(
    r"(?<![\w\"'])[brfuL@$]?(?P<q>[\"'`])(?P<v>(?:(?!(?P=q))[^\n\\]|\\.){0,200})(?P=q)(?=\s{0,2}[,)\].;:]|$|\s)"
)
# A user and a password, and nothing else.
_PAIRS = lazy(
    r"simple_bind(?:_s)?$|ldap_bind|plainauth|plaintextauth|passwordauth|usernamepassword|userpassword|credentials?$|basicauth|httpbasic|digestauth"
)
_VERBATIM = lazy(
    r",\s{0,12}qq?(?:\{(?P<v>[^{}\n]{4,120})\}|\[(?P<w>[^\[\]\n]{4,120})\]|\((?P<x>[^()\n]{4,120})\))"
)
_KEYS = lazy(r"(?:\{\w{2,12}\}|\\[nr])+$")  # that are pressed after it


def calls(page: Page) -> Iterator[Span]:
    """The literals of the page's calls that are passwords."""
    if '"' not in page.text and "'" not in page.text:
        return
    for match in _IDIOM.finditer(page.text) if not _IDIOMS.isdisjoint(page.words) else ():
        page.tick()
        if proof(match["v"]) >= Proof.FAIR or is_worded(match["v"]):
            yield Span(*match.span("v"), "call", "password")
    names = NAMES & page.words
    if _TAKES.search("\n".join(page.words)):
        names |= {word for word in page.words if _TAKES.search(word)}
    for name in sorted(names):
        bare = (f"{name} '", f'{name} "') if name in _AFTER_USER else ()  # a call in Ruby
        for sign in (f"{name}(", f"{name}!(", *bare):
            at = page.lower.find(sign)
            while at >= 0:
                page.tick()
                end = at + len(sign) - (sign[-1] != "(")
                if not at or not (page.lower[at - 1].isalnum() or page.lower[at - 1] == "_"):
                    yield from _literals(page, name, end)
                at = page.lower.find(sign, end)


def _literals(page: Page, name: str, start: int) -> Iterator[Span]:
    if name == "encode" and "tokeni" in page.lower[max(0, start - 24) : start]:
        return
    stop = _closing(page.text, start)
    literals = list(_LITERAL.finditer(page.text, start, stop))
    if name in _AFTER_USER or (name not in _SECRET_FIRST and not _DRAWS.search(name)):
        arguments = page.text.count(",", start, stop)
        if name in _CONNECTS and (verbatim := _VERBATIM.search(page.text, start, stop + 1)):
            group = verbatim.lastgroup or "v"
            if is_secret(verbatim[group], Grade.STRONG, Style.EXACT):
                yield Span(*verbatim.span(group), "call", "password")
        found = literals[1:] if len(literals) > 1 else literals if arguments else []
        for literal in found:
            value = _KEYS.sub("", literal["v"])
            last = literal is found[-1] or name in _CONNECTS
            if literal is found[-1] and len(literals) == 2 and _PAIRS.search(name) and _is_any(value):
                yield Span(literal.start("v"), literal.start("v") + len(value), "call", "password")
            if _is_password(value) if last else proof(value) >= Proof.FAIR:
                yield Span(literal.start("v"), literal.start("v") + len(value), "call", "password")
    else:
        for literal in literals:
            drawing = _DRAWS.search(name) or (
                name in ("encode", "verify", "decode")
                and page.lower.endswith("jwt.", 0, start - len(name) - 1)
            )
            if drawing and is_chosen(literal["v"]) and literal["v"].islower():
                yield Span(*literal.span("v"), "call", "secret")
            if _is_drawn(literal["v"]) or (drawing and _KEY.fullmatch(literal["v"])):
                yield Span(*literal.span("v"), "call", "secret")


_CONNECTS = frozenset(words("words", "calls_that_connect"))
# What a function takes whose name is in no list.
_TAKES = lazy(
    r"cred|auth|login|_bind|passw|signin|account|jwt|hmac|crypt|secret|privatekey|private_key|from_key|fromkey|ecdsa"
)
_DRAWS = lazy(r"jwt|hmac|crypt|secret|privatekey|private_key|from_key|fromkey|ecdsa|^sign$|^wallet$")
_KEY = lazy(
    r"(?:0x)?(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})", re.IGNORECASE
)
# A literal that is made to bytes or characters where a password is asked for.
_IDIOM = lazy(r"\"(?P<v>[^\"\s\\]{6,80})\"\.(?:toCharArray|getBytes|toByteArray|asByteArray)\(")
_IDIOMS = frozenset(("tochararray", "getbytes", "tobytearray", "asbytearray"))


def _closing(text: str, start: int) -> int:
    depth, end = 1, min(len(text), start + 400)
    for match in re.compile(r"[()\n]").finditer(text, start, end):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return end


def _is_any(value: str) -> bool:
    return value.lower() not in DULL and " " not in value and is_secret(value, Grade.STRONG, Style.EXACT)


def _is_password(value: str) -> bool:
    return is_secret(value, Grade.STRONG, Style.EXACT) and (
        is_chosen(value)
        or is_noise(value)
        or (value.isdigit() and len(value) >= 6)
        or is_evident(value)
        or looks_random(value)
        or bool(re.fullmatch(r"[a-z]{3,10}(?:[ -][a-z]{3,10}){3,7}", value) and not is_label(value))
        or bool(
            re.search(r"[!@#$%^&*?~;=+|(){}\[\]]\w|\w[!@#$%^&*?~;=+|(){}\[\]]", value)
            and " " not in value
            and not re.search(r"[.#:/]", value)
            and re.search(r"[A-Za-z]", value)
            and re.search(r"[^\W\d_]", value)
            and len(value) >= 8
            and re.search(r"\d", value)
        )
    )


def _is_drawn(value: str) -> bool:
    if (
        " " in value
        or len(value) < 8
        or re.search(
            r"\.(?:com|org|io|net)\b|^[a-z]+[0-9]{1,3}(?:-[a-z]+)*$|^[A-Z]+[-/][A-Z0-9/-]+$|^(?:utf|iso|cp|windows|koi8|latin|big5|euc|shift)[-_]?|^[A-Z]{2,5}\d{2,4}$|^\W*%|^#|^aes-",
            value,
        )
    ):
        return False
    return (
        is_secret(value, Grade.TOKEN, Style.EXACT)
        and (is_evident(value) or looks_random(value))
        and not re.fullmatch(r"[0-9a-f]{7,64}|[\w-]+/[\w.-]+", value)
    )


def _anchors() -> Anchors:
    # a function whose name is in no list has the stem of a name in its own (``phrases.is_live``)
    signs = [f"{name}{sign}" for name in NAMES for sign in ("(", "!(")]
    bare = [f"{name} {sign}" for name in _AFTER_USER for sign in ("'", '"')]
    return Anchors(names=True, signs=(*signs, *bare, *[f"{name}(" for name in _IDIOMS]))


CALLS = Reader(
    id="call",
    kind="password",
    find=calls,
    anchors=_anchors,
)

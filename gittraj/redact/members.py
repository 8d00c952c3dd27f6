"""Values under a key that says nothing (``value``, ``result``, ``default``), which are named by a member beside
them or by what is around them: ``{"name": "DB_PASSWORD", "value": …}``, ``"db_password": {"value": …}``,
``variable "db_password" { default = … }``, in whichever order.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import Anchors
from .lazy import lazy
from .load import words
from .names import Grade, grade, kind
from .proofs import proof
from .rules import Page, Reader, Span
from .values import Style, is_secret

_KEYS = "value|currentvalue|newvalue|oldvalue|current_value|new_value|result|default|content|plaintext|plaintextvalue|secretstring|secret_string|stringvalue|string_value|val|data|text|current|literal|body|defaultvalue|default_value|payload|cleartext|keys|input|answer|typed|option_value|meta_value|setting_value|param_value|config_value|v"
_MEMBER = lazy(
    rf"(?<![\w-])(?:{_KEYS})[\"']?[ \t]{{0,12}}(?:=>|[:=])\s{{0,12}}(?P<q>\"\"\"|[\"'`])(?P<v>[^\n\"'`]{{3,400}})(?P=q)"
)
# What says of which kind or for whom a value is.
_KINDS = frozenset(words("words", "naming_keys"))
_NAMING = lazy(
    rf"(?<![\w-])(?:{'|'.join(sorted(_KINDS))})[\"']?[ \t]{{0,12}}(?:=>|[:=])\s{{0,4}}[\"'`]?(?P<n>[\w./:@-]{{2,80}}(?: [\w-]{{2,20}}){{0,3}})",
    re.IGNORECASE,
)
_NAMED = lazy(r"=?[ \t]{0,12}[\"']?(?P<n>\w{1,16})(?![\w-])")  # backwards
_VALUE_BEGINS = lazy(r">?\s{0,4}[\"'`]?[\w./:@ -]{0,80}")
_BEFORE_OBJECT = lazy(r"[\w.-]{0,60}[\"']?[ \t]{0,8}(?:=>|[:=])?[ \t]{0,8}(?:\"[\w.-]{1,80}\"[ ]?)?[{\[]")
_HEAD = lazy(
    r"(?:[\"']?(?P<n>[\w.-]{2,80})[\"']?[ \t]{0,8}(?:=>|[:=])?[ \t]{0,8}|(?:[\w-]{2,40}[ ])(?P<l>(?:\"[\w.-]{1,80}\"[ ]?){1,2}))$"
)
_FIELD = lazy(r"[ ](?:field|input|text ?box|box|entry|prompt)$", re.IGNORECASE)
_FARTHEST = 700  # characters to an object's ends
_OUTWARD = 5  # objects around the value


def members(page: Page) -> Iterator[Span]:
    """The page's values that are named by what is beside or around them."""
    text, seen = page.text, 0
    for start, end in page.hits:
        if text[end : end + 1] in ('"', "'") and (match := _user(text, start)):
            page.tick()
            if proof(match["v"]):
                yield Span(*match.span("v"), "member", "key")
        if start >= seen and _names(text, start, end):
            page.tick()
            first, seen = max(seen, start - _FARTHEST), start + _FARTHEST
            yield from _valued(page, first, seen)


def _user(text: str, at: int) -> re.Match[str] | None:
    """What stands under a key beside a user's name."""
    first = max(0, at - 130)
    return next((one for one in _USER.finditer(text, first, at + 220) if one.start("k") == at), None)


def _names(text: str, start: int, end: int) -> bool:
    """Whether the name at a hit is the value of a member, or what stands before an object."""
    if _BEFORE_OBJECT.match(text, end):
        return True
    before = text[max(0, start - 90) : start]
    sign = len(before)
    while (sign := max(before.rfind(":", 0, sign), before.rfind("=", 0, sign))) > 0:
        if not _VALUE_BEGINS.fullmatch(before, sign + 1):
            return False
        if (named := _NAMED.match(before[:sign][::-1])) and named["n"][::-1].lower() in _KINDS:
            return True
    return False


def _valued(page: Page, first: int, last: int) -> Iterator[Span]:
    for match in _MEMBER.finditer(page.lower, max(0, first), last):
        page.tick()
        start, end = match.span("v")
        value = page.text[start:end]
        if not is_secret(value, Grade.STRONG, Style.EXACT):
            continue
        name = _named(page, *match.span())
        if name and is_secret(value, grade(name), Style.EXACT):
            yield Span(start, end, "member", kind(name))


_USER = lazy(
    r"[\"'](?:username|user|login|email|account)[\"']\s{0,3}:\s{0,3}[\"'][^\"'\n]{1,80}[\"']\s{0,3},\s{0,12}[\"'](?P<k>key|code|pass|auth)[\"']\s{0,3}:\s{0,3}[\"'](?P<v>[^\"'\n]{6,200})[\"']",
    re.IGNORECASE,
)


def _named(page: Page, start: int, end: int) -> str | None:
    """The name that the objects around a place give it, if it is a secret's."""
    text = page.text
    first, last = max(0, start - _FARTHEST), min(len(text), end + _FARTHEST)
    for _ in range(_OUTWARD):
        opening, before = _outward(text, start, first)
        closing, after = _onward(text, end, last)
        beside = f"{before}\n{after}"
        names = [_FIELD.sub("", match["n"].strip()).replace(" ", "_") for match in _NAMING.finditer(beside)]
        if opening is not None and (head := _HEAD.search(text, max(0, opening - 120), opening)):
            names += [head["n"]] if head["n"] else re.findall(r"[\w.-]+", head["l"])
        told = max(names, key=grade, default="")
        if grade(told) >= Grade.WEAK:
            return told
        if opening is None or closing is None:
            return None
        start, end = opening, closing + 1
    return None


def _outward(text: str, start: int, first: int) -> tuple[int | None, str]:
    """Where the object begins in which ``start`` is, and its members up to there without those of others."""
    depth, members, at = 0, [], start
    for sign in re.finditer(r"[{}\[\]]", text[first:start][::-1]):
        here = start - 1 - sign.start()
        if sign[0] in "}]":
            if not depth:
                members.append(text[here + 1 : at])
            depth += 1
        elif depth:
            depth -= 1
            at = here
        else:
            members.append(text[here + 1 : at])
            return here, "\n".join(members)
    return None, ""


def _onward(text: str, end: int, last: int) -> tuple[int | None, str]:
    depth, members, at = 0, [], end
    for sign in re.compile(r"[{}\[\]]").finditer(text, end, last):
        if sign[0] in "{[":
            if not depth:
                members.append(text[at : sign.start()])
            depth += 1
        elif depth:
            depth -= 1
            at = sign.end()
        else:
            members.append(text[at : sign.start()])
            return sign.start(), "\n".join(members)
    return None, ""


MEMBERS = Reader(
    id="member",
    kind="password",
    find=members,
    anchors=lambda: Anchors(names=True),
)

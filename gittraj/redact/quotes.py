"""Finds where values in quotes end, and how likely it is that one belongs to the name before it."""

from __future__ import annotations

import re

from .bound import LINKS, Bound
from .lazy import lazy
from .load import patterns
from .named import Style
from .names import parts
from .page import Page
from .proof import Proof, proof

_RE = patterns("assignments")

LONGEST_VALUE = 4096
QUOTE = lazy(r"(?:[rbufRBULF]{1,2}|[@$N])?(?P<quote>\"\"\"|'''|[\"'`])")
_QUOTES = ("'", '"', "`")


def quoted_style(page: Page, bound: Bound, quote: re.Match[str]) -> Style | None:
    """How likely a value in quotes is the name's; None if the quotes belong to a sentence or to code."""
    # a function's docstring, below its arguments
    describes = len(quote["quote"]) == 3 and bound.between["block"]
    if describes or _closes(page, bound, quote) or _is_command(page, bound, quote):
        return None
    if by_sign := _BY_SIGN.get(bound.sign):
        return by_sign(page, bound, quote)
    if bound.sign in LINKS:
        return Style.EXACT if bound.sign in ("|", "->", "→") else Style.LOOSE
    return Style.LOOSE if bound.sign[:2] in ("==", "!=") else Style.EXACT


def _called_style(page: Page, bound: Bound, quote: re.Match[str]) -> Style:
    """The style of the argument of a call: ``setPassword("…")``."""
    first = next(iter(parts(bound.name.rstrip(".").rpartition(".")[2])), "")
    return Style.EXACT if first in ("set", "with", "use") or bound.name[:1].isupper() else Style.NEAR


def _spaced_style(page: Page, bound: Bound, quote: re.Match[str]) -> Style | None:
    """The style of a literal after nothing but blanks: ``PASSWORD "…"``."""
    name = bound.name
    if name == "pass" and proof(page.text[slice(*quoted(page, quote))]) < Proof.SURE:
        return None  # the verb
    return Style.NEAR if name.isalpha() and not name.isupper() and len(parts(name)) < 3 else Style.EXACT


def _closes(page: Page, bound: Bound, quote: re.Match[str]) -> bool:
    """Whether the quote closes the literal that contains the name."""
    sign = quote["quote"][0]
    line = page.text.rfind("\n", 0, bound.at) + 1
    return (
        sign not in bound.between["close"]
        and bound.op in (":", "=", "", None, "?")
        and page.text.count(sign, line, bound.at) % 2 == 1
        and page.view.depth(quote.end() - 1) <= page.view.depth(page.text.rfind(sign, line, bound.at))
    )


def _is_command(page: Page, bound: Bound, quote: re.Match[str]) -> bool:
    """Whether the quotes contain a command that a shell runs: PASS=`pwgen 20 1`."""
    runs = quote["quote"] == "`" and bound.op == "=" and _RE.setting.fullmatch(bound.name) is not None
    return runs and " " in page.text[slice(*quoted(page, quote))]


def _listed_style(page: Page, bound: Bound, quote: re.Match[str]) -> Style | None:
    """The style of a literal after a comma: ``["--password", "…"]``, ``setopt(h, PASSWORD, "…")``."""
    text, close = page.text, bound.between["close"]
    setting = _RE.setting.fullmatch(bound.name) and bound.before in (" ", "\t") and "_" in bound.name
    if bound.before not in _QUOTES and not bound.name.startswith("-") and not setting:
        return None
    start, end = quoted(page, quote)
    if _RE.names_another.match(text, end) or _RE.siblings.fullmatch(f"{bound.name} {text[start:end]}"):
        return None  # another name: ["epic-1-auth", "epic-2-pages"]
    if not close[:1]:
        return Style.EXACT
    opened = text[max(0, bound.at - 4) : max(0, bound.at - 1)].rstrip()[-1:]
    if close[0] in _QUOTES:
        return Style.EXACT if opened == "(" or bound.name.startswith("-") else Style.LOOSE
    return None


def _other_style(page: Page, bound: Bound, quote: re.Match[str]) -> Style | None:
    """The style of a default: ``secret || "…"``. None after a name in quotes, to which the literal is an
    alternative, not a value: ``"password" | "token"``."""
    return None if bound.between["close"][:1] in ("'", '"') else Style.EXACT


_BY_SIGN = {"(": _called_style, ",": _listed_style, "": _spaced_style, "|": _other_style, "||": _other_style}


def quoted(page: Page, quote: re.Match[str]) -> tuple[int, int]:
    r"""The position of the value after an opening quote, up to the next quote that has no more escapes.

    In ``\"a\\\"b\"`` the quote in the middle belongs to the value, because it has three backslashes.
    A value may also contain an escaped newline, but only a value in triple quotes a real one.
    """
    start, sign = quote.end(), quote["quote"]
    depth = page.view.depth(start - 1)
    limit = min(len(page.text), start + LONGEST_VALUE)
    at = page.text.find(sign, start, limit)
    while at >= 0:
        if page.view.depth(at) <= depth:
            break
        at = page.text.find(sign, at + 1, limit)
    end = at if at >= 0 else limit
    line = page.text.find("\n", start, end)
    if line >= 0 and len(sign) == 1:
        end = line
    return start, end

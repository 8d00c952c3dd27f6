"""Finds every value after ``=`` or ``:``, for output that is known to be secret: ``cat .env``, ``printenv``.

The names stay. Text without a name (a key's body, a bare token) is found line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lazy import lazy
from .load import patterns
from .names import kind
from .page import Page, Span
from .quotes import quoted
from .values import PLACEHOLDER

_RE = patterns("strict")

_QUOTE = lazy(r"(?P<quote>\"\"\"|'''|[\"'`])")
_OPENS = ("{", "[", "|", ">", "#")


def strictly(page: Page) -> Iterator[Span]:
    """The position of every value on the page."""
    at = 0
    while match := _RE.named.search(page.text, at):
        page.tick()
        at = match.end()
        called = kind(match["name"])
        if quote := _QUOTE.match(page.text, at):
            start, end = quoted(page, quote)
        else:
            rest = _RE.rest.match(page.text, at)
            if not rest or rest[0].startswith(_OPENS):
                continue
            # "nq" is the quote before the name: as in JSON, a comma or a closing bracket then ends the value
            start, end = at, at + len(_unquoted(rest[0], inline=bool(match["nq"])))
        value = page.text[start:end]
        if value.strip() and not PLACEHOLDER.fullmatch(value.strip()):
            yield Span(start, end, "strict", called)
        at = max(at, end)


def _unquoted(value: str, *, inline: bool) -> str:
    if inline:
        value = re.split(r"[,}\]]", value)[0]
    return re.split(r"\s+#", value)[0].rstrip(" ,;")

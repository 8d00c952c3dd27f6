"""Finds every value after ``=`` or ``:``, for output that is known to be secret: ``cat .env``, ``printenv``.

The names stay. If every line is one word without a name (``pass show db``), the words are values, too,
unless they are ordinary words, numbers, addresses or paths. A word in the first line, above ``name: value``
(``pass show``), is judged in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .decide import is_named
from .lazy import lazy
from .load import patterns
from .names import Grade, grade, kind
from .page import Page, Span
from .quotes import quoted
from .values import PLACEHOLDER

_RE = patterns("strict")
STRICT, SHOWN = "strict", "shown"
"""The rules of a value that is redacted where it is shown, and of one that is redacted elsewhere, too: its name is a
secret's, it has no name, or it looks random. A locale and a PATH are none of these."""

_QUOTE = lazy(r"(?P<quote>\"\"\"|'''|[\"'`])")
_OPENS = ("{", "[", "|", ">", "#")
_MOST = 8_000  # characters of a text in which every line may be a single word


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
            before = page.text[match.start("name") - 1 : match.start("name")]
            around = before in ("'", '"') and not match["nq"]  # the quotes are around the name and the value
            limit = page.text.find(before, at, at + 4096) if around else -1
            rest = _RE.rest.match(page.text, at, limit if limit >= 0 else len(page.text))
            if not rest or rest[0].startswith(_OPENS):
                continue
            # "nq" is the quote before the name: as in JSON, a comma or a closing bracket then ends the value
            start, end = at, at + len(_unquoted(rest[0], inline=bool(match["nq"])))
        value = page.text[start:end].strip()
        if value and not PLACEHOLDER.fullmatch(value) and not _is_report(match["name"], value):
            secret = grade(match["name"]) >= Grade.TOKEN and is_named(value)
            rule = SHOWN if secret or _RE.random.fullmatch(value) else STRICT
            yield Span(start, end, rule, called, secret)
        at = max(at, end)
    yield from _lone_words(page)


def _is_report(name: str, value: str) -> bool:
    """Whether a tool says where it wrote a file: ``File created successfully at: /w/secrets.txt``."""
    from gittraj.events.sensitive import is_secret_file  # noqa: PLC0415 - it reads its table of commands

    told = name.count(" ") > 1 and name.endswith((" at", " to", " in"))
    return told and (_RE.path.fullmatch(value) is not None or is_secret_file(value))


def _lone_words(page: Page) -> Iterator[Span]:
    if len(page.text) > _MOST:
        return
    matches = [*_RE.word.finditer(page.text)]
    if several := len(matches) < sum(map(bool, map(str.strip, page.text.splitlines()))):
        matches = list(filter(None, [_RE.entry.match(page.text)]))
    for match in matches:
        word = match["word"]
        if not (_RE.ordinary.fullmatch(word) or _RE.path.fullmatch(word) or PLACEHOLDER.fullmatch(word)):
            yield Span(*match.span("word"), SHOWN, "password", several)


def _unquoted(value: str, *, inline: bool) -> str:
    if inline:
        value = re.split(r"[,}\]]", value, maxsplit=1)[0]
    return re.split(r"\s#", value, maxsplit=1)[0].rstrip(" \t,;")

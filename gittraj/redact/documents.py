"""JSON texts and lines: each string in them is read as a separate text, with its key as the name.

So the end of a string is the end of a line for every rule, at any depth of JSON in JSON. Secrets that are
recognised by the structure (``{"name": …, "value": …}``) are left to the other rules, which read the document
with long strings blanked out.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from .load import patterns
from .page import Span
from .view import Layer

_RE = patterns("documents")
_LONG = 200
_SHORTEST = 5
Read = Callable[[str, str | None], Iterator[Span]]


def documents(text: str) -> list[tuple[int, int]]:
    """The positions of JSON documents in the text: the whole text, or whole lines of it."""
    head = text.lstrip()[:1]
    if head in ("{", "[") and _is_json(text):
        return [(0, len(text))]
    if '{"' not in text and '["' not in text and "[{" not in text:
        return []
    return [
        line.span()
        for line in _RE.line.finditer(text)
        if line[0][:1] in "{[" and len(line[0]) > 12 and _is_json(line[0])
    ]


def strings(text: str, place: tuple[int, int], read: Read) -> Iterator[Span]:
    """Yield the results of ``read`` for each string of the document at ``place``."""
    name: str | None = None
    for match in _RE.string.finditer(text, *place):
        if _RE.key.match(text, match.end(), match.end() + 8):
            name = match[1]
            continue
        if len(match[1]) >= _SHORTEST or name:
            yield from _string(match, name, read)
        following = text[match.end() : match.end() + 3].lstrip()[:1]
        name = name if following == "," and _in_list(text, match.end(), place[1]) else None


def blanked(text: str, places: list[tuple[int, int]]) -> str:
    """Return the text with the long and multi-line strings of its documents blanked out."""
    for start, end in places:
        text = text[:start] + _RE.string.sub(_blank, text[start:end]) + text[end:]
    return text


def fitted(text: str, places: list[tuple[int, int]], spans: Iterable[Span]) -> Iterator[Span]:
    """The secrets, each cut at the end of the string in which it begins, so that none includes its quote."""
    bodies: list[tuple[int, int]] | None = None
    for span in spans:
        if not places or _RE.quote.search(text, span.start, span.end) is None:
            yield span
            continue
        if bodies is None:
            bodies = [found.span(1) for place in places for found in _RE.string.finditer(text, *place)]
        start, end = bodies[max(0, bisect_right(bodies, (span.start, len(text))) - 1)] if bodies else (0, 0)
        if not start <= span.start <= end < span.end:
            yield span
        elif span.start < end:
            yield span.at(span.start, end)


def _in_list(text: str, at: int, end: int) -> bool:
    following = _RE.string.match(text, at + 1 + (text[at + 1 : at + 2] == " "), end)
    return following is not None and not _RE.key.match(text, following.end(), following.end() + 8)


def _blank(match: re.Match[str]) -> str:
    body = match[1]
    return match[0] if len(body) < _LONG and not _RE.text.match(body) else '"' + "~" * len(body) + '"'


def _string(match: re.Match[str], name: str | None, read: Read) -> Iterator[Span]:
    body, at = match[1], match.start(1)
    if "\\" not in body:
        for span in read(body, name):
            yield span.at(span.start + at, span.end + at)
        return
    layer = Layer(_RE.escape.split(body), _plain)
    for span in read(layer.text, name):
        yield span.at(layer.origin(span.start) + at, layer.end(span.end) + at)


def _plain(escape: str) -> str:
    return str(json.loads(f'"{escape}"'))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

"""The words in the same place as a secret, in the lines around it and in the rest of its list.

``1. eve / …`` under ``1. bob / …``, the third of eight codes, the next row's cell: one was matched, so the others
are secrets too, without other evidence. It runs only where a secret was matched, so it can't change a text that
has none.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .lazy import lazy
from .names import Grade
from .page import Page, Span
from .proofs import Proof, proof
from .values import Style, is_secret

_MOST_LINES = 12  # in either direction
_MOST_ITEMS = 24
_LONGEST = 240  # characters of a line
_WORD = lazy(r"[^\W_]+(?:[._@-][^\W_]+)*")
_NAMED = lazy(r"[\w.-]{2,}[\"'\])]{0,2}\s?(?:=>|[:=])\s{0,3}[\"'`(\[]{0,2}$")
_LISTED = lazy(r"[ \t>*•\d.)\]\[|│\"'`→-]*$")
_SEPARATOR = lazy(r"[\"'`]?(?:,[ ]?|;[ ]?|[ ]|[ ]\|[ ]|[ ]/[ ])[\"'`]?")
_VALUE = lazy(r"[^\s\"'`,;|│<>]{4,120}")
_CODE = lazy(r"(?=.*[\d-])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,12}){0,5}")


def alike(page: Page, found: Iterable[Span]) -> Iterator[Span]:
    """The words like ``found`` in the same place of other lines, and in the same row."""
    text, spans = page.text, [*found]
    lines = {text.rfind("\n", 0, span.start) + 1 for span in spans}
    for span in spans:
        if "\n" in text[span.start : span.end] or span.end - span.start > _LONGEST:
            continue
        page.tick()
        start = text.rfind("\n", 0, span.start) + 1
        stop = text.find("\n", span.end)
        stop = stop if stop >= 0 else len(text)
        if stop - start > _LONGEST:
            continue
        value, before, after = text[span.start : span.end], text[start : span.start], text[span.end : stop]
        if _CODE.fullmatch(value):
            yield from _in_row(page, span, value, stop)
        if not _NAMED.search(before):
            for one in _in_lines(page, value, (before, after), (start, stop), lines):
                yield Span(*one, span.rule, span.kind)


def _in_row(page: Page, span: Span, value: str, stop: int) -> Iterator[Span]:
    at = span.end
    for _ in range(_MOST_ITEMS):
        gap = _SEPARATOR.match(page.text, at, stop)
        one = _VALUE.match(page.text, gap.end(), stop) if gap else None
        if not one or _form(one[0]) != _form(value) or not _CODE.fullmatch(one[0]):
            return
        at = one.end()
        if one[0] != value:
            yield Span(*one.span(), span.rule, span.kind)


def _in_lines(
    page: Page, value: str, sides: tuple[str, str], line: tuple[int, int], lines: set[int]
) -> Iterator[tuple[int, int]]:
    """The words in the value's place in the lines around it, up to the next of ``lines``, which have secrets themselves."""
    text, left, right = page.text, _skeleton(sides[0]), _skeleton(sides[1].rstrip("\r"))
    bare = _LISTED.fullmatch(sides[0]) is not None
    words = [word.span() for word in _VALUE.finditer(text, *line)]
    place = line[0] + len(sides[0]), line[0] + len(sides[0]) + len(value)
    if place not in words or not (left or right or _CODE.fullmatch(value)):
        return
    n = words.index(place)
    for step in (1, -1):
        start, stop = line
        for _ in range(_MOST_LINES):
            start, stop = _next_line(text, start, stop, step)
            if stop < 0 or stop - start > _LONGEST or start in lines:
                break
            page.tick()
            others = [word.span() for word in _VALUE.finditer(text, start, stop)]
            if len(others) != len(words):
                break
            one = others[n]
            if (_skeleton(text[start : one[0]]), _skeleton(text[one[1] : stop].rstrip("\r"))) != (
                left,
                right,
            ):
                break
            other = text[slice(*one)]
            if (not bare or _form(other) == _form(value)) and _is_one(other, codes=bare):
                yield one


def _next_line(text: str, start: int, stop: int, step: int) -> tuple[int, int]:
    if step > 0:
        if stop >= len(text):
            return 0, -1
        end = text.find("\n", stop + 1)
        return stop + 1, end if end >= 0 else len(text)
    return (text.rfind("\n", 0, start - 1) + 1, start - 1) if start > 0 else (0, -1)


def _is_one(value: str, *, codes: bool) -> bool:
    if codes and _CODE.fullmatch(value):
        return True
    return proof(value) >= Proof.SLIGHT and is_secret(value, Grade.STRONG, Style.LINE)


def _skeleton(side: str) -> str:
    """The text beside a value, with each word replaced by ``w`` and each run of spaces by one."""
    return re.sub(r"[ \t]+", " ", _WORD.sub("w", side))


def _form(value: str) -> str:
    """The value with each letter and digit replaced by ``w``."""
    return re.sub(r"[^\W_]", "w", value)

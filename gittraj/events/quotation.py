"""Finds code and quotations in a message, as CommonMark marks them.

They are not the author's statements: an example of a decision is not a decision, and a quoted sentence is
somebody else's. If in doubt, a text counts as quoted. Pure; this module must not decide what a text means.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

Span = tuple[int, int]
_LINE = re.compile(r"[^\n]*\n?")
_QUOTE = re.compile(r"[ \t]*>")
_ITEM = re.compile(r"[ ]*(?:[-*+]|\d{1,9}[.)])[ ]+")
_FENCE = re.compile(r"(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t]*(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)")
_RUN = re.compile(r"`+|\n[ \t\r]*\n")
_MARKDOWN = ("markdown", "md")
_ELEMENT = re.compile(r"<(pre|code|blockquote)(?:\s[^<>]{0,200})?>|<!--", re.I)


def find_quoted(text: str) -> list[Span]:
    """Return the spans of fences, indented code, block quotes and HTML elements for these, in order and
    without overlap."""
    spans: list[Span] = []
    for start, end in sorted((*_quoted_lines(text), *_elements(text))):
        if spans and spans[-1][1] >= start:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def find_code_spans(text: str) -> list[Span]:
    """Return the code spans within paragraphs, with their backticks, in order."""
    spans: list[Span] = []
    paragraph: list[Span] = []
    for run in _RUN.finditer(text):
        if run[0][0] == "`":
            paragraph.append(run.span())
        else:
            spans += _pair(paragraph)
            paragraph = []
    return [*spans, *_pair(paragraph)]


def around(spans: list[Span], position: int) -> Span | None:
    """Return the one of ``spans`` that contains a position, or None."""
    at = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return spans[at] if at >= 0 and position < spans[at][1] else None


def _pair(runs: list[Span]) -> Iterator[Span]:
    """Pair each run of backticks with the next run of the same length, which closes it."""
    following: dict[int, list[int]] = {}
    for start, end in reversed(runs):
        following.setdefault(end - start, []).append(start)
    done = -1
    for start, end in runs:
        same = following[end - start]
        same.pop()
        if start >= done and same:
            done = same[-1] + end - start
            yield start, done


def _quoted_lines(text: str) -> Iterator[Span]:
    """Yield the lines of fences, indented code and block quotes."""
    fences: list[str] = []
    is_markdown = is_code = False
    blank, indent = True, 0
    for found in _LINE.finditer(text):
        line = found[0].rstrip("\r\n")
        fence = _FENCE.fullmatch(line)
        if fences:
            yield found.span()
            _move(fences, fence, nests=is_markdown and _has_next_line(text, found.end()))
            continue
        wide = line.expandtabs(4)
        own = len(wide) - len(wide.lstrip())
        if not wide.strip():
            blank = True
            continue
        is_code = (blank or is_code) and own >= indent + 4
        if is_code or _QUOTE.match(line):
            yield found.span()
        elif fence:
            yield found.span()
            fences, is_markdown = [fence[1]], fence[2].strip().lower() in _MARKDOWN
        else:
            indent = _find_indent(wide, indent, after_blank=blank)
        blank = False


def _find_indent(line: str, indent: int, *, after_blank: bool) -> int:
    """Return how far the text after this line is indented: a list's item sets that, a paragraph ends it."""
    if item := _ITEM.match(line):
        return item.end()
    return min(indent, len(line) - len(line.lstrip())) if after_blank else indent


def _move(fences: list[str], fence: re.Match[str] | None, *, nests: bool) -> None:
    """Move past a line within ``fences``, which may close the last fence or open another one. People nest
    fences, although no renderer shows that; ``nests``: the first fence is of Markdown, and text follows."""
    if fence and fence[1].startswith(fences[-1]):
        if fence[2] or (nests and len(fences) == 1):
            fences.append(fence[1])
        else:
            fences.pop()


def _elements(text: str) -> Iterator[Span]:
    """Yield the spans of the HTML elements and comments that have an end."""
    at, endless = 0, set[str]()
    for begin in _ELEMENT.finditer(text):
        closing = f"</{begin[1].lower()}>" if begin[1] else "-->"
        if begin.start() < at or closing in endless:
            continue
        end = re.compile(closing, re.I).search(text, begin.end())
        if end is None:
            endless.add(closing)
            continue
        at = end.end()
        yield begin.start(), at


def _has_next_line(text: str, at: int) -> bool:
    """Whether the next line has text: after a closing fence it would not."""
    line = _LINE.match(text, at)
    return line is not None and bool(line[0].strip(" \t\r\n`~"))

"""Renders agents' Markdown as HTML: code, lists, tables and emphasis, but never a link, an image or HTML.

It must not fail: what is not Markdown becomes a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gittraj.render.html.markup import Html, join, tag, text

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"^#{1,6}\s+(\S.*)")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(\S.*)")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^[\s|:-]+$")
_INLINE = re.compile(r"``([^\n]+?)``|`([^`\n]+)`|\*\*([^*\n]+)\*\*")
_DEEPEST = 3


def prose(markdown: str) -> Html:
    lines = markdown.replace("\r\n", "\n").strip("\n").split("\n")
    return join(_blocks(lines))


def _blocks(lines: Sequence[str]) -> Iterator[Html]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if opened := _FENCE.match(line):
            end = _close(lines, at + 1, opened[1])
            yield code("\n".join(lines[at + 1 : end]))
            at = end + 1
        elif heading := _HEADING.match(line):
            yield tag("p", _inline(heading[1]), class_="heading")
            at += 1
        else:
            test, render = next(kind for kind in _KINDS if kind[0](line))
            end = _run_end(lines, at, test)
            yield render(lines[at:end])
            at = end


def plain(markdown: str) -> str:
    """Return ``markdown`` as plain text, without tables and code, for a one-line summary."""
    kept, fence = [], False
    for line in markdown.split("\n"):
        fence ^= bool(_FENCE.match(line))
        if not (fence or _FENCE.match(line) or _ROW.match(line)):
            heading = _HEADING.match(line)
            kept.append(heading[1] + ("." if heading[1][-1].isalnum() else "") if heading else line)
    return _INLINE.sub(lambda match: next(filter(None, match.groups())), "\n".join(kept)).strip() or markdown


def code(content: str) -> Html:
    return tag("pre", tag("code", text(content)))


def _close(lines: Sequence[str], at: int, ticks: str) -> int:
    """The index of the line that closes a fence; if no line does, that of the end."""
    ends = (i for i in range(at, len(lines)) if lines[i].strip().rstrip(ticks[0]) == "" and ticks in lines[i])
    return next(ends, len(lines))


def _run_end(lines: Sequence[str], at: int, test: Callable[[str], object]) -> int:
    """The index after the lines from ``at`` on that pass the test."""
    while at < len(lines) and test(lines[at]):
        at += 1
    return at


def _is_blank(line: str) -> bool:
    return not line.strip()


def _is_text(line: str) -> bool:
    return not any(test(line) for test in (_FENCE.match, _HEADING.match, _ITEM.match, _ROW.match, _is_blank))


def _list(lines: Sequence[str]) -> Html:
    matches = [match for match in map(_ITEM.match, lines) if match]
    indents = sorted({len(match[1].expandtabs(4)) for match in matches})
    rows = []
    for line, match in zip(lines, matches, strict=True):
        depth = min(indents.index(len(match[1].expandtabs(4))), _DEEPEST)
        number = re.match(r"\s*(\d+[.)])", line)
        mark = tag("span", number[1] if number else "•", class_="mark", aria_hidden="true")
        rows.append(tag("li", mark, tag("span", _inline(match[2])), class_=f"depth{depth}"))
    return tag("ul", *rows, class_="list")


def _table(lines: Sequence[str]) -> Html:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head = len(lines) > 1 and _RULE.match(lines[1]) is not None
    body = [
        tag("tr", *(tag("th" if head and not at else "td", _inline(cell)) for cell in cells))
        for at, cells in enumerate(rows)
        if not _RULE.match(lines[at])
    ]
    return tag("table", *body)


def _paragraph(lines: Sequence[str]) -> Html:
    return tag("p", _inline("\n".join(lines)))


def _inline(markdown: str) -> Html:
    parts, end = [], 0
    for match in _INLINE.finditer(markdown):
        parts.append(text(markdown[end : match.start()]))
        double, single, strong = match.groups()
        parts.append(tag("strong", text(strong)) if strong else tag("code", text(double or single)))
        end = match.end()
    return join([*parts, text(markdown[end:])])


def _nothing(_: Sequence[str]) -> Html:
    return Html()


_KINDS: tuple[tuple[Callable[[str], object], Callable[[Sequence[str]], Html]], ...] = (
    (_is_blank, _nothing),
    (_ITEM.match, _list),
    (_ROW.match, _table),
    (_is_text, _paragraph),
)

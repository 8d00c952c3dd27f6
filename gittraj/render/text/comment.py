"""The pull request comment for a terminal: of the Markdown that ``render.comment`` writes, and of no other.

Texts were escaped there; this removes markup and adds none that a text could have made.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from gittraj.render.text.terminal import Page

_TOKEN = re.compile(
    r"(?P<ticks>`+) ?(?P<code>.+?) ?(?P=ticks)|\\(?P<escaped>\W)|(?P<bold>\*\*)|(?P<tag></?[a-z]+>)"
)
_SUMMARY = re.compile(r"<details><summary>(.*)</summary>")
_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|[-:|]+")


def render_comment_as_text(markdown: str, page: Page) -> Iterator[str]:
    """Lines, each with its line break."""
    head: list[str] = []
    blank = True
    for line in markdown.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in _CELLS.split(line.strip("|"))]
            if not head:
                head = cells
            elif not _RULE.match(line):
                yield from _lines(page.block(_row(head, cells, page), indent=4, label="  -"))
                blank = False
            continue
        head = []
        shown = _line(line, page)
        if shown or not blank:
            yield from _lines(shown or [""])
        blank = not shown


def _line(line: str, page: Page) -> list[str]:
    if line in ("", "</details>", "<details>"):
        return []
    if summary := _SUMMARY.match(line):
        return page.block(_plain(summary[1], page), "bold")
    if line.startswith("### "):
        return page.block(_plain(line[4:], page), "bold")
    if line.startswith("<sub>"):
        return page.block(_plain(line, page).strip("()"), "dim")
    if line.startswith(">"):
        return page.block(_plain(line.removeprefix(">").strip().removesuffix("\\"), page), indent=2)
    return page.block(_plain(line, page))


def _row(head: list[str], cells: list[str], page: Page) -> str:
    """``first cell; column: cell``; the columns up to the first that has a name need none."""
    named = next((number for number, name in enumerate(head) if name), 0)
    first = " ".join(_plain(cell, page) for cell in cells[: named + 1] if cell)
    rest = zip(head[named + 1 :], cells[named + 1 :], strict=False)
    return "; ".join(
        [first, *(f"{name.lower()}: {_plain(c, page)}" for name, c in rest if c not in ("", "—"))]
    )


def _plain(text: str, page: Page) -> str:
    """Without markup; bold stays where there is colour, small print goes in parentheses."""
    out, bold, at = "", False, 0
    for found in _TOKEN.finditer(text):
        out += _paint(html.unescape(text[at : found.start()]), page, bold=bold)
        at = found.end()
        bold ^= found["bold"] is not None
        tag = {"<sub>": "(", "</sub>": ")"}.get(found["tag"] or "", "")
        out += _paint(found["code"] or found["escaped"] or tag, page, bold=bold)
    return out + _paint(html.unescape(text[at:]), page, bold=bold)


def _paint(text: str, page: Page, *, bold: bool) -> str:
    """Word by word, so that a line break never falls inside a painted stretch."""
    return re.sub(r"\S+", lambda word: page.paint(word[0], "bold"), text) if bold else text


def _lines(rows: list[str]) -> Iterator[str]:
    yield from (f"{row}\n" for row in rows)

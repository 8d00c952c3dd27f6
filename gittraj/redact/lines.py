"""Lines of particular files, programs and devices, whose form shows what is secret: ``data/lines.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .anchors import Anchors
from .decide import ACCEPT
from .load import WHOLE_TEXT, Row, rows
from .rules import Gate, Page, Reader, Span

_FLAGS = {"i": re.IGNORECASE}


def lines(page: Page) -> Iterator[Span]:
    """The secrets of the page in lines of a known form."""
    for number, keywords in _gate().open(page).items():
        row = rows()[number]
        places = [(0, len(page.text))] if row.window == WHOLE_TEXT else page.near(keywords, after=row.window)
        for start, stop in places:
            for match in _compiled(row).finditer(page.text, start, stop):
                page.tick()
                group = "v" if match.groupdict().get("v") else match.lastgroup or "v"
                if ACCEPT[row.accept](match[group]):
                    at = match.start(group)
                    yield Span(at, at + len(match[group].rstrip(",;")), row.id, row.kind)


@cache
def _gate() -> Gate:
    return Gate(row.keywords for row in rows())


@cache
def _compiled(row: Row) -> re.Pattern[str]:
    return re.compile(row.pattern, _FLAGS[row.flags] if row.flags else 0)


def rules() -> tuple[Row, ...]:
    """The rules, each with its own examples."""
    return rows()


LINES = Reader(
    id="line",
    kind="secret",
    find=lines,
    anchors=lambda: Anchors(signs=_gate().signs, parts=_gate().wordless),
)

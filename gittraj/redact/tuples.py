"""Rows of values under or over a row of names, whatever brackets hold them: ``INSERT INTO t (name, password)
VALUES ('x', '…')``, ``for user, pw in [("x", "…")]``, ``{"columns": ["id", "token"], "rows": [[1, "…"]]}``,
``("x", "…")  # (user, password)``. The place in the row says whose name a value has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .anchors import Anchors
from .lazy import lazy
from .names import Grade, grade, kind
from .proofs import Proof, proof
from .rules import Page, Reader, Span
from .values import Style, is_secret

_FEW, _MANY = 2, 24
_REACH = 1600
_BEFORE = 200
_MOST_ROWS = 40
_ITEM = r"(?:\"[^\"\n]{0,200}\"|'(?:[^'\n]|''){0,200}'|`[^`\n]{0,200}`|[^\s\"'`,;(){}\[\]]{1,80})"
_ROW = lazy(
    rf"(?<![\w$)\].])[(\[{{]\s{{0,8}}(?P<items>[EN]?{_ITEM}(?:\s{{0,8}},\s{{0,8}}[EN]?{_ITEM}){{1,{_MANY}}})\s{{0,8}},?\s{{0,8}}[)\]}}]"
)
_EACH = lazy(_ITEM)
_NAMES = lazy(r"[\"'`]?[A-Za-z_][\w.-]{0,40}[\"'`]?(?:,\s{0,8}[\"'`]?[A-Za-z_][\w.-]{0,40}[\"'`]?){1,24}")
_TABLE = lazy(
    r"(?i)(?:\binto\s{1,4}|\bcopy\s{1,4}|values\s?)[\w.\"'`\[\]]{0,80}\s{0,4}\(\s{0,8}$|(?:columns|fields|headers?|keys)[\"']?\s{0,3}[:=]>?\s{0,3}[\[(]\s{0,8}$|\w\s?struct\s?\{\s{0,8}$"
)
_COPY = lazy(r"[^\n;]{0,300}\bFROM stdin[^\n]{0,40};?\r?\n", re.IGNORECASE)
# A name's end, and what follows it in a row.
_IN_ROW = lazy(r"[\w.-]{0,40}[\"'`]?(?:[ ][\w\[\]*]{1,16})?\s{0,4}(?:[,)\]}:=|]|in[ ])")
_AFTER_NAMES = lazy(r"[^\n]{0,60}[)\]}:|]|[ ]in[ ]|\s{0,4}:?=|[ ][\w\[\]*]{1,16}[ ]?[})]")


_UNNAMED = lazy(
    r"into\s{1,4}[\w.\"'`\[\]]{0,40}?(?:users?|accounts?|logins?|credentials?|keys?|tokens?|secrets?)[\"'`\]]?\s{1,4}values\s{0,4}(?=\()"
)
_DRAWN = lazy(r"(?=.{0,60}[a-z])(?=.{0,60}[A-Z])(?=.{0,60}\d)[A-Za-z0-9]{20,80}")


def _unnamed(page: Page) -> Iterator[Span]:
    """What was drawn in rows of a table of logins whose columns have no names; the first column is an id."""
    for into in _UNNAMED.finditer(page.lower) if "values" in page.lower else ():
        rows = _ROW.finditer(page.text, into.end(), into.end() + _REACH)
        for row in islice(rows, _MOST_ROWS):
            page.tick()
            for item in list(_EACH.finditer(page.text, *row.span("items")))[1:]:
                if _DRAWN.fullmatch(item[0][1:-1]) and proof(item[0][1:-1]) is Proof.CERTAIN:
                    yield from _cell(item, "password", Grade.STRONG, sure=True)


def tuples(page: Page) -> Iterator[Span]:
    """The values of the page whose place in a row is that of a secret's name."""
    text, done = page.text, 0
    if "," not in text:
        return
    yield from _unnamed(page)
    for hit in page.hits:
        if hit[0] < done or not _IN_ROW.match(text, hit[1]):
            continue
        names = _names_at(text, hit[0])
        if not names or names.end() <= hit[0] or not _AFTER_NAMES.match(text, names.end()):
            continue
        table = _TABLE.search(text, max(0, names.start() - 120), names.start())
        if not table and re.search(r"[\w$>][(\[]$", text[max(0, names.start() - 2) : names.start()]):
            continue  # what a function takes
        page.tick()
        done = names.end()
        each = [name.strip("\"'` ") for name in names[0].split(",")]
        columns = {n: grade(name) for n, name in enumerate(each) if grade(name) >= Grade.TOKEN}
        if not columns or len(columns) == len(each) > _FEW:
            continue
        yield from _rows(page, names.end(), min(len(text), done + _REACH), each, columns, sure=bool(table))
        yield from _rows(page, max(0, names.start() - _BEFORE), names.start(), each, columns, sure=False)
        if copied := _COPY.match(text, names.end()):
            yield from _copied(page, copied.end(), each, columns)


def _names_at(text: str, at: int) -> re.Match[str] | None:
    """The row of names that a hit is in: from the bracket, the line's start or the ``for`` before it."""
    first, last = max(0, at - 160), at + 120
    if text.find(",", first, last) < 0:
        return None
    start = max(text.rfind(sign, first, at) + len(sign) for sign in ("(", "[", "{", "\n", "for "))
    while text[start : start + 1] in (" ", "\t", "\n", "\r") and start < at:
        start += 1
    return _NAMES.match(text, start) if at - start < 160 else None


def _rows(
    page: Page, start: int, stop: int, names: list[str], columns: dict[int, Grade], *, sure: bool
) -> Iterator[Span]:
    for n, row in enumerate(_ROW.finditer(page.text, start, stop)):
        page.tick()
        if n >= _MOST_ROWS:
            return
        items = list(_EACH.finditer(page.text, *row.span("items")))
        if len(items) != len(names):
            continue
        for column, level in columns.items():
            yield from _cell(items[column], names[column], level, sure=sure)


def _cell(item: re.Match[str], name: str, level: Grade, *, sure: bool) -> Iterator[Span]:
    value, at = item[0], item.start()
    if value[0] in "\"'`":
        value, at = value[1:-1], at + 1
    elif not re.search(r"\d", value):
        return
    style = Style.EXACT if at > item.start() else Style.LOOSE
    if is_secret(value, level, style) and grade(value) is Grade.NONE and (sure or proof(value)):
        yield Span(at, at + len(value), "row", kind(name))


def _copied(page: Page, at: int, names: list[str], columns: dict[int, Grade]) -> Iterator[Span]:
    """The rows of tabs that follow ``COPY t (…) FROM stdin``."""
    for _ in range(_MOST_ROWS):
        stop = page.text.find("\n", at)
        line = page.text[at : stop if stop >= 0 else len(page.text)]
        cells = line.split("\t")
        if len(cells) != len(names):
            return
        for column, level in columns.items():
            value = cells[column].strip()
            if value and is_secret(value, level, Style.EXACT):
                start = at + sum(len(cell) + 1 for cell in cells[:column])
                yield Span(start, start + len(value), "row", kind(names[column]))
        if stop < 0:
            return
        at = stop + 1


TUPLES = Reader(
    id="row",
    kind="password",
    find=tuples,
    anchors=lambda: Anchors(names=True, signs=("into ",)),
)

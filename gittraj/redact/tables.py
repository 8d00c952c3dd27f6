"""Tables with a column that is named after a secret: Markdown, the output of psql and mysql, CSV, aligned text."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .anchors import Anchors
from .common import DESCRIBES, DULL, STOP
from .lazy import lazy
from .names import Grade, grade
from .rules import Page, Reader, Span
from .values import Style, is_secret

_NAME = lazy(
    r"passw|passphrase|passcode|secret|token|ap[ip].?key|nwk.?key|access.?key|private.?key|p(?<=\bp)(?:wd?|in|ass)\b|contrase|passe\b|senha|парол|密码|密碼|パスワード|passwort|kennwort|passe|credential|community|parola|hasł|heslo|비밀번호"
)
_MOST_ROWS = 500
"""Of a table that begins in another, as one of its rows may look like; and lines in one that are no row of it."""
_LINE_END = 2  # characters


def tables(page: Page) -> Iterator[Span]:
    """The cells under a secret's name."""
    if not page.hits or "\n" not in page.text:
        return
    done = 0
    for start, stop in page.hit_lines:
        if stop - start >= 400 or (stop < len(page.text) and not _COLUMNS.search(page.text, start, stop)):
            continue
        if _NAME.search(page.lower, start, stop):
            page.tick()
            rows = _Rows(page, start, None if start >= done else _MOST_ROWS)
            if len(rows.first) < 2:
                break
            before = page.text[page.text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
            if _RULED.fullmatch(rows.first[1][0]):
                yield from _ruled(rows)
            else:
                yield from _aligned(rows)
                yield from _under(rows, before)
            done = max(done, rows.end)
            if len(page.text) - rows.end <= _LINE_END:
                page.heading = rows.heading


class _Rows:
    """The lines from ``start`` on, ``most`` at most, each found when it is asked for. ``end`` is that of the
    last one that was a row."""

    def __init__(self, page: Page, start: int, most: int | None) -> None:
        self._page, self._start, self._most = page, start, most
        self.first = list(islice(_LINE.finditer(page.text, start), 2))
        self.end = start

    @property
    def heading(self) -> tuple[int, int]:
        """The place of the line with the names, and of the rule under it."""
        names, under = self.first
        return names.start(), (under if _RULE.fullmatch(under[0]) else names).end()

    def after(self, n: int) -> Iterator[re.Match[str]]:
        """Those after ``n`` lines."""
        for line in islice(_LINE.finditer(self._page.text, self._start), n, self._most):
            self._page.tick()
            yield line


_COLUMNS = lazy(r"[|,;\t]|[ ]{2}")
_LINE = lazy(r"[^\n]+")
_CELL = lazy(r"[^\s|]+(?: [^\s|]+)*")
_RULED = lazy(r"[ ]{0,8}-{2,}(?:[ ]{1,4}-{2,})+[ ]*\r?")


def _aligned(rows: _Rows) -> Iterator[Span]:
    """A table with names in capitals over columns: ``USER   PASS   ROLE``, or in words: ``User  Password``."""
    names = rows.first[0][0]
    if not re.fullmatch(r"[A-Z][A-Z_]*(?: [A-Z_]+)?(?:[ ]{2,24}[A-Z_]+(?: [A-Z_]+)?){1,8}\s*", names):
        if re.fullmatch(r"[A-Z]\w+(?: \w+)?(?:[ ]{2,40}[A-Z]\w+(?: \w+)?){1,8}\s*", names):
            yield from _spaced(rows)
        return
    heads = list(re.finditer(r"[A-Z_]+(?: [A-Z_]+)?", names))
    yield from _placed(rows, 1, [head.start() for head in heads], [_grade(head[0]) for head in heads])


def _placed(rows: _Rows, n: int, starts: list[int], levels: list[Grade]) -> Iterator[Span]:
    """The cells of the lines after ``n``: as many as there are columns, or where the columns are."""
    others = 0
    for line in rows.after(n):
        cells = list(_CELL.finditer(line[0]))
        if len(cells) == len(levels):  # wherever they stand
            rows.end = line.end()
            for level, found in zip(levels, cells, strict=True):
                if level:
                    yield from _cell(found[0], line.start() + found.start(), level)
            continue
        if (others := others + 1) > _MOST_ROWS:
            return
        for start, level, following in zip(starts, levels, [*starts[1:], None], strict=True):
            if level:
                yield from _cell(line[0][start:following], line.start() + start, level)


def _spaced(rows: _Rows) -> Iterator[Span]:
    heads = list(_CELL.finditer(rows.first[0][0]))
    for line in rows.after(1):
        cells = list(_CELL.finditer(line[0]))
        if len(cells) != len(heads):
            return
        rows.end = line.end()
        for head, found in zip(heads, cells, strict=True):
            if level := _grade(head[0]):
                yield from _cell(found[0], line.start() + found.start(), level)


def _ruled(rows: _Rows) -> Iterator[Span]:
    """A table whose columns are ruled: ``--  -----  ---``."""
    head, under = (line[0] for line in rows.first)
    columns = [rule.span() for rule in re.finditer(r"-{2,}", under)]
    levels = [_grade(head[start:end].strip()) for start, end in columns]
    names = list(_CELL.finditer(head))
    if len(names) == len(columns):
        levels = [_grade(name[0]) for name in names]
    yield from _placed(rows, 2, [start for start, _ in columns], levels)


def _under(rows: _Rows, before: str) -> Iterator[Span]:
    head = rows.first[0][0].rstrip("\r")
    numbered = _NUMBER.match(head) is not None
    head = _NUMBER.sub(lambda number: " " * len(number[0]), head)
    sign = next((sign for sign in ("|", "\t", ";", ",") if sign in head.lstrip("0123456789\t ")), None)
    if sign is None or (
        sign == ","
        and re.search(r"[(){}=:\"']|,\s|,$", head.strip('"'))
        and not re.fullmatch(r'(?:"[\w -]+",?)+', head)
    ):
        return
    if sign == ";" and re.search(r"[(){}=]|; |;$", head):
        return
    if _RULE.fullmatch(before) and not _RULE.fullmatch(rows.first[1][0]):
        return
    if before.count(sign) == head.count(sign) and not re.fullmatch(r"[\s|+:=┌┬┐─-]+", before):
        return
    names = [cell.strip().strip("\"'*`_ ") for cell in head.split(sign)]
    columns = {
        n: level
        for n, name in enumerate(names)
        if len(name) < 40 and "." not in name and (level := _grade(name))
    }
    if not columns or len(names) < 2 or any(name.isdigit() for name in names):  # a row, not its heading
        return
    for line in rows.after(1):
        row = line[0].rstrip("\r")
        if numbered:
            row = _NUMBER.sub(lambda number: " " * len(number[0]), row)
        cells = row.split(sign)
        if re.fullmatch(r"[\s|+:=┼├┤─-]+", line[0]):
            rows.end = line.end()
            continue
        if len(cells) != len(names):
            return
        at, rows.end = line.start(), line.end()
        for n, cell in enumerate(cells):
            if n in columns:
                yield from _cell(cell, at, columns[n])
            at += len(cell) + 1


_RULE = lazy(r"[\s|+:=┌┬┐├┼┤─-]{3,}")
_NUMBER = lazy(r"^[ ]{0,6}\d{1,6}(?:\t|→|:(?=\w))")


# What a query made of a secret, or how often something was done with one.
_MADE_OF = lazy(
    r"(?i)\b(?:left|right|substr\w*|length|count|md5|sha\d*|hash|mask)\(|\b(?:failed|wrong|invalid|expired|weak|leaked|resets?)\b"
)


def _grade(name: str) -> Grade:
    if _MADE_OF.search(name):
        return Grade.NONE
    level = grade(re.sub(r"\s+", "_", name))
    return level if level is not Grade.WEAK else Grade.NONE


def _cell(cell: str, at: int, level: Grade) -> Iterator[Span]:
    value = cell.strip().strip("\"'` ").removeprefix("**").removesuffix("**")
    if (
        value
        and is_secret(value, level, Style.EXACT)
        and (not re.search(r"\s", value) or (level is Grade.STRONG and _is_worded(value)))
        and not re.fullmatch(r"[a-z]{1,7}|\d{1,3}|[A-Z][a-z]+|[A-Z][A-Z0-9_]*_[A-Z0-9_]*|-.*|.*\(.*", value)
    ):
        start = at + cell.index(value)
        yield Span(start, start + len(value), "table", "password")


def _is_worded(value: str) -> bool:
    """Whether a cell of several words is a passphrase: no list, no sentence."""
    words = value.split()
    return re.fullmatch(r"[a-z]{3,10}(?: [a-z]{3,10}){2,10}", value) is not None and (
        DULL | DESCRIBES | STOP
    ).isdisjoint(words)


TABLES = Reader(
    id="table",
    kind="password",
    find=tables,
    anchors=lambda: Anchors(names=True),
)

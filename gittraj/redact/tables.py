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


def tables(page: Page) -> Iterator[Span]:
    """The cells under a secret's name."""
    if not page.hits or "\n" not in page.text:
        return
    for start, stop in page.hit_lines:
        if stop - start >= 400 or (stop < len(page.text) and not _COLUMNS.search(page.text, start, stop)):
            continue
        if _NAME.search(page.lower, start, stop):
            page.tick()
            lines = list(islice(_LINE.finditer(page.text, start), _MOST_ROWS))
            if len(lines) < 2:
                break
            n, before = 0, page.text[page.text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
            if _RULED.fullmatch(lines[n + 1][0]):
                yield from _ruled(page, lines[n : n + _MOST_ROWS])
            else:
                yield from _aligned(page, lines)
                yield from _under(page, lines[n : n + _MOST_ROWS], before)


_COLUMNS = lazy(r"[|,;\t]|[ ]{2}")
_LINE = lazy(r"[^\n]+")
_CELL = lazy(r"[^\s|]+(?: [^\s|]+)*")
_RULED = lazy(r"[ ]{0,8}-{2,}(?:[ ]{1,4}-{2,})+[ ]*\r?")


def _aligned(page: Page, lines: list[re.Match[str]]) -> Iterator[Span]:
    """A table with names in capitals over columns: ``USER   PASS   ROLE``, or in words: ``User  Password``."""
    if not re.fullmatch(r"[A-Z][A-Z_]*(?: [A-Z_]+)?(?:[ ]{2,24}[A-Z_]+(?: [A-Z_]+)?){1,8}\s*", lines[0][0]):
        if re.fullmatch(r"[A-Z]\w+(?: \w+)?(?:[ ]{2,40}[A-Z]\w+(?: \w+)?){1,8}\s*", lines[0][0]):
            yield from _spaced(page, lines)
        return
    heads = list(re.finditer(r"[A-Z_]+(?: [A-Z_]+)?", lines[0][0]))
    for line in lines[1:]:
        page.tick()
        cells = list(_CELL.finditer(line[0]))
        if len(cells) == len(heads):  # wherever they stand
            for head, found in zip(heads, cells, strict=True):
                if level := _grade(head[0]):
                    yield from _cell(found[0], line.start() + found.start(), level)
            continue
        for head, following in zip(heads, [*heads[1:], None], strict=True):
            if level := _grade(head[0]):
                cell = line[0][head.start() : following.start() if following else None]
                yield from _cell(cell, line.start() + head.start(), level)


def _spaced(page: Page, lines: list[re.Match[str]]) -> Iterator[Span]:
    heads = list(_CELL.finditer(lines[0][0]))
    for line in lines[1:]:
        page.tick()
        cells = list(_CELL.finditer(line[0]))
        if len(cells) != len(heads):
            return
        for head, found in zip(heads, cells, strict=True):
            if level := _grade(head[0]):
                yield from _cell(found[0], line.start() + found.start(), level)


def _ruled(page: Page, lines: list[re.Match[str]]) -> Iterator[Span]:
    """A table whose columns are ruled: ``--  -----  ---``."""
    columns = [rule.span() for rule in re.finditer(r"-{2,}", lines[1][0])]
    levels = [_grade(lines[0][0][start:end].strip()) for start, end in columns]
    names = list(_CELL.finditer(lines[0][0]))
    if len(names) == len(columns):
        levels = [_grade(name[0]) for name in names]
    for line in lines[2:]:
        page.tick()
        cells = list(_CELL.finditer(line[0]))
        if len(cells) == len(columns):  # wherever they stand
            for level, found in zip(levels, cells, strict=True):
                if level:
                    yield from _cell(found[0], line.start() + found.start(), level)
            continue
        for (start, _), level, following in zip(columns, levels, [*columns[1:], (4096, 0)], strict=True):
            if level:
                yield from _cell(line[0][start : following[0]], line.start() + start, level)


def _under(page: Page, lines: list[re.Match[str]], before: str) -> Iterator[Span]:
    head = lines[0][0].rstrip("\r")
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
    if _RULE.fullmatch(before) and not _RULE.fullmatch(lines[1][0]):
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
    for line in lines[1:]:
        page.tick()
        row = line[0].rstrip("\r")
        if numbered:
            row = _NUMBER.sub(lambda number: " " * len(number[0]), row)
        cells = row.split(sign)
        if re.fullmatch(r"[\s|+:=┼├┤─-]+", line[0]):
            continue
        if len(cells) != len(names):
            return
        at = line.start()
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

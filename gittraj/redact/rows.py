"""Finds secrets in rows of values under a row of names, in any syntax: Markdown, output of psql and mysql,
CSV, aligned text; ``INSERT INTO t (name, password) VALUES ('x', '…')``, ``for user, pw in [("x", "…")]``,
``{"columns": ["id", "token"], "rows": [[1, "…"]]}``, ``("x", "…")  # (user, password)``. The position in the
row shows which name a value has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from .decide import Candidate, Proposals, Reader
from .lazy import lazy
from .load import patterns
from .made import DESCRIBES, DULL, STOP
from .names import Grade, grade, kind
from .page import Hit, Page
from .proof import proof

_RE = patterns("rows")

Cell = tuple[int, str]
"""The position of a cell in its line, and its text."""
Columns = dict[int, Grade]
"""The columns of a row that are secrets, and what their names prove."""

_MAX_ROWS = 500
"""Limit for a table that begins in another, as a row may look like a heading; and for lines between rows."""
_LINE_END = 2  # characters
_CODE = {",": lazy(r"[(){}=:\"']|,\s|,$"), ";": lazy(r"[(){}=]|; |;$"), "\t": lazy(r"\t[ ]?=[ ]")}
"""By separator: a pattern that, if it matches in a line with this separator, shows that the line is code and
not a heading."""


def rows(page: Page) -> Proposals:
    """The values of the page that are in a secret's column."""
    if page.hits and "\n" in page.text:
        yield from _tables(page)
    if "," in page.text:
        yield from _bracketed(page)


def _tables(page: Page) -> Proposals:
    done = 0
    for start, stop in page.hit_lines:
        if stop - start >= 400 or not _RE.columns.search(page.text, start, stop):
            continue
        page.tick()
        lines = list(islice(_RE.line.finditer(page.text, start), 2))
        if len(lines) < 2:
            return
        table = _Table(page, lines)
        if columns := table.columns():
            yield from table.cells(columns, None if start >= done else _MAX_ROWS)
            if len(page.text) - table.end <= _LINE_END:
                page.heading = table.heading
        done = max(done, table.end)


class _Table:
    """A table, beginning with its line of names. ``end`` is the end of the last line that was a row."""

    def __init__(self, page: Page, first: Sequence[re.Match[str]]) -> None:
        self._page = page
        self._names, self._under = first
        self.end = self._names.start()
        self._numbered = _RE.number.match(self._names[0]) is not None
        self._ruled = _RE.rule.fullmatch(self._under[0]) is not None
        self._split, self._sign = self._splitter()

    def _splitter(self) -> tuple[Callable[[str], list[Cell]], str]:
        head = self._whole(self._names[0]).lstrip("0123456789\t ")
        sign = next((sign for sign in ("|", "\t", ";", ",") if sign in head), "")
        return (lambda line: _by_sign(line, sign)) if sign else _by_blanks, sign

    def _whole(self, line: str) -> str:
        """Return the line, with the line number that a tool put before it replaced by blanks."""
        line = line.rstrip("\r")
        return _RE.number.sub(lambda number: " " * len(number[0]), line) if self._numbered else line

    @property
    def heading(self) -> tuple[int, int]:
        """The positions of the line with the names, and of the rule under it."""
        return self._names.start(), (self._under if self._ruled else self._names).end()

    def columns(self) -> Columns:
        """The columns with the name of a secret; none if the line is not the heading of a table."""
        names = [name for _, name in self._split(self._whole(self._names[0]))]
        if len(names) < 2 or not self._is_heading() or any(name.isdigit() for name in names):
            return {}
        return {n: level for n, name in enumerate(names) if (level := _grade(name))}

    def _is_heading(self) -> bool:
        head = self._whole(self._names[0])
        if not self._sign:
            return self._ruled or _RE.spaced.fullmatch(head) is not None
        code = _CODE.get(self._sign)
        if code and code.search(head.strip('"')) and not _RE.all_quoted.fullmatch(head):
            return False
        text, start = self._page.text, self._names.start()
        before = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
        if _RE.rule.fullmatch(before):
            return self._ruled
        return before.count(self._sign) != head.count(self._sign)  # else a row, not the heading

    def cells(self, columns: Columns, most: int | None) -> Proposals:
        names, others = self._split(self._whole(self._names[0])), 0
        for line in islice(_RE.line.finditer(self._page.text, self._names.end()), most):
            self._page.tick()
            row = self._whole(line[0])
            if _RE.rule.fullmatch(row):
                self.end = line.end()
                continue
            cells = self._split(row)
            if len(cells) == len(names):
                self.end = line.end()
            elif self._sign or (others := others + 1) > _MAX_ROWS:
                return
            else:  # the text below each name
                stops = [start for start, _ in names[1:]]
                cells = [(at, row[at:stop]) for (at, _), stop in zip(names, [*stops, None], strict=True)]
            for n, level in columns.items():
                yield from _cell(cells[n], line.start(), level)


def _by_sign(line: str, sign: str) -> list[Cell]:
    cells, at = [], 0
    for cell in line.split(sign):
        value = cell.strip().strip("\"'*`_ ") if sign != "|" else cell.strip().strip("\"'` ")
        value = value.removeprefix("**").removesuffix("**")
        cells.append((at + cell.find(value), value))
        at += len(cell) + 1
    return cells


def _by_blanks(line: str) -> list[Cell]:
    return [(cell.start(), cell[0]) for cell in _RE.cell.finditer(line)]


def _grade(name: str) -> Grade:
    name = name.strip("\"'*`_ ")
    if len(name) >= 40 or "." in name or _RE.made_of.search(name):
        return Grade.NONE
    level = grade(re.sub(r"\s+", "_", name))
    return level if level is not Grade.WEAK else Grade.NONE


def _cell(cell: Cell, line: int, level: Grade) -> Proposals:
    value = cell[1].strip()
    if not value or _RE.no_cell.fullmatch(value):
        return
    words = value.split()
    if len(words) == 1 or (
        level is Grade.STRONG and _RE.words.fullmatch(value) and (DULL | DESCRIBES | STOP).isdisjoint(words)
    ):
        start = line + cell[0] + cell[1].index(value)
        yield Candidate(start, start + len(value), "table", "password", grade=level)


_FEW, _MANY = 2, 24
_REACH, _BEFORE = 1600, 200  # characters after and before the names in which rows are searched
_MAX_LISTED = 40
_ITEM = r"(?:\"[^\"\n]{0,200}\"|'(?:[^'\n]|''){0,200}'|`[^`\n]{0,200}`|[^\s\"'`,;(){}\[\]]{1,80})"
_ROW = lazy(
    rf"(?<![\w$)\].])[(\[{{]\s{{0,8}}(?P<items>[EN]?{_ITEM}(?:\s{{0,8}},\s{{0,8}}[EN]?{_ITEM}){{1,{_MANY}}})\s{{0,8}},?\s{{0,8}}[)\]}}]"
    rf"|(?i:\bvalues)\((?P<glued>[EN]?{_ITEM}(?:\s{{0,8}},\s{{0,8}}[EN]?{_ITEM}){{1,{_MANY}}})\s{{0,8}}\)"
)
_EACH = lazy(_ITEM)


def _bracketed(page: Page) -> Proposals:
    text, done = page.text, 0
    for hit in page.hits:
        if hit[0] < done or not (names := _names_at(text, hit)):
            continue
        table = _RE.table.search(text, max(0, names.start() - 120), names.start())
        if not table and re.search(r"[\w$>][(\[]$", text[max(0, names.start() - 2) : names.start()]):
            continue  # the parameters of a function
        page.tick()
        done = names.end()
        each = [name.strip("\"'` ") for name in names[0].split(",")]
        columns = {n: grade(name) for n, name in enumerate(each) if grade(name) >= Grade.TOKEN}
        if not columns or len(columns) == len(each) > _FEW:
            continue
        yield from _listed(page, (done, min(len(text), done + _REACH)), each, columns, sure=bool(table))
        first = max(0, names.start() - _BEFORE)
        yield from _listed(page, (first, names.start()), each, columns, sure=False)
        if copied := _RE.copy.match(text, done):
            yield from _copied(page, copied.end(), len(each), columns)


def _names_at(text: str, hit: Hit) -> re.Match[str] | None:
    """The row of names with a hit: from the bracket, the line's start or the ``for`` before it."""
    at = hit[0]
    first, last = max(0, at - 160), at + 120
    if not _RE.in_row.match(text, hit[1]) or text.find(",", first, last) < 0:
        return None
    start = max(text.rfind(sign, first, at) + len(sign) for sign in ("(", "[", "{", "\n", "for "))
    while text[start : start + 1] in (" ", "\t", "\n", "\r") and start < at:
        start += 1
    names = _RE.names.match(text, start) if at - start < 160 else None
    return names if names and names.end() > at and _RE.after_names.match(text, names.end()) else None


def _listed(
    page: Page, place: tuple[int, int], names: list[str], columns: Columns, *, sure: bool
) -> Proposals:
    """The values in the rows at ``place``; ``sure``: the ``names`` are certainly those of columns."""
    for row in islice(_ROW.finditer(page.text, *place), _MAX_LISTED):
        page.tick()
        items = list(_EACH.finditer(page.text, *row.span("items" if row["items"] else "glued")))
        for column, level in columns.items() if len(items) == len(names) else ():
            yield from _item(items[column], names[column], level, sure=sure)


def _item(item: re.Match[str], name: str, level: Grade, *, sure: bool) -> Proposals:
    value, at = item[0], item.start()
    if value[0] in "\"'`":
        value, at = value[1:-1], at + 1
    elif not re.search(r"\d", value):
        return
    accept = "exact" if at > item.start() else "loose"
    if grade(value) is Grade.NONE and (sure or proof(value)):
        yield Candidate(at, at + len(value), "row", kind(name), accept=accept, grade=level)


def _copied(page: Page, start: int, number: int, columns: Columns) -> Proposals:
    """The tab-separated rows that follow ``COPY t (…) FROM stdin``."""
    for line in islice(_RE.line.finditer(page.text, start), _MAX_LISTED):
        cells = _by_sign(line[0], "\t")
        if len(cells) != number:
            return
        for n, level in columns.items():
            yield from _cell(cells[n], line.start(), level)


ROWS = Reader(id="row", kind="password", find=rows)

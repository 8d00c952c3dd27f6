"""Two sides in two columns of a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.model.words import Header
from gittraj.render.comparison import Row, Table, tables
from gittraj.render.text.terminal import Page, escape_line, width, wrap

_LABEL = 15  # columns at most
_LINES = 3  # of a side, unless all is asked for
_COLUMNS = 100


def render_comparison(compared: Header, page: Page, *, everything: bool = False) -> Iterator[str]:
    """``compared`` as in ``git traj compare --json``."""
    names = [escape_line(side["name"]) for side in compared["sides"]]
    for table in tables(compared, everything=everything):
        lead = (
            Row("", names[0], names[1], same=True)
            if not table.title
            else Row(table.title.lower(), "", "", same=True)
        )
        yield "\n" * bool(table.title) + page.paint(_lines(lead, page, 1)[0], "bold") + "\n"
        if table.note:
            yield page.paint(escape_line(table.note), "dim") + "\n"
        yield from _table(table, page, None if everything else _LINES)


def _table(table: Table, page: Page, most: int | None) -> Iterator[str]:
    for row in table.rows:
        styles = [] if row.same else ["yellow"]
        yield "".join(page.paint(line, *styles) + "\n" for line in _lines(row, page, most))


def _lines(row: Row, page: Page, most: int | None) -> list[str]:
    room = ((page.columns or _COLUMNS) - _LABEL - 4) // 2
    left, right = (wrap(escape_line(text), room, lines=most) for text in (row.a, row.b))
    label = escape_line(row.label)
    if width(label) > _LABEL:  # a path, say: on a line of its own
        return [label, *_columns("", left, right, room)]
    return list(_columns(label, left, right, room))


def _columns(label: str, left: list[str], right: list[str], room: int) -> Iterator[str]:
    for number in range(max(len(left), len(right))):
        one, other = (side[number] if number < len(side) else "" for side in (left, right))
        lead = label if number == 0 else ""
        padded = f"{lead}{' ' * (_LABEL - width(lead))}  {one}{' ' * max(room - width(one), 0)}  {other}"
        yield padded.rstrip()

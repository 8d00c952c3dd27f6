"""Two sides as tables of a self-contained page."""

from __future__ import annotations

from gittraj.model.words import Header
from gittraj.render.comparison import Row, Table, tables
from gittraj.render.html.document import wrap
from gittraj.render.html.links import Links
from gittraj.render.html.markup import Html, join, line, tag


def render_comparison(compared: Header, *, everything: bool = False) -> str:
    """``compared`` as in ``git traj compare --json``."""
    names = [side["name"] for side in compared["sides"]]
    title = " and ".join(names)
    shown = [_table(table, names) for table in tables(compared, everything=everything)]
    return wrap(title, join([tag("h1", line(title)), *shown]), None, links=Links())


def _table(table: Table, names: list[str]) -> Html:
    head = tag("tr", tag("th", ""), *(tag("th", line(name), scope="col") for name in names))
    rows = join(map(_row, table.rows))
    return join(
        [
            tag("h2", table.title) if table.title else "",
            tag("p", line(table.note), class_="muted") if table.note else "",
            tag("table", tag("thead", head), tag("tbody", rows)),
        ]
    )


def _row(row: Row) -> Html:
    cells = [tag("td", line(text) if row.same else tag("mark", line(text))) for text in (row.a, row.b)]
    return tag("tr", tag("th", line(row.label), scope="row"), *cells)

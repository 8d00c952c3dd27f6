"""Two sides as tables of a Markdown page. What others wrote goes through ``inert``."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.model.words import Header
from gittraj.render.comparison import tables
from gittraj.render.inert import words


def render_comparison(compared: Header, *, everything: bool = False) -> Iterator[str]:
    """``compared`` as in ``git traj compare --json``."""
    names = [words(side["name"]) for side in compared["sides"]]
    yield f"# {' and '.join(names)}\n"
    for table in tables(compared, everything=everything):
        yield f"\n## {table.title}\n" if table.title else ""
        yield f"\n{words(table.note)}\n" if table.note else ""
        yield f"\n| | {' | '.join(names)} |\n| --- | --- | --- |\n"
        for row in table.rows:
            yield f"| {' | '.join(map(words, (row.label, row.a, row.b)))} |\n"

"""``git traj compare``. docs/json.md has its ``--json``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import dump_json, text_page, write
from gittraj.cli.common.repository import find_drained, read_events, read_records
from gittraj.index.answers import open_index
from gittraj.query.compare.comparison import compare
from gittraj.query.compare.sides import Side, find_side, read_steps_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gittraj.git import Repository
    from gittraj.model.header import Header
    from gittraj.query.records import Recorded
    from gittraj.query.show.chapters import Segments
    from gittraj.render.text.terminal import Page

_FILE = click.Path(dir_okay=False, path_type=Path)
_FORMATS = ("text", "markdown", "html", "json")


@click.command("compare")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@click.option("--task", metavar="ID", help="A and B are agents or models: compare their work on this task.")
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), default="text", help="Output format (default: text)."
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option("--events", "everything", is_flag=True, help="Show every step, in full.")
@click.option("--no-fetch", is_flag=True, help="Do not fetch missing events from the remotes.")
@click.option("-o", "output", type=_FILE, metavar="FILE", help="Write to a file instead of standard output.")
def command(
    *,
    left: str,
    right: str,
    task: str | None,
    form: str,
    everything: bool,
    no_fetch: bool,
    output: Path | None,
) -> None:
    """Compare two trajectories, commits, runs or tasks: what was asked, every step and where they diverge,
    files, decisions, tests, time, tokens and cost.

    If a side has several trajectories, such as the runs of a benchmark, compare their totals, and the result
    of each instance.
    """
    with find_drained(to_read=True) as repository:
        with open_index(repository, build=False) as index:
            recorded = read_records(repository, index.notes if index else None)
            sides = [find_side(repository, recorded, name, task=task) for name in (left, right)]
            compared = _compare(repository, recorded, sides, fetch=not no_fetch)
        page = text_page(repository)
        texts = _render(compared, form, page, everything=everything)
        if output:
            output.write_text("".join(texts), "utf-8", errors="replace")
        else:
            write(repository, texts, pager=form in ("text", "markdown"))


def _compare(repository: Repository, recorded: Recorded, sides: list[Side], *, fetch: bool) -> Header:
    """Compare the sides, with their steps if each side is one trajectory."""
    from gittraj.render.events import step

    def read(segments: Segments) -> list[Header]:
        return [read_steps_of(repository, recorded, side, segments) for side in sides]

    single = all(len(side.headers) == 1 for side in sides)
    trajectories = read_events(repository, read, command="compare", fetch=fetch) if single else None
    return compare(sides[0], sides[1], trajectories, step)


def _render(compared: Header, form: str, page: Page, *, everything: bool) -> Iterable[str]:
    """The comparison in one of ``_FORMATS``; ``everything``: with every step in full."""
    if form == "json":
        return [dump_json(compared) + "\n"]
    from gittraj.render.comparison import render_html, render_markdown, render_text

    if form == "markdown":
        return render_markdown(compared, everything=everything)
    if form == "html":
        return [render_html(compared, everything=everything)]
    return render_text(compared, page, everything=everything)

"""``git traj log``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.conditions import WithPaths, commit_options, label_options, path_options
from gittraj.cli.param_types import Number
from gittraj.cli.quick import answer_log

if TYPE_CHECKING:
    from gittraj.query.log.listing import Entry
    from gittraj.render.text.terminal import Page

_SHARE = Number(0, 1)


@click.command("log", cls=WithPaths, short_help=COMMANDS["what people need"]["log"])
@click.argument("rev", default="HEAD", metavar="[REV|A..B] [-- PATH...]")
@path_options
@label_options
@commit_options
@click.option("--grep", metavar="RE", help="Whose subject, prompt, summary or decisions match.")
@click.option("--decisions", is_flag=True, help="Only with a decision.")
@click.option("--min-confidence", type=_SHARE, metavar="X", help="How sure the agent was, from 0 to 1.")
@click.option("--max-confidence", type=_SHARE, metavar="X", help="How unsure it was.")
@click.option("--min-cost", type=Number(0), metavar="X", help="In US dollars.")
@click.option("-n", "--max-count", "limit", type=click.IntRange(1), metavar="N", help="At most N.")
@click.option("--oneline", "form", flag_value="oneline", help="One line per commit.")
@click.option("--trajectories", "form", flag_value="rows", help="One line per trajectory.")
@click.option("--all", "explored", is_flag=True, help="Also work that led to no commit.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(
    obj: dict[str, bool],
    /,
    *,
    rev: str,
    paths: Sequence[str],
    author: str | None,
    since: str | None,
    until: str | None,
    grep: str | None,
    limit: int | None,
    form: str | None,
    explored: bool,
    follow: bool,
    as_json: bool,
    **conditions: Any,
) -> None:
    """Commits that carry a trajectory, newest first: who asked for what, what was decided, and why."""
    unusual = (author, since, until, grep, explored, as_json, form == "rows", *conditions.values())
    usual = all(value is None or value is False for value in unusual)
    usual = usual and follow and len(paths) < 2 and rev == "HEAD"
    if usual and answer_log(paths[0] if paths else None, limit, oneline=form == "oneline") is not None:
        return
    from pathlib import Path

    from gittraj.cli.no_match import say_nothing_found
    from gittraj.cli.output import columns, dump_json, text_page, write
    from gittraj.cli.progress import show_progress
    from gittraj.cli.repository import drain_first, environment, find_repository
    from gittraj.index.answers import open_index
    from gittraj.notes.store import NotesRef
    from gittraj.query.log.filters import Wanted, compile_pattern
    from gittraj.query.log.listing import list_commits, list_trajectories, read_entries
    from gittraj.query.records import Recorded
    from gittraj.render.text.terminal import Page

    wanted = Wanted(grep=compile_pattern(grep) if grep else None, **conditions)
    environ = environment()
    with find_repository() as repository, ExitStack() as stack:
        drain_first(repository)
        with show_progress("commits") as tell:
            index = stack.enter_context(open_index(repository, rev, tell=tell))
        recorded = Recorded(index.notes if index else NotesRef(repository).items())
        ancestry, commits = list_commits(
            repository,
            recorded,
            rev,
            author=author,
            since=since,
            until=until,
            paths=paths,
            follow=follow,
            cwd=Path.cwd(),
            known=index,
        )
        entries = read_entries(ancestry, recorded, commits, wanted, explored=explored, files=as_json)
        rows = list_trajectories(recorded, entries) if form == "rows" else entries
        chosen = islice(rows, limit)
        first = next(chosen, None)
        if first is None:
            say_nothing_found(repository, recorded, commits)
        found = chain([] if first is None else [first], chosen)
        if as_json:
            name = "trajectories" if form == "rows" else "commits"
            click.echo(dump_json({"version": 1, name: list(found)}))
        else:
            page = text_page(repository, environ)
            if form:
                page = Page(columns(environ), page.colour)
            write(repository, _render(found, form, page), environ, pager=obj["pager"])


def _render(found: Iterable[Entry], form: str | None, page: Page) -> Iterator[str]:
    from datetime import UTC, datetime

    from gittraj.render.text.log import render_entry, render_oneline, render_row

    now = datetime.now(UTC)
    for number, item in enumerate(found):
        if form == "rows":
            yield render_row(item, page, now)
        elif form == "oneline":
            yield render_oneline(item, page)
        else:
            yield "\n" * bool(number) + render_entry(item, page, now)

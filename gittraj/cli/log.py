"""``git traj log``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.context import drain_first, environment, find_repository
from gittraj.cli.nothing import say_nothing_found
from gittraj.cli.output import columns, text_page, write
from gittraj.notes.store import NotesRef
from gittraj.query.history import Entry, list_commits, list_trajectories, read_entries
from gittraj.query.recorded import Recorded
from gittraj.query.wanted import Wanted, compile_pattern
from gittraj.render.terminal import Page
from gittraj.render.text import render_entry, render_oneline, render_row

_SHARE = click.FloatRange(0, 1)


class WithPaths(click.Command):
    """Takes what stands after ``--`` as paths, as git does: click would not tell them from a revision."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            args = [*args[:at], *(f"--file={path}" for path in args[at + 1 :])]
        return super().parse_args(ctx, args)


@click.command("log", cls=WithPaths, short_help=COMMANDS["what people need"]["log"])
@click.argument("rev", default="HEAD", metavar="[REV|A..B] [-- PATH...]")
@click.option("--file", "paths", multiple=True, metavar="PATH", help="Commits that touched it, as -- PATH.")
@click.option("--agent", metavar="NAME", help="Of this agent, such as claude-code.")
@click.option("--model", metavar="M", help="Whose model's name contains M.")
@click.option("--task", metavar="ID", help="For this task: its id, SYSTEM:ID or its title.")
@click.option("--tag", metavar="T", help="With this tag.")
@click.option("--author", metavar="A", help="Commits of this author, as in git log.")
@click.option("--since", metavar="DATE", help="Commits after it, as in git log.")
@click.option("--until", metavar="DATE", help="Commits before it, as in git log.")
@click.option("--grep", metavar="RE", help="Whose subject, prompt, summary or decisions match.")
@click.option("--decisions", is_flag=True, help="Only with a decision.")
@click.option("--min-confidence", type=_SHARE, metavar="X", help="How sure the agent was, from 0 to 1.")
@click.option("--max-confidence", type=_SHARE, metavar="X", help="How unsure it was.")
@click.option("--min-cost", type=click.FloatRange(0), metavar="X", help="In US dollars.")
@click.option("-n", "--max-count", "limit", type=click.IntRange(1), metavar="N", help="At most N.")
@click.option("--oneline", "form", flag_value="oneline", help="One line per commit.")
@click.option("--trajectories", "form", flag_value="rows", help="One line per trajectory.")
@click.option("--all", "explored", is_flag=True, help="Also work that led to no commit.")
@click.option("--follow/--no-follow", default=True, help="Through renames (the default).")
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
    wanted = Wanted(grep=compile_pattern(grep) if grep else None, **conditions)
    environ = environment()
    with find_repository() as repository:
        drain_first(repository)
        recorded = Recorded(NotesRef(repository).items())
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
        )
        entries = read_entries(ancestry, recorded, commits, wanted, explored=explored, files=as_json)
        rows = list_trajectories(recorded, entries) if form == "rows" else entries
        chosen = islice(rows, limit)
        first = next(chosen, None)
        if first is None:
            say_nothing_found(repository, recorded)
        found = chain([] if first is None else [first], chosen)
        if as_json:
            name = "trajectories" if form == "rows" else "commits"
            click.echo(json.dumps({"version": 1, name: list(found)}, ensure_ascii=False))
        else:
            page = text_page(repository, environ)
            if form:
                page = Page(columns(environ), page.colour)
            write(repository, _render(found, form, page), environ, pager=obj["pager"])


def _render(found: Iterable[Entry], form: str | None, page: Page) -> Iterator[str]:
    now = datetime.now(UTC)
    for number, item in enumerate(found):
        if form == "rows":
            yield render_row(item, page, now)
        elif form == "oneline":
            yield render_oneline(item, page)
        else:
            yield "\n" * bool(number) + render_entry(item, page, now)

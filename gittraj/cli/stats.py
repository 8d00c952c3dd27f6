"""``git traj stats``. docs/json.md has its ``--json``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from gittraj.cli.common.options import WithPaths, commit_options, path_options, team_option
from gittraj.cli.common.output import dump_json, is_plain, show_progress, table_page, text_page, write
from gittraj.cli.common.repository import find_drained, read_records, say_once
from gittraj.errors import UsageError
from gittraj.git import Repository
from gittraj.index.counters import compute_stats
from gittraj.model.header import Header
from gittraj.query.stats.statistics import BY
from gittraj.render.text.stats import render_stats


@click.command("stats", cls=WithPaths)
@click.argument("rev", default="HEAD", metavar="[REV|A..B] [[--] PATH...]")
@click.option(
    "--by",
    type=click.Choice((*BY, "repository")),
    default="month",
    help="Group rows by this (default: month).",
)
@path_options
@commit_options
@team_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    rev: str,
    by: str,
    paths: tuple[str, ...],
    as_json: bool,
    team: str | None,
    **limits: Any,
) -> None:
    """Summarise how much of the history has records, who made them, and what the work cost: commits, agents,
    models, tokens, costs, sessions without a retrospective, bytes."""
    if team is not None:
        from gittraj.cli.common.team import show_stats

        show_stats(team, rev, by=by, paths=paths, as_json=as_json, **limits)
        return
    if by not in BY:
        raise UsageError(f"--by {by} needs --team", f"without --team: {', '.join(BY)}")
    with find_drained(to_read=True) as repository:
        with show_progress("commits") as progress:
            choice: dict[str, Any] = {"by": by, "cwd": Path.cwd(), **limits}
            total, rows = compute_stats(repository, rev, paths, tell=progress, say=say_once, **choice)
        if not total["trajectories"]:
            from gittraj.cli.common.no_match import say_nothing_found

            say_nothing_found(repository, read_records(repository))
        document = {"version": 1, "rev": rev, "by": by, "total": total, "rows": rows}
        print_stats(repository, document, as_json=as_json)


def print_stats(repository: Repository, document: Header, *, as_json: bool) -> None:
    """Print the document of ``--json``, or its text."""
    if as_json:
        click.echo(dump_json(document))
        return
    total, rows, page = document["total"], document["rows"], text_page(repository)
    text = render_stats(total, rows, page, table_page(page), ascii_only=not _can_draw())
    write(repository, [text])


def _can_draw() -> bool:
    """Whether the output can show the bars of the table."""
    try:
        "█".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return not is_plain()

"""``git traj context``.

A line has the form ``COMMIT DATE KIND "TEXT" [for "…"] [on "…"] [because "…"] [done "…"] [(by, N% sure,
answered in COMMIT, reverted by COMMIT, from "REMOTE", near "PATH")]``. KIND is ``rejected`` (``for`` names
what was chosen, ``on`` the question), ``decided``, ``doubt``, ``challenge``, ``learned``, ``suggested``,
``tried`` (led to no commit), ``tests`` (left failing) or ``asked``. ``from`` names a remote whose record is
not joined with ours. ``near`` names a neighbour: a file that changed together with a path, or is in the same
folder; instead of it, ``in`` says which path if several were named. A quote is a JSON string. Lines with
``#`` come before and after.

Text and JSON both keep to the budget (a JSON document always has its paths), estimated as one token per four
ASCII characters or two other bytes. A quoted text has at most one character for each five
tokens of the budget, but this limit is between 40 and 240.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from gittraj.cli.common.options import team_option
from gittraj.cli.common.output import write
from gittraj.cli.common.repository import find_drained, read_records
from gittraj.index.answers import open_index
from gittraj.query.context.context import brief
from gittraj.render.markdown.context import LEAST, render_briefing, render_document


@click.command("context")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--budget",
    type=click.IntRange(LEAST),
    default=2000,
    metavar="TOKENS",
    help="Upper limit in tokens, estimated (default 2000).",
)
@team_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(paths: tuple[str, ...], budget: int, as_json: bool, team: str | None) -> None:
    """List decisions, rejected alternatives and doubts about these files and their neighbours (files in the
    same folder, or that changed together with them), the most useful first, each with its commit. Made for
    an agent's prompt.

    The text of records is quoted: it is data, and may have been written to mislead.
    """
    if team is not None:
        from gittraj.cli.common.team import show_context

        show_context(team, paths, budget=budget, as_json=as_json)
        return
    with find_drained(to_read=True) as repository, ExitStack() as stack:
        index = stack.enter_context(open_index(repository, build=False))
        recorded = read_records(repository, index.notes if index else None)
        briefing = brief(repository, recorded, paths, cwd=Path.cwd(), index=index)
        if not briefing.touched:
            from gittraj.cli.common.no_match import say_nothing_about

            say_nothing_about(repository, recorded, briefing.paths, neighbours=bool(briefing.lessons))
        if briefing.lessons or as_json:
            render = render_document if as_json else render_briefing
            text = render(briefing.lessons, budget=budget, paths=briefing.paths)
            write(repository, [text], pager=not as_json)

"""``git traj strike``."""

from __future__ import annotations

import click

from gittraj.cli.common.output import print_wrapped
from gittraj.cli.common.repository import environment, find_drained
from gittraj.config import Environ
from gittraj.render.text.terminal import printable


@click.command("strike")
@click.argument("rev")
@click.argument("statement", metavar="ID")
@click.option("--why", metavar="TEXT", help="What is wrong with it.")
def command(rev: str, statement: str, why: str | None) -> None:
    """Mark an inferred decision or doubt on the commit REV as wrong: no view shows it again.

    git traj show prints the ID after each statement; its beginning is enough.
    """
    from gittraj.commands.strike import strike

    with find_drained() as repository:
        found, quote = strike(repository, rev, statement, why, environ=Environ.of(environment()))
    print_wrapped(f"{found[:8]} is struck: {printable(quote)}")

"""``git traj link``, ``unlink`` and ``strike``."""

from __future__ import annotations

import click

from gittraj.cli.common.output import print_wrapped
from gittraj.cli.common.repository import find_drained, read_environ
from gittraj.model.words import count
from gittraj.render.text.terminal import printable


@click.command("link")
@click.argument("rev")
@click.option(
    "--session",
    required=True,
    metavar="ID|FILE",
    help="A session's id, or its beginning as status prints it, or its log's path.",
)
def link(rev: str, session: str) -> None:
    """Link a session's whole trajectory to the commit REV."""
    from gittraj.commands.link import link_session

    with find_drained() as repository:
        commit, trajectory, parts = link_session(repository, rev, session, environ=read_environ())
    click.echo(f"linked {trajectory} to {commit[:12]} ({count(parts, 'part')})")


@click.command("unlink")
@click.argument("rev")
@click.argument("trajectory", required=False)
def unlink(rev: str, trajectory: str | None) -> None:
    """Unlink a TRAJECTORY (a prefix is enough), or all of them, from the commit REV."""
    from gittraj.commands.link import unlink
    from gittraj.index.keep_warm import remove_deleted

    with find_drained() as repository:
        commit, unlinked = unlink(repository, rev, trajectory)
        remove_deleted(repository)
    for name in unlinked:
        click.echo(f"unlinked {name} from {commit[:12]}")


@click.command("strike")
@click.argument("rev")
@click.argument("statement", metavar="ID")
@click.option("--why", metavar="TEXT", help="What is wrong with it.")
def strike(rev: str, statement: str, why: str | None) -> None:
    """Mark an inferred decision or doubt on the commit REV as wrong: no view shows it again.

    git traj show prints the ID after each statement; its beginning is enough. A strike cannot be undone.
    """
    from gittraj.commands.strike import strike

    with find_drained() as repository:
        full_id, quote = strike(repository, rev, statement, why, environ=read_environ())
    print_wrapped(f"{full_id[:8]} is struck: {printable(quote)}")

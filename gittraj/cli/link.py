"""``git traj link``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import environment, find_drained
from gittraj.config import Environ
from gittraj.model.words import count


@click.command("link")
@click.argument("rev")
@click.option(
    "--session",
    required=True,
    metavar="ID|FILE",
    help="A session's id, or its beginning as status prints it, or its log's path.",
)
def command(rev: str, session: str) -> None:
    """Link a session's whole trajectory to the commit REV."""
    from gittraj.commands.link import link_session

    raw = environment()
    with find_drained() as repository:
        commit, trajectory, parts = link_session(repository, rev, session, environ=Environ.of(raw), live=raw)
    click.echo(f"linked {trajectory} to {commit[:12]} ({count(parts, 'part')})")

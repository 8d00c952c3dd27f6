"""``git traj carry``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import environment, find_drained
from gittraj.config import Environ


@click.command("carry")
@click.option("--from", "source", required=True, metavar="A..B", help="The old commits, or one.")
@click.option("--onto", required=True, metavar="REV", help="The commit that replaced them.")
def command(source: str, onto: str) -> None:
    """Copy the records of the commits A..B to the commit REV. Their evidence does not change."""
    from gittraj.commands.repair import carry

    raw = environment()
    with find_drained() as repository:
        target, going = carry(repository, source, onto, environ=Environ.of(raw), live=raw)
    for old, trajectories in going.items():
        click.echo(f"carried {old[:12]} to {target[:12]}: {', '.join(trajectories)}")
    if not going:
        click.echo(f"nothing to carry: no commit of {source} has a trajectory", err=True)

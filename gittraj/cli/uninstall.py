"""``git traj uninstall``."""

from __future__ import annotations

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.context import find_repository


@click.command("uninstall", short_help=COMMANDS["set-up"]["uninstall"])
@click.option("--purge", is_flag=True, help="Remove the local state too (never the notes).")
def command(purge: bool) -> int:
    """Take git-traj out of this repository: hooks and configuration become what they were."""
    from gittraj.installation import uninstall

    with find_repository() as repository:
        steps = uninstall(repository, purge=purge)
    for step in steps:
        click.echo(f"{step.name}: {step.text}")
    if not steps:
        click.echo("nothing to take out", err=True)
    return int(any(step.did == "failed" for step in steps))

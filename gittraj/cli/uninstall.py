"""``git traj uninstall``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import environment, find_repository


@click.command("uninstall")
@click.option("--purge", is_flag=True, help="Remove the local state too (never the notes).")
@click.option("--global", "everywhere", is_flag=True, help="Undo install --global, and nothing here.")
def command(purge: bool, everywhere: bool) -> int:
    """Remove git-traj from this repository: restore hooks and configuration."""
    from gittraj.commands.install import uninstall

    if everywhere and purge:
        raise click.UsageError("--global and --purge cannot be combined: repositories keep what they have")
    if everywhere:
        from gittraj.commands.install.global_install import uninstall_globally

        steps = list(uninstall_globally(environment()))
    else:
        with find_repository() as repository:
            steps = uninstall(repository, purge=purge)
    for step in steps:
        click.echo(f"{step.name}: {step.text}")
    if not steps:
        click.echo("nothing to remove", err=True)
    return int(any(step.did == "failed" for step in steps))

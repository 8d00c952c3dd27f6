"""``git traj uninstall``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import environment, find_repository


@click.command("uninstall")
@click.option(
    "--purge", is_flag=True, help="Remove local state and copies of remotes' notes too; the notes stay."
)
@click.option("--global", "everywhere", is_flag=True, help="Undo install --global, and nothing here.")
def command(purge: bool, everywhere: bool) -> int:
    """Remove git-traj from this repository: restore hooks and configuration."""
    from gittraj.commands.install.uninstall import list_copies, name_what_is_left, uninstall
    from gittraj.config import Environ

    left: list[tuple[str, str]] = []
    if everywhere and purge:
        raise click.UsageError("--global and --purge cannot be combined: repositories keep what they have")
    if everywhere:
        from gittraj.commands.install.global_install import uninstall_globally

        steps = list(uninstall_globally(environment()))
    else:
        with find_repository() as repository:
            copies = list_copies(repository)
            steps = uninstall(repository, purge=purge)
            left = list(name_what_is_left(repository, Environ.of(environment()), copies))
    for step in steps:
        click.echo(f"{step.name}: {step.text}")
    if not steps:
        click.echo("nothing to remove", err=True)
    if left:
        click.echo("\n" * bool(steps) + "What stays, and what removes it:")
    for what, remover in left:  # to be copied: never wrapped
        click.echo(f"{what}:\n    {remover}")
    return int(any(step.did == "failed" for step in steps))

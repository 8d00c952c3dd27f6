"""``git traj uninstall``."""

from __future__ import annotations

import click

from gittraj.cli.common.output import print_wrapped
from gittraj.cli.common.repository import environment, find_repository


@click.command("uninstall")
@click.option(
    "--purge", is_flag=True, help="Remove local state and copies of remotes' notes too; the notes stay."
)
@click.option("--global", "everywhere", is_flag=True, help="Only undo install --global; change nothing here.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def command(purge: bool, everywhere: bool, dry_run: bool) -> int:
    """Remove git-traj from this repository: restore hooks and configuration."""
    from gittraj.commands.install.uninstall import list_copies, list_remaining, uninstall
    from gittraj.config import Environ
    from gittraj.state.folder import LocalState

    left: list[tuple[str, str]] = []
    if everywhere and (purge or dry_run):
        raise click.UsageError("--global takes neither --purge nor --dry-run")
    if everywhere:
        from gittraj.commands.install.global_install import uninstall_globally

        steps = list(uninstall_globally(environment()))
    else:
        with find_repository() as repository:
            copies = list_copies(repository)
            steps = uninstall(repository, purge=purge, dry_run=dry_run)
            purged = (purge and dry_run) or not LocalState.of(repository).exists
            left = list(list_remaining(repository, Environ.of(environment()), copies, purged=purged))
    if steps and dry_run:
        click.echo("What would be done:")
    for step in steps:
        print_wrapped(f"{step.name}: {step.text}")
    if not steps:
        click.echo("nothing to remove", err=True)
    if left:
        what = "What would stay" if dry_run else "What stays"
        click.echo("\n" * bool(steps), nl=False)
        print_wrapped(f"{what}, and what removes it:")
    for what, remover in left:
        print_wrapped(f"{what}:")
        click.echo(f"    {remover}")  # to be copied: never wrapped
    if dry_run:
        click.echo("Nothing was changed.")
    return int(any(step.did == "failed" for step in steps))

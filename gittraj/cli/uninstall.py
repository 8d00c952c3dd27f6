"""``git traj uninstall``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import print_wrapped
from gittraj.cli.common.repository import environment, find_repository, read_environ

if TYPE_CHECKING:
    from gittraj.commands.install.manifest import Step


@click.command("uninstall")
@click.option(
    "--purge", is_flag=True, help="Also remove local state and copies of remotes' notes; your notes stay."
)
@click.option("--global", "everywhere", is_flag=True, help="Only undo install --global; change nothing here.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def command(purge: bool, everywhere: bool, dry_run: bool) -> int:
    """Remove git-traj from this repository: restore hooks and configuration."""
    remains: Sequence[tuple[str, str]] = ()
    if everywhere and (purge or dry_run):
        raise click.UsageError("--global takes neither --purge nor --dry-run")
    if everywhere:
        from gittraj.commands.install.global_install import uninstall_globally

        steps = list(uninstall_globally(environment()))
    else:
        steps, remains = _uninstall_here(purge=purge, dry_run=dry_run)
    _print_steps(steps, dry_run=dry_run)
    if remains:
        click.echo("\n" * bool(steps), nl=False)
        _print_remains(remains, "What would stay" if dry_run else "What stays")
    if dry_run:
        click.echo("Nothing was changed.")
    return int(any(step.did == "failed" for step in steps))


def _uninstall_here(*, purge: bool, dry_run: bool) -> tuple[list[Step], list[tuple[str, str]]]:
    """Uninstall in this repository; returns the steps, and what remains with the commands that remove it."""
    from gittraj.commands.install.uninstall import list_copies, list_remaining, uninstall
    from gittraj.state.folder import LocalState

    with find_repository() as repository:
        copies = list_copies(repository)
        steps = uninstall(repository, purge=purge, dry_run=dry_run)
        purged = (purge and dry_run) or not LocalState.of(repository).exists
        remains = list(list_remaining(repository, read_environ(), copies, purged=purged))
    return steps, remains


def _print_steps(steps: Sequence[Step], *, dry_run: bool) -> None:
    if not steps:
        click.echo("nothing to remove", err=True)
    elif dry_run:
        click.echo("What would be done:")
    for step in steps:
        print_wrapped(f"{step.name}: {step.text}")


def _print_remains(remains: Sequence[tuple[str, str]], title: str) -> None:
    print_wrapped(f"{title}, and what removes it:")
    for what, command_line in remains:
        print_wrapped(f"{what}:")
        click.echo(f"    {command_line}")  # to be copied: never wrapped

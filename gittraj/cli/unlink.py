"""``git traj unlink``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import find_drained


@click.command("unlink")
@click.argument("rev")
@click.argument("trajectory", required=False)
def command(rev: str, trajectory: str | None) -> None:
    """Unlink a TRAJECTORY (a prefix is enough), or all of them, from the commit REV."""
    from gittraj.commands.link import unlink
    from gittraj.index.keep_warm import take_out

    with find_drained() as repository:
        commit, taken = unlink(repository, rev, trajectory)
        take_out(repository)
    for name in taken:
        click.echo(f"unlinked {name} from {commit[:12]}")

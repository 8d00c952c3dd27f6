"""``git traj bundle``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("bundle")
@click.argument("names", nargs=-1, required=True, metavar="TASK|REV|TRAJECTORY...")
@click.option("-o", "output", type=click.Path(path_type=Path), required=True, metavar="FOLDER")
@click.pass_context
def command(ctx: click.Context, /, *, names: tuple[str, ...], output: Path) -> None:
    """Write everything about a task, commits or trajectories into a folder to read: for each a document, a
    summary, its chapters and artifacts, and an index. It is export --format trajectory-bundle."""
    from gittraj.cli.export import command as export

    ctx.invoke(export, names=names, form="trajectory-bundle", output=output)

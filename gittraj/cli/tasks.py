"""``git traj tasks``."""

from __future__ import annotations

import sys

import click

from gittraj.cli.common.output import dump_json
from gittraj.cli.common.repository import drain_first, environment, find_drained
from gittraj.render.text.terminal import printable


@click.command("tasks")
@click.option("--close", "closing", is_flag=True, help="End the trajectories whose task is closed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, closing: bool, as_json: bool) -> None:
    """Ask the task systems for the tasks that are worked on in this worktree.

    They are those of git traj start --task. A task that is closed there leaves its trajectory open here until
    complete or --close.
    """
    from gittraj.commands.tasks import ask_tasks, close

    raw = environment()
    with find_drained() as repository:
        tasks = list(ask_tasks(repository, raw))
        ended = [worked for worked in tasks if closing and worked.is_over]
        for worked in ended:
            close(repository, worked, raw)
        if ended:
            drain_first(repository, always=True)
    if as_json:
        click.echo(dump_json({"version": 1, "tasks": [worked.to_json() for worked in tasks]}))
        return
    if not tasks:
        click.echo("No trajectory that is active here has a task (git traj start TITLE --task SYSTEM:ID)")
    for worked in tasks:
        source, found = worked.found.task.source, worked.found
        name = f"{source.system}:{source.id}" if source else "?"
        click.echo(printable(f"{name}  {found.status or 'status unknown'}  {found.task.title}"))
        if found.trouble:
            sys.stderr.write(f"git-traj: {found.trouble.message}\n")
        if worked.is_over and source:
            begins = "ended; add what came of it" if closing else "still open here; end it"
            target = worked.header.trajectory if closing else source.id
            click.echo(printable(f"    {begins}: git traj complete {target} --summary S"))

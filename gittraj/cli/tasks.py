"""``git traj tasks``."""

from __future__ import annotations

import sys

import click

from gittraj.cli.common.output import dump_json
from gittraj.cli.common.repository import drain_first, environment, find_drained
from gittraj.render.text.terminal import printable

_SAID = {
    "started": "started here, because the branch is named after it; git traj abandon undoes that",
    "renamed": "renamed there, and here",
    "ended": "ended; add its result: git traj complete {trajectory} --summary S",
}


@click.command("tasks")
@click.option(
    "--close/--keep",
    "closing",
    default=True,
    help="End the trajectories whose task is closed (the default), or keep them open.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, closing: bool, as_json: bool) -> None:
    """Update the tasks that are worked on in this worktree from their task systems.

    They are those of git traj start --task. A new title is taken over, and a task that is closed there ends
    its trajectory here. If nothing is active here and the branch is named after a task that is in progress,
    a trajectory starts for it.
    """
    from gittraj.commands.tasks import follow_tasks

    with find_drained(follow=False) as repository:
        tasks = follow_tasks(repository, environment(), close=closing)
        if any(worked.change for worked in tasks):
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
        if worked.trouble:
            sys.stderr.write(f"git-traj: {worked.trouble.message}\n")
        if worked.change:
            click.echo(printable(f"    {_SAID[worked.change].format(trajectory=worked.trajectory)}"))
        elif worked.ends and source:
            click.echo(f"    still open here; end it: git traj complete {source.id} --summary S")

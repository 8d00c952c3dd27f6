"""``git traj tasks``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import dump_json
from gittraj.cli.common.repository import drain_first, environment, find_drained
from gittraj.render.text.terminal import printable

if TYPE_CHECKING:
    from gittraj.commands.tasks import WorkedOn

_CHANGES = {
    "started": "started here, because the branch is named after it; git traj abandon undoes that",
    "renamed": "renamed in the task system, and here",
    "ended": "ended; add its result: git traj complete {trajectory} --summary S",
}
"""The line for each change of a task."""


@click.command("tasks")
@click.option(
    "--close/--keep",
    "closing",
    default=True,
    help="End the trajectories whose task is closed (the default), or keep them open.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, closing: bool, as_json: bool) -> None:
    """Fetch the current state of the tasks worked on in this worktree (git traj start --task).

    A task that was renamed in its system is renamed here, and one that was closed ends its trajectory here.
    If nothing is active here and the branch is named after a task that is in progress, a trajectory starts
    for that task.
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
        _print(worked)


def _print(worked: WorkedOn) -> None:
    source, found = worked.found.task.source, worked.found
    name = f"{source.system}:{source.id}" if source else "?"
    click.echo(printable(f"{name}  {found.status or 'status unknown'}  {found.task.title}"))
    if worked.trouble:
        sys.stderr.write(f"git-traj: {worked.trouble.message}\n")
    if worked.change:
        click.echo(printable(f"    {_CHANGES[worked.change].format(trajectory=worked.trajectory)}"))
    elif worked.ends and source:
        click.echo(f"    still open here; end it: git traj complete {source.id} --summary S")

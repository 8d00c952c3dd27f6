"""``git traj start``."""

from __future__ import annotations

import click

from gittraj.cli.authoring import agent, quiet, report, tag, write_down
from gittraj.cli.commands import COMMANDS


@click.command("start", short_help=COMMANDS["recording"]["start"])
@click.argument("title")
@click.option("--task", metavar="SYSTEM:ID", help="The task that it is for, such as github:#12.")
@agent
@tag
@report
@quiet
def command(
    title: str, *, task: str | None, agent: str | None, tags: tuple[str, ...], report: bool, quiet: bool
) -> None:
    """Begin a trajectory called TITLE; in an agent's session, name the session's own.

    Commits made in this worktree until complete or abandon carry what is recorded meanwhile. Title and
    address of the task are asked for; without --task, the branch's name may tell it.
    """
    said = {"title": title, "agent": agent, "tags": list(tags)}
    write_down("start", said, quiet=quiet, task=task, report=report)

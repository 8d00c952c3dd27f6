"""``git traj start``."""

from __future__ import annotations

import click

from gittraj.cli.common.recording import agent, quiet, record_event, report, tag


@click.command("start")
@click.argument("title")
@click.option("--task", metavar="SYSTEM:ID", help="The task to work on, such as github:#12.")
@agent
@tag
@report
@quiet
def command(
    title: str, *, task: str | None, agent: str | None, tags: tuple[str, ...], report: bool, quiet: bool
) -> None:
    """Begin a trajectory called TITLE; in an agent's session, title the session's own.

    Commits made in this worktree until complete or abandon get what is recorded meanwhile. The task's title
    and address are looked up; without --task, the task may be taken from the branch's name.
    """
    values = {"title": title, "agent": agent, "tags": list(tags)}
    record_event("start", values, quiet=quiet, task=task, report=report)

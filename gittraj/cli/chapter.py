"""``git traj chapter``."""

from __future__ import annotations

import click

from gittraj.cli.authoring import agent, quiet, write_down
from gittraj.cli.commands import COMMANDS


@click.command("chapter", short_help=COMMANDS["recording"]["chapter"])
@click.argument("title")
@agent
@quiet
def command(title: str, *, agent: str | None, quiet: bool) -> None:
    """What follows is a chapter called TITLE; with --agent, NAME takes over there."""
    write_down("chapter", {"title": title, "agent": agent}, quiet=quiet)

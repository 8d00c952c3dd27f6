"""``git traj abandon``."""

from __future__ import annotations

import click

from gittraj.cli.authoring import agent, quiet, write_down
from gittraj.cli.commands import COMMANDS


@click.command("abandon", short_help=COMMANDS["recording"]["abandon"])
@click.option("--reason", metavar="R", help="Why.")
@agent
@quiet
def command(*, reason: str | None, agent: str | None, quiet: bool) -> None:
    """End what is active here without a result. What was tried stays on record."""
    write_down("abandon", {"reason": reason, "agent": agent}, quiet=quiet)

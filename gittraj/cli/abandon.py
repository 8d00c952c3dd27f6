"""``git traj abandon``."""

from __future__ import annotations

import click

from gittraj.cli.common.recording import agent, quiet, record_event


@click.command("abandon")
@click.option("--reason", metavar="R", help="Why.")
@agent
@quiet
def command(*, reason: str | None, agent: str | None, quiet: bool) -> None:
    """End the active trajectory without a result. What was tried stays on record."""
    record_event("abandon", {"reason": reason, "agent": agent}, quiet=quiet)

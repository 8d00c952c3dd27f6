"""``git traj chapter``."""

from __future__ import annotations

import click

from gittraj.cli.common.recording import agent, quiet, record_event


@click.command("chapter")
@click.argument("title")
@agent
@quiet
def command(title: str, *, agent: str | None, quiet: bool) -> None:
    """Begin a chapter called TITLE; with --agent, NAME takes over from here."""
    record_event("chapter", {"title": title, "agent": agent}, quiet=quiet)

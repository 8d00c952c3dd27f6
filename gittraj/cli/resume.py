"""``git traj resume``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import current_session, environment, find_repository
from gittraj.config import Environ


@click.command("resume")
@click.option("--session", is_flag=True, help="Only the agent's session that this command runs in.")
def command(session: bool) -> None:
    """Record again after pause. What happened in between is never read, neither now nor later."""
    from gittraj.commands.pause import resume

    raw = environment()
    environ = Environ.of(raw)
    with find_repository() as repository:
        name = current_session(environ) if session else None
        click.echo(resume(repository, environ=environ, live=raw, session=name))

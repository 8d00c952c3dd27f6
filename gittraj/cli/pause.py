"""``git traj pause``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import current_session, environment, find_repository
from gittraj.config import Environ


@click.command("pause")
@click.option("--session", is_flag=True, help="Only the agent's session that this command runs in.")
def command(session: bool) -> None:
    """Stop recording until resume. GIT_TRAJ=0 does the same for one command."""
    from gittraj.commands.pause import pause

    raw = environment()
    environ = Environ.of(raw)
    with find_repository() as repository:
        name = current_session(environ) if session else None
        click.echo(pause(repository, environ=environ, live=raw, session=name))

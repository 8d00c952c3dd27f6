"""``git traj pause`` and ``git traj resume``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import current_session, find_repository, read_environ

_session = click.option("--session", is_flag=True, help="Only the agent's session that this command runs in.")


@click.command("pause")
@_session
def pause(session: bool) -> None:
    """Stop recording until resume. GIT_TRAJ=0 does the same for one command."""
    _switch("pause", session=session)


@click.command("resume")
@_session
def resume(session: bool) -> None:
    """Record again after pause. What happened in between is never read, neither now nor later."""
    _switch("resume", session=session)


def _switch(verb: str, *, session: bool) -> None:
    from gittraj.commands import pause as commands

    environ = read_environ()
    work = commands.pause if verb == "pause" else commands.resume
    with find_repository() as repository:
        name = current_session(environ) if session else None
        click.echo(work(repository, environ=environ, session=name))

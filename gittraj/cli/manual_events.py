"""Options and body of the commands that record an event by hand.

The event's id comes first on its line, and with ``-q`` alone on it: capture reads it from a session's log.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gittraj.cli.param_types import Number
from gittraj.cli.repository import drain_first, environment, find_repository, is_installed

if TYPE_CHECKING:
    from gittraj.commands.record import Recorded

F = TypeVar("F", bound=Callable[..., Any])

quiet = click.option("-q", "--quiet", is_flag=True, help="Print only the event's id.")
agent = click.option(
    "--agent", metavar="NAME[:ROLE]", help="The agent that records it, where several work together."
)
tag = click.option("--tag", "tags", multiple=True, metavar="T", help="A word to find it by; repeatable.")
report = click.option("--report", is_flag=True, help="Report the start or the end to the task system.")
confidence = click.option(
    "--confidence", type=Number(0, 1), metavar="X", help="How sure you are, from 0 to 1."
)


def record_event(
    verb: str,
    values: dict[str, Any],
    *,
    quiet: bool,
    trajectory: str | None = None,
    task: str | None = None,
    report: bool = False,
) -> None:
    """Record the event and print its id. ``task``: as the user names it; ``report``: update its task system.
    Raises TrajError."""
    from gittraj.cli.tasks import name_task, update_task
    from gittraj.commands.record import amend, is_active_for, record, task_of_active
    from gittraj.config import Environ
    from gittraj.decisions.commands import Call

    call = Call(verb, {key: value for key, value in values.items() if value not in (None, (), [])})
    raw = environment()
    environ = Environ.of(raw)
    with find_repository() as repository:
        drain_first(repository)
        if trajectory is not None and not is_active_for(repository, trajectory):
            done = amend(repository, trajectory, call, environ=environ, live=raw)
            click.echo(done.trajectory if quiet else f"{done.trajectory}: {', '.join(done.events)}")
            return
        named = name_task(repository, raw, task) if verb == "start" else None
        reported = named or (task_of_active(repository, environ) if report else None)
        done = record(repository, call, environ=environ, live=raw, task=named)
        if done.by_hand and verb in ("complete", "abandon"):
            drain_first(repository, always=True)
        _print(done, quiet=quiet)
        if not is_installed(repository):
            sys.stderr.write("git-traj: it is not added to a commit before git traj install\n")
        if report:
            update_task(repository, raw, reported, "started" if verb == "start" else "completed")


def _print(done: Recorded, *, quiet: bool) -> None:
    for number, event in enumerate(done.events):
        if quiet:
            click.echo(event)
        else:
            click.echo(f"{event} {'begins' if done.begins and not number else 'in'} {done.trajectory}")

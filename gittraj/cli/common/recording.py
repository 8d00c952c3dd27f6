"""Options and body of the commands that record an event by hand.

The event's id comes first on its line, and with ``-q`` alone on it: capture reads it from a session's log.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gittraj.cli.common.options import Number
from gittraj.cli.common.repository import drain_first, environment, find_drained, is_installed
from gittraj.config import read_config

if TYPE_CHECKING:
    from gittraj.commands.record import Recorded
    from gittraj.errors import TaskError
    from gittraj.git import Repository
    from gittraj.model.values import TaskRef
    from gittraj.tasks import Status

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
    from gittraj.commands.record import amend, is_active_for, record, task_of_active
    from gittraj.config import Environ
    from gittraj.decisions.commands import Call

    call = Call(verb, {key: value for key, value in values.items() if value not in (None, (), [])})
    raw = environment()
    environ = Environ.of(raw)
    with find_drained() as repository:
        if trajectory is not None and not is_active_for(repository, trajectory):
            done = amend(repository, trajectory, call, environ=environ)
            click.echo(done.trajectory if quiet else f"{done.trajectory}: {', '.join(done.events)}")
            return
        named = name_task(repository, raw, task) if verb == "start" else None
        reported = named or (task_of_active(repository, environ) if report else None)
        done = record(repository, call, environ=environ, task=named)
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


def name_task(repository: Repository, environ: Mapping[str, str], named: str | None) -> TaskRef | None:
    """The task that the user names, with title and address from its system; without a name, the task in the
    branch's name, without a look-up. Raises TrajError for a wrong setting."""
    from gittraj.tasks import detect, from_branch, look_up, survey

    site = survey(repository, environ, preferred=read_config(repository).tasks)
    if named is None:
        branch = repository.run("symbolic-ref", "-q", "--short", "HEAD", check=False).out.decode().strip()
        return from_branch(branch, site) if branch else None
    task = detect(named, site)
    if task is None:
        return None
    found = look_up(task, site)
    _say(found.trouble)
    return found.task


def update_task(
    repository: Repository, environ: Mapping[str, str], task: TaskRef | None, status: Status
) -> None:
    """Report the new status to the task's system, because the user asked for it."""
    from gittraj.tasks import report, survey

    if task is None:
        sys.stderr.write("git-traj: there is no task here to report to (--task SYSTEM:ID)\n")
        return
    _say(report(task, status, survey(repository, environ, preferred=read_config(repository).tasks)))


def _say(trouble: TaskError | None) -> None:
    if trouble is not None:
        hint = f" ({trouble.hint})" if trouble.hint else ""
        sys.stderr.write(f"git-traj: {trouble.message}{hint}\n")

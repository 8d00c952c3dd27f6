"""Recording by hand: ``git traj start``, ``chapter``, ``decision``, ``event``, ``complete`` and ``abandon``.

The options have the names of the fields that ``decisions.wording`` reads. In an agent's session, a line of
output begins with the event's id, and with ``-q`` has nothing else: capture reads it from the session's log.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from gittraj.cli.common.options import Number
from gittraj.cli.common.output import say
from gittraj.cli.common.repository import drain_first, environment, find_drained, is_installed
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.render.text.terminal import escape_line

if TYPE_CHECKING:
    from gittraj.commands.record import Recorded
    from gittraj.decisions.commands import Call
    from gittraj.errors import TaskError
    from gittraj.git import Repository
    from gittraj.model.values import TaskRef
    from gittraj.tasks.system import Status

quiet = click.option("-q", "--quiet", is_flag=True, help="Print only the event's id.")
agent = click.option("--agent", metavar="NAME[:ROLE]", help="Who records it, if several work together.")
tag = click.option("--tag", "tags", multiple=True, metavar="T", help="A tag to find it by; repeatable.")
report = partial(click.option, "--report", is_flag=True)
confidence = click.option("--confidence", type=Number(0, 1), metavar="X", help="How sure you are, 0 to 1.")

_STATUSES: dict[str, Status] = {"start": "started", "complete": "completed"}
"""What to report to a task system, by verb."""


def record_event(
    verb: str,
    values: dict[str, Any],
    *,
    quiet: bool,
    trajectory: str | None = None,
    task: str | None = None,
    report: bool = False,
) -> None:
    """Record the event and print its id, and what else the user should know. Raises TrajError.

    ``trajectory``: amend this one, unless it is active; ``task``: the task as the user names it; ``report``:
    report the new status to the task's system.
    """
    from gittraj.commands.record import is_active_for, record, task_of_active
    from gittraj.decisions.commands import Call

    call = Call(verb, _without_empty(values))
    raw = environment()
    environ = Environ.of(raw)
    # only start follows tasks: following a closed task would end the trajectory before complete adds to it
    with find_drained(follow=verb == "start") as repository:
        if trajectory is not None and not is_active_for(repository, trajectory):
            _amend(repository, trajectory, call, environ, quiet=quiet)
            return
        started = name_task(repository, raw, task) if verb == "start" else None
        reported = started or (task_of_active(repository, environ) if report else None)
        done = record(repository, call, environ=environ, task=started)
        if done.by_hand and verb in ("complete", "abandon"):
            drain_first(repository, always=True)
        _print(done, call, quiet=quiet, has_commit=repository.head() is not None)
        if not is_installed(repository):
            say("no commit gets this before git traj install")
        if report:
            update_task(repository, raw, reported, _STATUSES[verb])


def _without_empty(values: dict[str, Any]) -> dict[str, Any]:
    """The values that were given; a repeated option's are a list."""
    lists = {key: [*value] if isinstance(value, tuple) else value for key, value in values.items()}
    return {key: value for key, value in lists.items() if value not in (None, [])}


def _amend(repository: Repository, trajectory: str, call: Call, environ: Environ, *, quiet: bool) -> None:
    """Add to a trajectory that is on commits already."""
    from gittraj.commands.record import amend

    done = amend(repository, trajectory, call, environ=environ)
    click.echo(done.trajectory if quiet else f"{done.trajectory}: {', '.join(done.events)}")


def _print(done: Recorded, call: Call, *, quiet: bool, has_commit: bool) -> None:
    """Print the ids of events in an agent's session, or which commit gets what is recorded by hand.
    ``has_commit``: the branch has a commit."""
    if quiet or not done.by_hand:
        for number, event in enumerate(done.events):
            relation = "begins" if done.begins and not number else "in"
            click.echo(event if quiet else f"{event} {relation} {done.trajectory}")
        return
    name, what = done.title, call.said.get("type", call.verb).replace("_", " ").capitalize()
    see = f"git traj show {done.trajectory}" if has_commit else "the first commit here gets it"
    line = {
        "start": f"Started '{name}': commits made here get what is recorded, until git traj complete",
        "complete": f"Completed '{name}': {see}",
        "abandon": f"Abandoned '{name}', what was tried is kept: {see}",
    }.get(call.verb, f"{what} kept in '{name}': the next commit here gets it")
    click.echo(escape_line(line))


def name_task(repository: Repository, environ: Mapping[str, str], name: str | None) -> TaskRef | None:
    """The task that the user names, with title and address from its system; without ``name``, the task in the
    branch's name, without a look-up. Raises TrajError for a wrong setting."""
    from gittraj.tasks.lookup import look_up, survey
    from gittraj.tasks.naming import detect, from_branch

    site = survey(repository, environ, preferred=read_config(repository).tasks)
    if name is None:
        branch = repository.run("symbolic-ref", "-q", "--short", "HEAD", check=False).text.strip()
        return from_branch(branch, site) if branch else None
    task = detect(name, site)
    if task is None:
        return None
    result = look_up(task, site)
    _say(result.trouble)
    return result.task


def update_task(
    repository: Repository, environ: Mapping[str, str], task: TaskRef | None, status: Status
) -> None:
    """Report the new status to the task's system, because the user asked for it."""
    from gittraj.tasks.lookup import report, survey

    if task is None:
        say("no task to report to is known here (--task SYSTEM:ID)")
        return
    _say(report(task, status, survey(repository, environ, preferred=read_config(repository).tasks)))


def _say(trouble: TaskError | None) -> None:
    if trouble is not None:
        hint = f" ({trouble.hint})" if trouble.hint else ""
        sys.stderr.write(f"git-traj: {trouble.message}{hint}\n")


@click.command("start")
@click.argument("title")
@click.option("--task", metavar="SYSTEM:ID", help="The task to work on, such as github:#12.")
@agent
@tag
@report(help="Also set the task to in progress (beads, linear).")
@quiet
def start(*, task: str | None, report: bool, quiet: bool, **values: Any) -> None:
    """Begin a trajectory called TITLE; in an agent's session, title the session's own.

    What is recorded until complete or abandon goes to the commits made in this worktree meanwhile. The task's
    title and URL are looked up; without --task, the task may be taken from the branch's name.
    """
    record_event("start", values, quiet=quiet, task=task, report=report)


@click.command("chapter")
@click.argument("title")
@agent
@quiet
def chapter(*, quiet: bool, **values: Any) -> None:
    """Begin a chapter called TITLE; with --agent, NAME takes over from here."""
    record_event("chapter", values, quiet=quiet)


@click.command("decision")
@click.argument("chosen")
@click.option("--question", metavar="Q", help="What was to be decided.")
@click.option(
    "--alternative",
    "alternatives",
    multiple=True,
    metavar="A",
    help="An alternative that was rejected; repeatable.",
)
@click.option("--reasoning", metavar="R", help="Why.")
@click.option("--path", metavar="PATH", help="The file that it is about, relative to the top folder.")
@click.option("--line", type=click.IntRange(1), metavar="N", help="The line of PATH.")
@confidence
@agent
@quiet
def decision(*, quiet: bool, **values: Any) -> None:
    """Record the decision for CHOSEN, and what was rejected."""
    record_event("decision", values, quiet=quiet)


@click.command("event")
@click.argument("type", metavar="TYPE")
@click.argument("content", metavar="TEXT")
@click.option("--significance", metavar="S", help="low, medium, high or critical.")
@click.option("--from", "from", metavar="NAME", help="Sender of a message_received.")
@click.option("--to", metavar="NAME", help="Recipient of a message_sent.")
@agent
@tag
@quiet
def event(*, quiet: bool, **values: Any) -> None:
    """Record TEXT as an event of TYPE: note, finding, error, verification, checkpoint, message_sent,
    message_received, or a word of your own."""
    record_event("event", values, quiet=quiet)


@click.command("complete")
@click.argument("trajectory", required=False, metavar="[TRAJECTORY|TASK]")
@click.option("--summary", metavar="S", help="What was done.")
@click.option("--approach", metavar="A", help="How it was done.")
@click.option("--challenge", "challenges", multiple=True, metavar="C", help="What was hard; repeatable.")
@click.option("--learning", "learnings", multiple=True, metavar="L", help="What was learned; repeatable.")
@click.option("--suggestion", "suggestions", multiple=True, metavar="S", help="What is left; repeatable.")
@confidence
@click.option(
    "--retrospective",
    "file",
    type=click.File("r", "utf-8"),
    metavar="FILE|-",
    help="Read the retrospective as a JSON object; its keys are in docs/recording.md.",
)
@agent
@report(help="Also close the task, as completed (beads, linear, github), if the trajectory was active.")
@quiet
def complete(
    trajectory: str | None, *, file: TextIO | None, report: bool, quiet: bool, **values: Any
) -> None:
    """End the active trajectory with a retrospective, or add one to TRAJECTORY, which is already on commits.
    A TASK (its id, SYSTEM:ID) means the trajectory that is active for it, else its latest.

    The latest retrospective of a trajectory counts.
    """
    own = {key: value for key, value in _without_empty(values).items() if value != ""}
    record_event("complete", {**_read(file), **own}, quiet=quiet, trajectory=trajectory, report=report)


@click.command("abandon")
@click.option("--reason", metavar="R", help="Why.")
@agent
@quiet
def abandon(*, quiet: bool, **values: Any) -> None:
    """End the active trajectory without a result. What was tried stays on record."""
    record_event("abandon", values, quiet=quiet)


def _read(file: TextIO | None) -> dict[str, Any]:
    """Read a retrospective from a file. Raises TrajError."""
    if file is None:
        return {}
    try:
        value = json.load(file)
    except (ValueError, RecursionError) as error:
        value, why = None, f"JSON: {error}"
    else:
        why = "a JSON object"
    if not isinstance(value, dict):
        hint = 'it should look like {"summary": "…", "learnings": ["…"]}'
        raise TrajError(f"{file.name} is not {why}", hint)
    return value

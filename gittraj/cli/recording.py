"""Recording by hand: ``git traj start``, ``chapter``, ``decision``, ``event``, ``complete`` and ``abandon``.

The names of options are those of the fields that ``decisions.wording`` reads.
"""

from __future__ import annotations

import json
from typing import Any, TextIO

import click

from gittraj.cli.common.recording import agent, confidence, quiet, record_event, report, tag
from gittraj.errors import TrajError


@click.command("start")
@click.argument("title")
@click.option("--task", metavar="SYSTEM:ID", help="The task to work on, such as github:#12.")
@agent
@tag
@report
@quiet
def start(*, task: str | None, report: bool, quiet: bool, **said: Any) -> None:
    """Begin a trajectory called TITLE; in an agent's session, title the session's own.

    Commits made in this worktree until complete or abandon get what is recorded meanwhile. The task's title
    and address are looked up; without --task, the task may be taken from the branch's name.
    """
    record_event("start", _as_lists(said), quiet=quiet, task=task, report=report)


@click.command("chapter")
@click.argument("title")
@agent
@quiet
def chapter(*, quiet: bool, **said: Any) -> None:
    """Begin a chapter called TITLE; with --agent, NAME takes over from here."""
    record_event("chapter", said, quiet=quiet)


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
@click.option("--path", metavar="PATH", help="The file that it is about, from the top of the repository.")
@click.option("--line", type=click.IntRange(1), metavar="N", help="The line of PATH.")
@confidence
@agent
@quiet
def decision(*, quiet: bool, **said: Any) -> None:
    """Record the decision for CHOSEN, and what was rejected."""
    record_event("decision", _as_lists(said), quiet=quiet)


@click.command("event")
@click.argument("type", metavar="TYPE")
@click.argument("content", metavar="TEXT")
@click.option("--significance", metavar="S", help="low, medium, high or critical.")
@click.option("--from", "from", metavar="NAME", help="Sender of a message_received.")
@click.option("--to", metavar="NAME", help="Recipient of a message_sent.")
@agent
@tag
@quiet
def event(*, quiet: bool, **said: Any) -> None:
    """Record TEXT as an event of TYPE: note, finding, error, verification, checkpoint, message_sent,
    message_received, or a word of your own."""
    record_event("event", _as_lists(said), quiet=quiet)


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
    help="Read the whole retrospective as JSON.",
)
@agent
@report
@quiet
def complete(trajectory: str | None, *, file: TextIO | None, report: bool, quiet: bool, **said: Any) -> None:
    """End the active trajectory with a retrospective, or add one to TRAJECTORY, which is already on commits.
    A TASK (its id, SYSTEM:ID) means the trajectory that is active for it, else its latest.

    The latest retrospective of a trajectory counts.
    """
    own = {key: value for key, value in _as_lists(said).items() if value not in (None, "", [])}
    record_event("complete", {**_read(file), **own}, quiet=quiet, trajectory=trajectory, report=report)


@click.command("abandon")
@click.option("--reason", metavar="R", help="Why.")
@agent
@quiet
def abandon(*, quiet: bool, **said: Any) -> None:
    """End the active trajectory without a result. What was tried stays on record."""
    record_event("abandon", said, quiet=quiet)


def _as_lists(said: dict[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in said.items()}


def _read(file: TextIO | None) -> dict[str, Any]:
    """A retrospective. Raises TrajError."""
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

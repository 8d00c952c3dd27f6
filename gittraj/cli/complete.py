"""``git traj complete``."""

from __future__ import annotations

import json
from typing import Any, TextIO

import click

from gittraj.cli.common.recording import agent, confidence, quiet, record_event, report
from gittraj.errors import TrajError


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
def command(
    trajectory: str | None,
    *,
    file: TextIO | None,
    confidence: float | None,
    report: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """End the active trajectory with a retrospective, or add one to TRAJECTORY, which is already on commits.
    A TASK (its id, SYSTEM:ID) means the trajectory that is active for it, else its latest.

    The latest retrospective of a trajectory counts.
    """
    values = {**_read(file), **{key: _as_list(value) for key, value in options.items() if value}}
    if confidence is not None:
        values["confidence"] = confidence
    record_event("complete", values, quiet=quiet, trajectory=trajectory, report=report)


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _read(file: TextIO | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        value = json.load(file)
    except (ValueError, RecursionError) as error:
        raise TrajError(
            f"{file.name} is not JSON: {error}", 'it should look like {"summary": "…", "learnings": ["…"]}'
        ) from None
    if not isinstance(value, dict):
        raise TrajError(
            f"{file.name} is not a JSON object", 'it should look like {"summary": "…", "learnings": ["…"]}'
        )
    return value

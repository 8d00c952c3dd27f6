"""``git traj decision``."""

from __future__ import annotations

import click

from gittraj.cli.common.recording import agent, confidence, quiet, record_event


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
@confidence
@agent
@quiet
def command(
    chosen: str,
    *,
    question: str | None,
    alternatives: tuple[str, ...],
    reasoning: str | None,
    confidence: float | None,
    agent: str | None,
    quiet: bool,
) -> None:
    """Record the decision for CHOSEN, and what was rejected."""
    values = {
        "chosen": chosen,
        "question": question,
        "alternatives": list(alternatives),
        "reasoning": reasoning,
        "confidence": confidence,
        "agent": agent,
    }
    record_event("decision", values, quiet=quiet)

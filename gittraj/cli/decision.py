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
@click.option("--path", metavar="PATH", help="The file that it is about, from the top of the repository.")
@click.option("--line", type=click.IntRange(1), metavar="N", help="The line of PATH.")
@confidence
@agent
@quiet
def command(
    chosen: str,
    *,
    question: str | None,
    alternatives: tuple[str, ...],
    reasoning: str | None,
    path: str | None,
    line: int | None,
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
        "path": path,
        "line": line,
        "confidence": confidence,
        "agent": agent,
    }
    record_event("decision", values, quiet=quiet)

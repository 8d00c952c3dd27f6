"""``git traj event``."""

from __future__ import annotations

import click

from gittraj.cli.common.recording import agent, quiet, record_event, tag


@click.command("event")
@click.argument("kind", metavar="TYPE")
@click.argument("text")
@click.option("--significance", metavar="S", help="low, medium, high or critical.")
@click.option("--from", "sender", metavar="NAME", help="Sender of a message_received.")
@click.option("--to", "recipient", metavar="NAME", help="Recipient of a message_sent.")
@agent
@tag
@quiet
def command(
    kind: str,
    text: str,
    *,
    significance: str | None,
    sender: str | None,
    recipient: str | None,
    agent: str | None,
    tags: tuple[str, ...],
    quiet: bool,
) -> None:
    """Record TEXT as an event of TYPE: note, finding, error, verification, checkpoint, message_sent,
    message_received, or a word of your own."""
    values = {"type": kind, "content": text, "significance": significance, "agent": agent, "tags": list(tags)}
    values |= {"from": sender, "to": recipient}
    record_event("event", values, quiet=quiet)

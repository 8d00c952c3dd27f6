"""Pushes after the user's consent, and reports what ``push``, ``sync`` and ``fetch`` transferred."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import print_wrapped, say
from gittraj.errors import DeclinedError, TrajError

if TYPE_CHECKING:
    from gittraj.commands.push import Sent
    from gittraj.git import Repository
    from gittraj.sync import Outgoing, Remote


def send(
    repository: Repository, remote: Remote, *, dry_run: bool, records_only: bool, replace: bool = False
) -> Sent:
    """Push what the remote lacks, after asking the user. Raises TrajError."""
    from gittraj.cli.common.repository import environment
    from gittraj.commands.push import send
    from gittraj.config import Environ

    return send(
        repository,
        remote,
        environ=Environ.of(environment()),
        consent=lambda outgoing: _ask(remote, outgoing),
        report=say,
        dry_run=dry_run,
        records_only=records_only,
        replace=replace,
    )


def report(lines: list[str], document: dict[str, object], *, as_json: bool) -> None:
    """Print the lines, escaped, or the JSON document."""
    from gittraj.render.text.terminal import escape_line

    if as_json:
        click.echo(json.dumps(document))
    for line in () if as_json else lines:
        print_wrapped(escape_line(line))


def _ask(remote: Remote, outgoing: Outgoing) -> None:
    """Raises TrajError unless the user agrees to push."""
    from gittraj.commands.push import describe_outgoing
    from gittraj.model.words import count
    from gittraj.render.text.terminal import escape_line

    what = escape_line(describe_outgoing(remote, outgoing))
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise TrajError(
            f"not pushed: the first push needs your consent, and there is no terminal to ask on: {what}",
            "to push without being asked: git config traj.push auto",
        )
    print_wrapped(f"This would push {what}.", err=True)
    if outgoing.thinking:
        click.echo(f"{count(outgoing.thinking, 'record')} with thinking in clear.", err=True)
    if not click.confirm("Push now, and without asking from now on?", err=True):
        raise DeclinedError("nothing was pushed", "git traj show --events shows what would be sent")

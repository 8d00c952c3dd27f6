"""Options and body of ``redact --purge`` and ``forget --purge``. docs/json.md has their ``--json``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gittraj.render.text.terminal import printable

if TYPE_CHECKING:
    from gittraj.commands.purge.search import Sought
    from gittraj.git import Repository

_OPTIONS = (
    click.option("--dry-run", is_flag=True, help="With --purge: say what would be rewritten; write nothing."),
    click.option("--no-fetch", is_flag=True, help="With --purge: leave out what only remotes have."),
    click.option("--gc", is_flag=True, help="With --purge: git gc --prune=now afterwards, without asking."),
)


def purge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--dry-run``, ``--no-fetch`` and ``--gc``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_values() -> list[str]:
    """Read values from a pipe, one per line; on a terminal one, without echo."""
    if sys.stdin.isatty():
        return [click.prompt("Text to purge", hide_input=True, err=True)]
    return sys.stdin.read().splitlines()


def fetch_first(repository: Repository) -> None:
    """Fetch all remotes: a secret that only they have would come back with the next join."""
    from gittraj.sync.transfer import fetch_all

    for complaint in fetch_all(repository):
        sys.stderr.write(printable(f"git-traj: {complaint}: what is only there was not searched") + "\n")


def run(repository: Repository, sought: Sought, *, dry_run: bool, gc: bool, as_json: bool = False) -> int:
    """Purge and report. Returns 1 if the text is still somewhere. Raises TrajError."""
    from gittraj.commands.purge.work import (
        collect_garbage,
        purge,
        purge_to_json,
        purge_to_lines,
        purge_to_warnings,
    )
    from gittraj.sync.remote import list_remotes

    done = purge(repository, sought, dry_run=dry_run)
    for line in purge_to_warnings(done):
        sys.stderr.write(printable(f"git-traj: {line}") + "\n")
    if done.refs and not dry_run and (gc or _confirms_gc()):
        gc = collect_garbage(repository, done)
        if not gc:
            sys.stderr.write(
                "git-traj: git keeps old objects (see above, .keep, a partial clone): clone anew\n"
            )
    if as_json:
        click.echo(json.dumps(purge_to_json(done, dry_run=dry_run)))
    else:
        for line in purge_to_lines(done, list_remotes(repository), dry_run=dry_run, gc=gc):
            click.echo(printable(line))
    return int(bool(done.left))


def _confirms_gc() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    question = (
        "Remove the old objects now? git gc --prune=now deletes all unreachable objects, including your own."
    )
    return click.confirm(question, err=True)

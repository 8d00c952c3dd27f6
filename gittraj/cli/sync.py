"""``git traj sync``, ``fetch`` and ``push``, which asks first. docs/json.md has their ``--json``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import print_wrapped, say
from gittraj.cli.common.repository import find_drained, read_environ
from gittraj.errors import DeclinedError, TrajError

if TYPE_CHECKING:
    from gittraj.commands.push import Sent
    from gittraj.git import Repository
    from gittraj.sync.outgoing import Outgoing
    from gittraj.sync.remote import Remote

_LOOK = "git traj log --trajectories --all lists what is stored, git traj show --events ID shows one in full"


def send(
    repository: Repository, remote: Remote, *, dry_run: bool, records_only: bool, replace: bool = False
) -> Sent:
    """Push what the remote lacks, after asking the user. Raises TrajError."""
    from gittraj.commands.push import send

    return send(
        repository,
        remote,
        environ=read_environ(),
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
    """Ask whether to push. Raises TrajError unless the user agrees."""
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
    if not click.confirm("Push? (later pushes will not ask)", err=True):
        raise DeclinedError("nothing was pushed", _LOOK)


_remote = click.argument("remote", required=False)
_records_only = click.option("--records-only", is_flag=True, help="Send records only, without events.")
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.command("sync")
@_remote
@click.option("--dry-run", is_flag=True, help="Say what would be sent; write nothing, and do not ask.")
@_records_only
@_json
def sync(remote: str | None, *, dry_run: bool, records_only: bool, as_json: bool) -> None:
    """Fetch and push: afterwards the remote and this clone have the same records."""
    from gittraj.commands.push import sent_to_json, sent_to_line
    from gittraj.sync.remote import find_remote

    with find_drained() as repository:
        chosen = find_remote(repository, remote)
        fetched = 0 if dry_run else _fetch(repository, chosen)
        sent = send(repository, chosen, dry_run=dry_run, records_only=records_only)
    lines = [] if dry_run else [_describe(chosen, fetched)]
    report([*lines, sent_to_line(sent)], {**sent_to_json(sent), "fetched": fetched}, as_json=as_json)


@click.command("fetch")
@_remote
@_json
def fetch(remote: str | None, *, as_json: bool) -> None:
    """Fetch a remote's records and join them with ours; nothing of ours is lost.

    The events themselves are fetched when a command needs them.
    """
    from gittraj.notes.store import RECORDS_REF
    from gittraj.sync.remote import find_remote

    with find_drained() as repository:
        chosen = find_remote(repository, remote, pushing=False)
        fetched = _fetch(repository, chosen)
        empty = not fetched and repository.objects.resolve(RECORDS_REF) is None
    document: dict[str, object] = {"version": 1, "remote": chosen.name, "fetched": fetched}
    report([_describe(chosen, fetched)], document, as_json=as_json)
    if empty and not as_json:
        print_wrapped(
            "hint: the remote has no records yet; run git traj push in the clone that recorded them",
            err=True,
        )


@click.command("push")
@_remote
@click.option("--dry-run", is_flag=True, help="Say what would be sent; write nothing.")
@_records_only
@click.option("--replace", is_flag=True, help="After a purge: replace the remote's record history with ours.")
@_json
def push(remote: str | None, *, dry_run: bool, records_only: bool, replace: bool, as_json: bool) -> None:
    """Send our records to a remote, never by force except with --replace: what others pushed meanwhile is
    joined first.

    The first push to an address says what becomes readable to whom, and asks. Plain git push sends no
    records, unless git config traj.push is auto.
    """
    from gittraj.commands.push import sent_to_json, sent_to_line
    from gittraj.sync.remote import find_remote

    with find_drained() as repository:
        chosen = find_remote(repository, remote)
        sent = send(repository, chosen, dry_run=dry_run, records_only=records_only, replace=replace)
    report([sent_to_line(sent)], sent_to_json(sent), as_json=as_json)


def _fetch(repository: Repository, remote: Remote) -> int:
    """Fetch and join, and remember that the user joins this remote; returns how many commits have new
    records."""
    from gittraj.sync.consent import remember_join
    from gittraj.sync.transfer import fetch

    fetched = fetch(repository, remote, tell=say)
    remember_join(repository, remote)
    return fetched


def _describe(remote: Remote, fetched: int) -> str:
    """Say how many commits a fetch brought new records for. The text is not escaped."""
    from gittraj.model.words import count

    news = f"new records on {count(fetched, 'commit')}" if fetched else "no new records"
    return f"{remote.name}: {news}"

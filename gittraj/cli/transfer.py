"""Pushes after the user's consent, and reports what ``push``, ``sync`` and ``fetch`` transferred."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from gittraj.errors import TrajError

if TYPE_CHECKING:
    from gittraj.git import Repository
    from gittraj.sync import Outgoing, Remote


def send(
    repository: Repository,
    remote: Remote,
    *,
    dry_run: bool,
    records_only: bool,
    replace: bool = False,
    fetched: int | None = None,
) -> tuple[str, dict[str, object]]:
    """Push what the remote does not have, after its owner was asked; what that was, for people and as JSON.

    Raises TrajError.
    """
    from gittraj.render.text.terminal import escape_line
    from gittraj.sync import find_outgoing, leaves_out, push

    if not dry_run:
        _vet(repository, remote)
    less = leaves_out(repository) or records_only
    outgoing = find_outgoing(repository, remote, records_only=less)
    replaced: tuple[str, ...] = ()
    if outgoing.tips and not dry_run:
        _allow(repository, remote, outgoing)
        done = push(repository, remote, records_only=less, replace=replace, tell=say)
        replaced = done.replaced
    if not outgoing.tips:
        told = f"{remote.name} has everything"
    else:
        told = f"{'would push' if dry_run else 'pushed'} {_describe(remote, outgoing)}"
    if replaced:
        told += f"; the history there was replaced: {', '.join(replaced)}"
    more: dict[str, object] = {"replaced": list(replaced)}
    if fetched is not None:
        more["fetched"] = fetched
    return escape_line(told), {**_to_json(remote, outgoing, dry_run=dry_run), **more}


def say(line: str) -> None:
    """What a user has to know besides."""
    from gittraj.render.text.terminal import escape_line

    sys.stderr.write(escape_line(f"git-traj: {line}") + "\n")


def tell(lines: list[str], document: dict[str, object], *, as_json: bool) -> None:
    click.echo(json.dumps(document) if as_json else "\n".join(lines))


def _vet(repository: Repository, remote: Remote) -> None:
    from gittraj.cli.repository import environment
    from gittraj.config import Environ
    from gittraj.sync.rescan import vet

    raw = environment()
    vet(repository, remote, environ=Environ.of(raw), live=raw)


def _allow(repository: Repository, remote: Remote, outgoing: Outgoing) -> None:
    """Ask once for each address. Raises TrajError when it may not be pushed."""
    from gittraj.render.text.terminal import escape_line
    from gittraj.sync import read_answer, remember_consent

    answer = read_answer(repository, remote)
    if answer == "auto":
        return
    if answer == "never":
        raise TrajError("git config traj.push is 'never'", "git config traj.push ask")
    told = escape_line(_describe(remote, outgoing))
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise TrajError(f"not pushed, nobody was asked yet: {told}", "git config traj.push auto allows it")
    click.echo(f"This would push {told}.", err=True)
    if outgoing.thinking:
        click.echo(f"{_count(outgoing.thinking, 'record')} with thinking in clear.", err=True)
    if not click.confirm("Push, now and later, without asking again for this address?", err=True):
        raise TrajError("nothing was pushed", "git traj show tells what is recorded")
    remember_consent(repository, remote)


def _describe(remote: Remote, outgoing: Outgoing) -> str:
    """What a push makes readable, and to whom."""
    told = f"{_count(outgoing.records, 'record')} of {_count(outgoing.trajectories, 'trajectory')}"
    told += f" on {_count(outgoing.notes, 'commit')}"
    if outgoing.months:
        size = f" ({outgoing.size / 1e6:.1f} MB)" if outgoing.size else ""
        told += f", with what was said and done in {', '.join(outgoing.months)}{size}"
    return f"{told}: readable to everybody who can fetch from {' and '.join(remote.urls)}"


def _count(number: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else many}"


def _to_json(remote: Remote, outgoing: Outgoing, *, dry_run: bool) -> dict[str, object]:
    return {
        "version": 1,
        "dryRun": dry_run,
        "remote": remote.name,
        "refs": list(outgoing.refs),
        "commits": outgoing.notes,
        "records": outgoing.records,
        "trajectories": outgoing.trajectories,
        "segments": outgoing.segments,
        "bytes": outgoing.size,
    }

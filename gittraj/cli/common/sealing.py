"""Options and body of ``seal``, ``rewrap`` and ``reseal``: drain, open with the user's keys, report."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.repository import drain_first, environment, find_repository
from gittraj.cli.common.unseal import keys, say_problems
from gittraj.config import Environ

if TYPE_CHECKING:
    from gittraj.commands.reseal import Ground, Resealed
    from gittraj.seal.policy import WithKeys

revisions_argument = click.argument("revisions", required=False, metavar="[RANGE]")
identity_option = click.option(
    "--identity", "identities", multiple=True, type=click.Path(path_type=Path), help="A key; repeatable."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def run(
    work: Callable[[Ground, WithKeys], Resealed],
    revisions: str | None,
    *,
    did: str,
    as_json: bool,
    identities: Sequence[Path] = (),
) -> int:
    """Do ``work`` on the records of ``revisions``, for today's readers. Raises TrajError."""
    from gittraj.commands.reseal import prepare

    raw = environment()
    with find_repository() as repository:
        drain_first(repository)
        own = keys(repository, raw, identities)
        with prepare(repository, revisions, environ=Environ.of(raw), live=raw) as ground:
            done = work(ground, own)
    if done.closed:
        say_problems(own)
    _report(done, did, len(ground.recipients), as_json=as_json)
    return int(done.closed > 0)


def _report(done: Resealed, did: str, readers: int, *, as_json: bool) -> None:
    if as_json:
        numbers = {"parts": done.parts, "trajectories": done.trajectories, "closed": done.closed}
        click.echo(json.dumps({"version": 1, **numbers, "absent": done.absent, "pushed": done.pushed}))
        return
    where = f"{_count(done.parts, 'part')} of {_count(done.trajectories, 'trajectory', 'trajectories')}"
    click.echo(f"{did} {where} for {_count(readers, 'reader')}")
    for number, why in (
        (done.closed, "not opened: no key here is for them"),
        (done.absent, "unchanged: their events are not here (git traj fetch)"),
        (done.pushed, "already pushed: others keep their copies as they were"),
    ):
        if number:
            sys.stderr.write(f"git-traj: {_count(number, 'part')} {why}\n")


def _count(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"

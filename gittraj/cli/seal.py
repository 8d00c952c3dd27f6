"""``git traj seal``, ``rewrap`` and ``reseal`` (docs/json.md has their ``--json``), and the keys with which
``show`` opens seals."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import say
from gittraj.cli.common.repository import find_drained, read_environ
from gittraj.errors import SealError
from gittraj.git import Repository
from gittraj.model.words import count

if TYPE_CHECKING:
    from gittraj.commands.reseal import Resealed, Scope
    from gittraj.seal.policy import WithKeys

_revisions = click.argument("revisions", required=False, metavar="[RANGE]")
_identity = click.option(
    *("--identity", "identities"),
    multiple=True,
    type=click.Path(path_type=Path),
    help="File with a private key to open seals with; repeatable.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def _run(
    work: Callable[[Scope, WithKeys], Resealed],
    revisions: str | None,
    *,
    did: str,
    as_json: bool,
    identities: Sequence[Path] = (),
) -> int:
    """Do ``work`` on the records of ``revisions``, for today's readers; returns the exit status. The report
    begins with ``did``, a verb. Raises TrajError."""
    from gittraj.commands.reseal import prepare

    with find_drained() as repository:
        own_keys = keys(repository, identities)
        with prepare(repository, revisions, environ=read_environ()) as scope:
            done = work(scope, own_keys)
    if done.closed:
        say_problems(own_keys)
    _report(done, did, len(scope.recipients), as_json=as_json)
    return int(done.closed > 0)


def _report(done: Resealed, did: str, readers: int, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"version": 1, **asdict(done)}))
        return
    where = f"{count(done.parts, 'part')} of {count(done.trajectories, 'trajectory')}"
    click.echo(f"{did} {where} for {count(readers, 'reader')}")
    for number, why in (
        (done.closed, "not opened: no key here is for them"),
        (done.absent, "unchanged: their events are not here (git traj fetch)"),
        (done.pushed, "already pushed: others keep their copies as they were"),
    ):
        if number:
            say(f"{count(number, 'part')} {why}")


def keys(repository: Repository, identities: Sequence[Path]) -> WithKeys:
    """The user's keys, with those of ``--identity``; loaded when a seal is to be opened."""
    from gittraj.seal.policy import WithKeys

    return WithKeys(repository, read_environ(), named=identities, ask=ask_passphrase)


def ask_passphrase(name: str) -> str:
    """Ask for a key's passphrase. Raises SealError without a terminal."""
    if not sys.stdin.isatty():
        raise SealError(f"{name}: cannot ask for its passphrase: this is not a terminal")
    passphrase: str = click.prompt(f"Passphrase of {name}", hide_input=True, err=True)
    return passphrase


def say_problems(keys: WithKeys) -> None:
    """Print why keys could not be used, each reason once."""
    for problem in dict.fromkeys(keys.problems):
        sys.stderr.write(f"git-traj: {problem}\n")


def say_closed(keys: WithKeys) -> None:
    """Report unusable keys, but only when a seal could not be opened."""
    if keys.closed:
        say_problems(keys)
        if not keys.problems:
            how = "a reader can let you in: git traj recipients add YOURKEY, git traj rewrap"
            own = "no key of yours opens it (git traj keys init makes one)"
            say(f"sealed for others, and {own}; {how}")


@click.command("seal")
@_revisions
@_json
def seal(revisions: str | None, *, as_json: bool) -> int:
    """Seal thinking that was stored in clear, on the commits of RANGE or on all.

    Text that was not pushed yet is removed from the refs' history. What was pushed stays where it is.
    """
    from gittraj.commands.reseal import seal_stored

    return _run(lambda scope, _: seal_stored(scope), revisions, did="sealed", as_json=as_json)


@click.command("rewrap")
@_revisions
@_identity
@_json
def rewrap(revisions: str | None, *, identities: tuple[Path, ...], as_json: bool) -> int:
    """Let today's readers, also those who were added later, open what is sealed, on the commits of RANGE or
    on all. One of your keys must open it.

    The sealed text itself does not change, so readers who were removed from the list can still open it with
    an earlier record; git traj reseal encrypts it again.
    """
    from gittraj.commands.reseal import rewrap_stored

    return _run(rewrap_stored, revisions, did="rewrapped", as_json=as_json, identities=identities)


@click.command("reseal")
@_revisions
@_identity
@_json
def reseal(revisions: str | None, *, identities: tuple[Path, ...], as_json: bool) -> int:
    """Encrypt again what is sealed, for today's readers only, on the commits of RANGE or on all.

    Not a revocation: those who could open what was pushed before still can.
    """
    from gittraj.commands.reseal import reseal_stored

    return _run(reseal_stored, revisions, did="resealed", as_json=as_json, identities=identities)

"""``git traj keys``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from gittraj.cli.common.repository import environment, find_repository
from gittraj.config import Environ
from gittraj.errors import NotARepository, TrajError
from gittraj.git import Repository


@click.group("keys")
def command() -> None:
    """Manage the keys that open what is sealed for you."""


@command.command("init", short_help="Create a key")
@click.option("--post-quantum", is_flag=True, help="Create a post-quantum key.")
def init(post_quantum: bool) -> None:
    """Create a key, for every repository. Back up its file: without it the text is lost.

    All readers of a repository need post-quantum keys, or none.
    """
    from gittraj.seal.identities import make_identity

    path, public = make_identity(Environ.of(environment()), post_quantum=post_quantum)
    click.echo(f"{path}: your key; back it up: without it, encrypted text cannot be read again")
    click.echo(public)


@command.command("list", short_help="List your keys and where they are")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_(as_json: bool) -> int:
    """List your keys, in the order in which they are tried."""
    from gittraj.seal.identities import find_sources, load_keyring

    rows, problems = [], []
    with _here() as repository:
        for source in find_sources(repository, Environ.of(environment())):
            keyring = load_keyring([source])
            problems += [error.message for error in keyring.problems]
            rows += [{"source": source.name, "recipient": i.recipient()} for i in keyring.identities]
    if as_json:
        click.echo(json.dumps({"version": 1, "keys": rows, "problems": problems}))
        return 0
    for row in rows:
        click.echo(f"{row['recipient']}  {row['source']}")
    for problem in problems:
        sys.stderr.write(f"git-traj: {problem}\n")
    if not rows:
        sys.stderr.write("git-traj: you have no key (git traj keys init)\n")
    return 0


@command.command("export", short_help="Print your public keys, for others to seal for you")
def export() -> None:
    """Print your public keys, one per line, for others to pass to git traj recipients add."""
    from gittraj.seal.identities import find_public

    with _here() as repository:
        public = find_public(repository, Environ.of(environment()))
    if not public:
        raise TrajError("you have no key", "git traj keys init")
    for line in public:
        click.echo(line)


@contextmanager
def _here() -> Iterator[Repository | None]:
    """The repository, or None outside of one: keys belong to a person."""
    try:
        with find_repository() as repository:
            yield repository
    except NotARepository:
        yield None

"""``git traj keys`` and ``git traj recipients``. docs/json.md has their ``--json``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import say
from gittraj.cli.common.repository import environment, find_if_any, find_repository, read_environ
from gittraj.errors import TrajError
from gittraj.render.text.terminal import printable

if TYPE_CHECKING:
    from gittraj.seal.readers import Reader


@click.group("keys")
def keys() -> None:
    """Manage the keys that open what is sealed for you."""


@keys.command("init", short_help="Create a key")
@click.option("--post-quantum", is_flag=True, help="Create a post-quantum key.")
def init(post_quantum: bool) -> None:
    """Create a key, for every repository. Back up its file: without it, what is sealed for you is lost.

    All readers of a repository must have post-quantum keys, or none of them: for a mixture nothing is sealed.
    """
    from gittraj.seal.identities import make_identity

    path, public = make_identity(read_environ(), post_quantum=post_quantum)
    click.echo(f"{path}: your key; back it up: without it, encrypted text cannot be read again")
    click.echo(public)


@keys.command("list", short_help="List your keys and where they are")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_(as_json: bool) -> None:
    """List your keys, in the order in which they are tried."""
    from gittraj.seal.identities import find_sources, load_keyring

    rows, problems = [], []
    with find_if_any() as repository:  # keys belong to a person
        for source in find_sources(repository, read_environ()):
            keyring = load_keyring([source])
            problems += [error.message for error in keyring.problems]
            rows += [{"source": source.name, "recipient": i.recipient()} for i in keyring.identities]
    if as_json:
        click.echo(json.dumps({"version": 1, "keys": rows, "problems": problems}))
        return
    for row in rows:
        click.echo(f"{row['recipient']}  {row['source']}")
    for problem in problems:
        sys.stderr.write(f"git-traj: {problem}\n")
    if not rows:
        say("you have no key (git traj keys init)")


@keys.command("export", short_help="Print your public keys, so that others can seal for you")
def export() -> None:
    """Print your public keys, one per line, for others to pass to git traj recipients add."""
    from gittraj.seal.identities import find_public

    with find_if_any() as repository:
        public = find_public(repository, read_environ())
    if not public:
        raise TrajError("you have no key", "git traj keys init")
    for line in public:
        click.echo(line)


@click.group("recipients")
def recipients() -> None:
    """Manage who may read sealed thinking: the list .gittraj/recipients in the repository."""


@recipients.command("add", short_help="Add readers")
@click.argument("readers", nargs=-1, required=True, metavar="KEY|FILE.pub|github:NAME…")
@click.option("--name", "comment", metavar="WHO", help="Name to show in the list.")
def add(readers: tuple[str, ...], comment: str | None) -> None:
    """Add readers: keys (age1…, or a line of an SSH key's .pub file), such files, or those of a GitHub
    account.

    After git traj rewrap they can also open what was sealed before.
    """
    from gittraj.render.text.recipients import describe_reader
    from gittraj.seal.github import resolve_readers
    from gittraj.seal.listing import add_readers

    server = environment().get("GITHUB_SERVER_URL") or "https://github.com"
    to_add: list[Reader] = []
    for name in readers:
        resolved, refused = resolve_readers(name, comment=comment or "", server=server)
        to_add += resolved
        for why in refused:
            sys.stderr.write(f"git-traj: left out: {printable(why)}\n")
    with find_repository() as repository:
        added = add_readers(repository, read_environ(), to_add)
    for reader in added:
        click.echo(printable(f"added: {describe_reader(reader)}"))
    for reader in to_add:
        if reader not in added:
            click.echo(printable(f"already there: {describe_reader(reader)}"))
    if added:
        click.echo("commit .gittraj/recipients; git traj rewrap opens earlier seals for them")


@recipients.command("list", short_help="List the readers, and whether this clone trusts them")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_readers(as_json: bool) -> None:
    """List who can read what is sealed in this clone."""
    from gittraj.render.text.recipients import readers_to_json, render_readers
    from gittraj.seal.listing import compare
    from gittraj.seal.readers import read_readers

    with find_repository() as repository:
        readers = read_readers(repository, read_environ())
        fresh, gone = compare(repository, readers)
    if as_json:
        click.echo(json.dumps(readers_to_json(readers, fresh)))
        return
    for line in render_readers(readers, fresh, gone):
        click.echo(printable(line))
    if readers.remark:
        sys.stderr.write(f"git-traj: {readers.remark}\n")


@recipients.command("remove", short_help="Remove a reader from the list")
@click.argument("name", metavar="KEY|WHO")
def remove(name: str) -> None:
    """Remove a reader from the list, by key (its beginning is enough) or by name.

    Not a revocation: they can still open what they could open before, in every clone.
    """
    from gittraj.render.text.recipients import describe_reader
    from gittraj.seal.listing import remove_reader

    with find_repository() as repository:
        reader = remove_reader(repository, read_environ(), name)
    click.echo(printable(f"removed: {describe_reader(reader)}"))
    click.echo("not a revocation: they can still open what was sealed before, but nothing from now on")
    click.echo("commit .gittraj/recipients; git traj reseal re-encrypts what is not pushed yet", err=True)


@recipients.command("trust", short_help="Trust the list as it is now")
def trust_() -> None:
    """Trust .gittraj/recipients as it is now, and say who is new in it."""
    from gittraj.render.text.recipients import describe_reader
    from gittraj.seal.listing import trust

    with find_repository() as repository:
        fresh, gone = trust(repository, read_environ())
    for reader in fresh:
        click.echo(printable(f"+ {describe_reader(reader)}"))
    for key in gone:
        click.echo(f"- {key}")
    click.echo("trusted in this clone")

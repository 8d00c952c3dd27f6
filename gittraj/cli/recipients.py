"""``git traj recipients``.

``list --json``: ``{"version": 1, "trusted": bool, "sha256"|null, "problem"|null, "own": [READER], "team":
[READER], "new": [recipient]}``, a READER being ``{"recipient", "fingerprint", "comment"}``; ``new`` came
since the list was last trusted here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.repository import environment, find_repository
from gittraj.cli.status import plain
from gittraj.config import Environ

if TYPE_CHECKING:
    from gittraj.seal.readers import Reader, Readers

_GITHUB = "github:"


@click.group("recipients", short_help=COMMANDS["sealing"]["recipients"])
def command() -> None:
    """Who else may read the thinking that is sealed here: a list in the repository, .gittraj/recipients."""


@command.command("add", short_help="Add readers")
@click.argument("readers", nargs=-1, required=True, metavar="KEY|FILE.pub|github:NAME…")
@click.option("--name", "said", metavar="WHO", help="Who it is, as the list shall say.")
def add(readers: tuple[str, ...], said: str | None) -> None:
    """Add readers: keys (age1…, or a line of an SSH key's .pub file), such files, or those of a GitHub
    account.

    What was sealed before opens for them after git traj rewrap.
    """
    from gittraj.seal.listing import add_readers

    found = [reader for text in readers for reader in _read(text, said)]
    with find_repository() as repository:
        added = add_readers(repository, Environ.of(environment()), found)
    for reader in added:
        click.echo(plain(f"added: {_spell(reader)}"))
    for reader in found:
        if reader not in added:
            click.echo(plain(f"already there: {_spell(reader)}"))
    if added:
        click.echo("commit .gittraj/recipients; git traj rewrap opens earlier seals for them")


@command.command("list", short_help="Who reads, and whether that is trusted here")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def list_(as_json: bool) -> None:
    """Who reads what is sealed in this clone."""
    from gittraj.seal.listing import compare
    from gittraj.seal.readers import read_readers

    with find_repository() as repository:
        readers = read_readers(repository, Environ.of(environment()))
        fresh, gone = compare(repository, readers)
    if as_json:
        click.echo(json.dumps(_to_json(readers, fresh)))
        return
    for line in _lines(readers, fresh, gone):
        click.echo(plain(line))
    if readers.remark:
        sys.stderr.write(f"git-traj: {readers.remark}\n")


@command.command("remove", short_help="Take a reader off the list")
@click.argument("name", metavar="KEY|WHO")
def remove(name: str) -> None:
    """Take a reader off the list, by key (its beginning is enough) or by who it is.

    Not a revocation: what they could open stays open to them, in every clone.
    """
    from gittraj.seal.listing import remove_reader

    with find_repository() as repository:
        reader = remove_reader(repository, Environ.of(environment()), name)
    click.echo(plain(f"removed: {_spell(reader)}"))
    click.echo("not a revocation: what was sealed for them stays open to them; from now on nothing is")
    click.echo("commit .gittraj/recipients; git traj reseal makes what is not pushed yet anew", err=True)


@command.command("trust", short_help="Trust the list as it is now")
def trust_() -> None:
    """Trust .gittraj/recipients as it is now, and say who is new in it."""
    from gittraj.seal.listing import trust

    with find_repository() as repository:
        fresh, gone = trust(repository, Environ.of(environment()))
    for reader in fresh:
        click.echo(plain(f"+ {_spell(reader)}"))
    for key in gone:
        click.echo(f"- {key}")
    click.echo("trusted in this clone")


def _read(text: str, said: str | None) -> Iterator[Reader]:
    from gittraj.seal.github import fetch_readers
    from gittraj.seal.readers import parse_reader

    if text.startswith(_GITHUB):
        server = environment().get("GITHUB_SERVER_URL") or "https://github.com"
        readers, refused = fetch_readers(text.removeprefix(_GITHUB), server)
        for why in refused:
            sys.stderr.write(f"git-traj: left out: {plain(why)}\n")
        yield from readers
    elif text.endswith(".pub"):
        yield parse_reader(Path(text).read_text("utf-8", "replace").strip(), said or "")
    else:
        yield parse_reader(text, said or "")


def _spell(reader: Reader) -> str:
    key, fingerprint = str(reader.recipient), reader.recipient.fingerprint
    shown = key if key.startswith("age1") else f"{key.split(maxsplit=1)[0]} {fingerprint}"
    return f"{shown} {reader.comment}".rstrip()


def _lines(readers: Readers, fresh: list[Reader], gone: list[str]) -> Iterator[str]:
    for reader in readers.own:
        yield f"you: {_spell(reader)}"
    for reader in readers.team:
        mark = "+ " if not readers.trusted and reader in fresh else "  " if not readers.trusted else ""
        yield f"{mark}{_spell(reader)}{'' if readers.trusted else ' (not trusted)'}"
    for key in gone if not readers.trusted else ():
        yield f"- {key}"


def _to_json(readers: Readers, fresh: list[Reader]) -> dict[str, object]:
    def rows(found: tuple[Reader, ...]) -> list[dict[str, str]]:
        return [
            {"recipient": str(r.recipient), "fingerprint": r.recipient.fingerprint, "comment": r.comment}
            for r in found
        ]

    return {
        "version": 1,
        "trusted": readers.trusted,
        "sha256": readers.digest,
        "problem": readers.problem,
        "own": rows(readers.own),
        "team": rows(readers.team),
        "new": [str(reader.recipient) for reader in fresh],
    }

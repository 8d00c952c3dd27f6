"""What ``redact --purge`` and ``forget --purge`` have in common: what is told, and what others have to do.

``--json``: ``{"version": 1, "dryRun": bool, "records", "segments", "refs": [name], "notSearched":
{"segments", "sealed"}, "elsewhere": [ref], "left": [place]}``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.status import plain
from gittraj.errors import TrajError

if TYPE_CHECKING:
    from gittraj.commands.purge import Purge, Sought
    from gittraj.git import Repository

SHORTEST = 4
"""Characters of a secret: a shorter one stands in every other word."""

_OPTIONS = (
    click.option("--dry-run", is_flag=True, help="With --purge: say what would be rewritten; write nothing."),
    click.option("--no-fetch", is_flag=True, help="With --purge: leave out what only remotes have."),
    click.option("--gc", is_flag=True, help="With --purge: git gc --prune=now afterwards, without asking."),
)


def purge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_values(values: Sequence[str]) -> list[str]:
    """Raises TrajError for one that is found everywhere."""
    given = [value for value in values if value]
    if not given or any(len(value) < SHORTEST for value in given):
        raise TrajError(f"a text to purge has at least {SHORTEST} characters", "git traj redact --purge -")
    return given


def read_values() -> list[str]:
    """One a line from a pipe; on a terminal one that is not shown."""
    if sys.stdin.isatty():
        return [click.prompt("What is to be purged", hide_input=True, err=True)]
    return sys.stdin.read().splitlines()


def fetch_first(repository: Repository) -> None:
    """What only remotes have may hold it too, and would come back with the next push."""
    from gittraj.sync import fetch_all

    for complaint in fetch_all(repository):
        sys.stderr.write(plain(f"git-traj: {complaint}: what is only there was not searched\n"))


def run(repository: Repository, sought: Sought, *, dry_run: bool, gc: bool, as_json: bool = False) -> int:
    """Purge, and tell of it; 1 when it is still somewhere. Raises TrajError."""
    from gittraj.commands.purge import collect_garbage, purge

    done = purge(repository, sought, dry_run=dry_run)
    for line in _doubts(done):
        sys.stderr.write(plain(f"git-traj: {line}") + "\n")
    if done.refs and not dry_run and (gc or _agrees()):
        gc = collect_garbage(repository, done)
        if not gc:
            sys.stderr.write(
                "git-traj: git keeps old objects (see above, .keep, a partial clone): clone anew\n"
            )
    if as_json:
        click.echo(json.dumps(_to_json(done, dry_run=dry_run)))
    else:
        for line in _lines(repository, done, dry_run=dry_run, gc=gc):
            click.echo(plain(line))
    return int(bool(done.left))


def _agrees() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    asked = "Remove the old objects now? git gc --prune=now removes all that nothing reaches, yours too."
    return click.confirm(asked, err=True)


def _lines(repository: Repository, done: Purge, *, dry_run: bool, gc: bool) -> list[str]:
    if not done.refs:
        return ["nothing of it is in the refs or reflogs of git-traj here"]
    told = f"{_count(done.records, 'record')} and {_count(done.segments, 'segment')}"
    what = f"what {told} told: {', '.join(done.refs)}"
    if dry_run:
        return [f"would be rewritten without {what}"]
    return [f"rewritten without {what}", *([] if gc else [_HERE]), *_OTHERS, *_pushes(repository)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


_HERE = "here:         git gc --prune=now removes the old objects (all that nothing reaches, yours too)"
_OTHERS = (
    "if it was pushed, it is known: rotate it. What others have is theirs to clear:",
    "every clone:  git traj sync, then git gc --prune=now; forks too",
    "every server: keeps the old objects until its own gc, and pull request pages and caches longer: ask "
    "who runs it",
)


def _pushes(repository: Repository) -> list[str]:
    from gittraj.sync.remote import list_remotes

    return [f"{f'{name}:':<13} git traj push --replace {name}" for name in list_remotes(repository)]


def _doubts(done: Purge) -> list[str]:
    lines = [f"still there: {place}" for place in done.left]
    lines += [
        f"{ref} is not ours and keeps the old history: git update-ref -d {ref}" for ref in done.elsewhere
    ]
    if done.absent:
        lines.append(f"not here, or not to be read, so not searched: {done.absent}")
    if done.sealed:
        lines.append(f"sealed, so not searched: the thinking of {done.sealed} parts")
    return lines


def _to_json(done: Purge, *, dry_run: bool) -> dict[str, object]:
    return {
        "version": 1,
        "dryRun": dry_run,
        "records": done.records,
        "segments": done.segments,
        "refs": list(done.refs),
        "notSearched": {"segments": done.absent, "sealed": done.sealed},
        "elsewhere": list(done.elsewhere),
        "left": list(done.left),
    }

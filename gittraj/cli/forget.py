"""``git traj forget``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import drain_first, find_repository, read_environ
from gittraj.cli.redact import fetch_first, purge_options, run_purge
from gittraj.errors import UsageError
from gittraj.model.words import count


@click.command("forget")
@click.argument("name", metavar="TRAJECTORY|SESSION")
@click.option("--purge", is_flag=True, help="Rewrite the refs without it, history included.")
@purge_options
def command(name: str, *, purge: bool, dry_run: bool, no_fetch: bool, gc: bool) -> int:
    """Remove a trajectory, or a session with its subagents, from every commit. Nothing of it is stored again,
    here or in a clone that joins this deletion.

    Others keep it until they run git traj fetch (or sync) after your git traj push. Only with --purge is it
    also removed from the refs' history, which is replaced; the command says what others have to do.
    """
    from gittraj.commands.forget import choose, forget
    from gittraj.index.keep_warm import remove_deleted

    if not purge:
        _refuse_purge_options(name, {"--dry-run": dry_run, "--no-fetch": no_fetch, "--gc": gc})
    with find_repository() as repository:
        if purge and not (dry_run or no_fetch):
            drain_first(repository)
            fetch_first(repository)
        if dry_run:
            forgotten = choose(repository, name, environ=read_environ())
        else:
            forgotten, commits = forget(repository, name, environ=read_environ())
            for each in forgotten:
                click.echo(f"{each} was removed from every commit and will not be stored again")
            click.echo(f"unlinked from {count(len(commits), 'commit')}")
            remove_deleted(repository)
        if purge:
            from gittraj.commands.purge.search import PurgeTarget

            target = PurgeTarget(forgotten=frozenset(forgotten))
            return run_purge(repository, target, dry_run=dry_run, gc=gc)
    click.echo("its events remain in refs/notes/traj-data-*, unreferenced; --purge deletes them", err=True)
    return 0


def _refuse_purge_options(name: str, options: dict[str, bool]) -> None:
    """Raise UsageError if one of these options was given: they need --purge."""
    given = " ".join(option for option, is_given in options.items() if is_given)
    if given:
        hint = f"git traj forget {name} --purge {given}"
        raise UsageError("--dry-run, --no-fetch and --gc need --purge", hint=hint)

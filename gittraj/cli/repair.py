"""``git traj repair`` (docs/json.md has its ``--json``), and ``carry``, which does it by hand."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.repository import drain_first, find_drained, find_repository, read_environ
from gittraj.model.words import count

if TYPE_CHECKING:
    from gittraj.commands.repair import Repaired
    from gittraj.commands.reread import Reread


@click.command("repair")
@click.argument("revisions", required=False, metavar="[RANGE]")
@click.option("--reread", "again", is_flag=True, help="Read stored parts again with today's rules instead.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def repair(revisions: str | None, *, again: bool, dry_run: bool, as_json: bool) -> None:
    """Re-attach records to rewritten commits, and say on what evidence.

    With RANGE (A..B, or a revision and all that it reaches), only records that move from or to commits in it.
    Records on unreachable commits without evidence are listed; they stay where they are. Safe to repeat.

    With --reread nothing is moved: tests, decisions, doubts, results and reasons of the parts on these
    commits are read again from the stored events.
    """
    from gittraj.commands.repair import repair
    from gittraj.commands.reread import Reread, reread

    work = reread if again else repair
    with find_repository() as repository:
        if not dry_run:
            drain_first(repository)
        done = work(repository, revisions, environ=read_environ(), dry_run=dry_run)
    if as_json:
        fields = asdict(done) if isinstance(done, Reread) else _to_json(done)
        click.echo(json.dumps({"version": 1, "dryRun": dry_run, **fields}))
    elif isinstance(done, Reread):
        _say_reread(done, "would change" if dry_run else "changed")
    else:
        _say_repaired(done, "would carry" if dry_run else "carried")


def _say_repaired(done: Repaired, verb: str) -> None:
    for rewrite in done.carried:
        click.echo(f"{verb} {rewrite.old[:12]} to {rewrite.new[:12]} ({rewrite.source})")
    for each in done.stranded:
        why = "no evidence of where it went" if each.here else "it is not in this clone"
        click.echo(f"left on {each.commit[:12]}: {', '.join(each.trajectories)}; {why}")
    if any(each.here for each in done.stranded):
        copy = "git traj carry --from COMMIT --onto REV copies the records"
        click.echo(f"hint: {copy}; git traj unlink COMMIT removes those of a discarded commit", err=True)
    if not done.carried and not done.stranded:
        click.echo("nothing to repair: every record, or a copy of it, is on a reachable commit", err=True)


def _say_reread(done: Reread, verb: str) -> None:
    click.echo(f"read {count(done.read, 'part')} again, {verb} {done.changed}")
    if done.known:
        click.echo(f"{verb} {count(done.known, 'log')} that no reader knew before")
    for number, why in (
        (done.absent, "unchanged: not all of their events are here (git traj fetch)"),
        (done.newer, "unchanged: written by a newer git-traj"),
    ):
        if number:
            click.echo(f"{count(number, 'part')} {why}")


def _to_json(done: Repaired) -> dict[str, object]:
    carried = [{"old": r.old, "new": r.new, "evidence": r.source} for r in done.carried]
    return {"carried": carried, "stranded": [asdict(each) for each in done.stranded]}


@click.command("carry")
@click.option("--from", "source", required=True, metavar="A..B", help="The old commits, or one.")
@click.option("--onto", required=True, metavar="REV", help="The commit that replaced them.")
def carry(source: str, onto: str) -> None:
    """Copy the records of the commits A..B to the commit REV. Their evidence does not change."""
    from gittraj.commands.repair import carry

    with find_drained() as repository:
        target, carried = carry(repository, source, onto, environ=read_environ())
    for old, trajectories in carried.items():
        click.echo(f"carried {old[:12]} to {target[:12]}: {', '.join(trajectories)}")
    if not carried:
        click.echo(f"nothing to carry: no commit of {source} has a trajectory", err=True)

"""``git traj repair``.

``--json``: ``{"version": 1, "dryRun": bool, "carried": [{"old", "new", "evidence"}],
"stranded": [{"commit", "trajectories": [id], "here": bool}]}``. Evidence is ``reflog``, ``patch-id``,
``tree``, ``squash`` or ``pull`` (a pull request's number in the subject); ``here`` is false where the commit
is not in this clone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.repository import drain_first, environment, find_repository
from gittraj.config import Environ

if TYPE_CHECKING:
    from gittraj.commands.repair import Repaired


@click.command("repair", short_help=COMMANDS["by hand"]["repair"])
@click.argument("revisions", required=False, metavar="[RANGE]")
@click.option("--dry-run", is_flag=True, help="Say what would be carried; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(revisions: str | None, *, dry_run: bool, as_json: bool) -> None:
    """Bring records to where rewritten commits are now, and say by which evidence.

    With RANGE (A..B, or all that a revision reaches) only from or to its commits. Records without a living
    commit and without evidence are named; they stay where they are. Safe to repeat.
    """
    from gittraj.commands.repair import repair

    raw = environment()
    with find_repository() as repository:
        if not dry_run:
            drain_first(repository)
        done = repair(repository, revisions, environ=Environ.of(raw), live=raw, dry_run=dry_run)
    if as_json:
        click.echo(json.dumps({"version": 1, "dryRun": dry_run, **_to_json(done)}))
        return
    verb = "would carry" if dry_run else "carried"
    for rewrite in done.carried:
        click.echo(f"{verb} {rewrite.old[:12]} to {rewrite.new[:12]} ({rewrite.source})")
    for each in done.stranded:
        why = "no evidence of where it went" if each.here else "it is not in this clone"
        click.echo(f"left on {each.commit[:12]}: {', '.join(each.trajectories)}; {why}")
    if not done.carried and not done.stranded:
        click.echo("nothing to repair: every record stands on a living commit", err=True)


def _to_json(done: Repaired) -> dict[str, object]:
    return {
        "carried": [{"old": r.old, "new": r.new, "evidence": r.source} for r in done.carried],
        "stranded": [
            {"commit": s.commit, "trajectories": list(s.trajectories), "here": s.here} for s in done.stranded
        ],
    }

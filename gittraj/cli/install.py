"""``git traj install``."""

from __future__ import annotations

import json

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.context import find_repository


@click.command("install", short_help=COMMANDS["what people need"]["install"])
@click.option("--no-fetch-refspec", is_flag=True, help="Leave what git fetch brings as it is.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(no_fetch_refspec: bool, dry_run: bool, as_json: bool) -> int:
    """Set up this repository: the hooks that record, and the refspec that fetches records.

    Hooks that are there already are kept and run first. Safe to repeat.
    """
    from gittraj.installation import install

    with find_repository() as repository:
        steps = install(repository, fetch_refspec=not no_fetch_refspec, dry_run=dry_run)
    if as_json:
        rows = [{"what": s.what, "name": s.name, "did": s.did, "text": s.text} for s in steps]
        click.echo(json.dumps({"version": 1, "dryRun": dry_run, "steps": rows}))
    else:
        for step in steps:
            click.echo(f"{step.name}: {step.text}")
        if dry_run:
            click.echo("Nothing was written.")
    return int(any(step.did == "failed" for step in steps))

"""``git traj push``. docs/json.md has its ``--json``."""

from __future__ import annotations

import click

from gittraj.cli.common.repository import find_drained
from gittraj.cli.common.sharing import report, send


@click.command("push")
@click.argument("remote", required=False)
@click.option("--dry-run", is_flag=True, help="Say what would be sent; write nothing.")
@click.option("--records-only", is_flag=True, help="Send records only, without events.")
@click.option("--replace", is_flag=True, help="Replace the remote's history with the purged one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(remote: str | None, *, dry_run: bool, records_only: bool, replace: bool, as_json: bool) -> None:
    """Send our records to a remote, never by force except with --replace: what others pushed
    meanwhile is joined first.

    The first push to an address says what becomes readable to whom, and asks. Plain git push sends no
    records, unless git config traj.push is auto.
    """
    from gittraj.commands.push import sent_to_json, sent_to_line
    from gittraj.sync import find_remote

    with find_drained() as repository:
        chosen = find_remote(repository, remote)
        sent = send(repository, chosen, dry_run=dry_run, records_only=records_only, replace=replace)
    report([sent_to_line(sent)], sent_to_json(sent), as_json=as_json)

"""``git traj sync``. ``--json``: the document of ``push --json``, and ``"fetched"``: changed notes."""

from __future__ import annotations

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.fetch import describe
from gittraj.cli.repository import drain_first, find_repository
from gittraj.cli.transfer import report, say, send


@click.command("sync", short_help=COMMANDS["common commands"]["sync"])
@click.argument("remote", required=False)
@click.option("--dry-run", is_flag=True, help="Say what would be sent; write nothing, and ask nobody.")
@click.option("--records-only", is_flag=True, help="Send records only, without events.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(remote: str | None, *, dry_run: bool, records_only: bool, as_json: bool) -> None:
    """Fetch and push: afterwards the remote and this clone have the same records."""
    from gittraj.commands.push import sent_to_json, sent_to_line
    from gittraj.sync import fetch, find_remote, remember_join

    with find_repository() as repository:
        drain_first(repository)
        chosen = find_remote(repository, remote)
        fetched = 0 if dry_run else fetch(repository, chosen, tell=say)
        if not dry_run:
            remember_join(repository, chosen)
        sent = send(repository, chosen, dry_run=dry_run, records_only=records_only)
    lines = [] if dry_run else [describe(chosen, fetched)]
    document = {**sent_to_json(sent), "fetched": fetched}
    report([*lines, sent_to_line(sent)], document, as_json=as_json)

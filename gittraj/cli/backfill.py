"""``git traj backfill``."""

from __future__ import annotations

import json

import click

from gittraj.cli.common.output import columns, show_progress, wants_colour, write
from gittraj.cli.common.repository import drain_first, environment, find_repository, say_remark


@click.command("backfill")
@click.option("--since", metavar="DATE", help="Only sessions written after this date, as in git log.")
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="Only this agent's; repeatable.")
@click.option("--dry-run", is_flag=True, help="Say what would be linked; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(since: str | None, agents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Find the sessions on this machine that worked in this repository, and link them to the commits that
    they made.

    Each link names its evidence; a session without evidence is not linked, but listed with the reason.
    Safe to interrupt and to repeat: what is stored stays, and nothing is stored twice.
    """
    from gittraj.commands.backfill.local_sessions import backfill
    from gittraj.commands.backfill.report import report_to_json
    from gittraj.query.log.listing import read_date
    from gittraj.render.text.backfill import report_to_text
    from gittraj.render.text.terminal import Page

    raw = environment()
    with find_repository() as repository:
        drain_first(repository, always=True)
        with show_progress() as progress:
            start = read_date(repository, "since", since) if since else 0
            report = backfill(repository, raw, since=start, agents=agents, dry_run=dry_run, progress=progress)
        say_remark(report.remark)
        if as_json:
            click.echo(json.dumps({"version": 1, "dryRun": dry_run, **report_to_json(report)}))
            return
        objects = repository.objects
        here = {row.commit for row in report.linked if objects.kind(row.commit) == "commit"}
        subjects = {commit: objects.commit(commit).subject for commit in here}
        page = Page(columns(table=True), wants_colour(repository))
        text = report_to_text(report, subjects, page, dry_run=dry_run)
        write(repository, text)

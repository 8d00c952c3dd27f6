"""``git traj stats``.

``--json``: ``{"version": 1, "rev", "by", "total": {FIGURES, "mergesLeftOut", "withoutCommit": trajectories,
"agents": [{"name"|null, "trajectories"}], "models": [the same], "sessions", "telling": {"retrospective",
"decisions", "summary", "tests", "task": sessions that tell it}, "beside": {"subagents", "runs",
"verifications", "artifacts", "checkpoints": how many they hold}, "bytes": {"records", "events",
"disk"|null}, "remotes"?: {remote: commits}}, "rows": [{"name"|null, FIGURES, "bytes": {"records",
"events"}}]}``.

``remotes`` are those with records that are counted here and not joined with ours. FIGURES: ``"commits",
"recorded", "trajectories", "statuses": {status: trajectories}, "successRate"|null, "medianSeconds"|null,
"parseFailures", "usage": {…}, "costUsd"|null, "costSource", "tellingUsage", "tellingCost"``. ``successRate``
is the share of the completed among those that ended.
``recorded`` of the ``commits`` have a trajectory that explains them; merges that carry nothing count nowhere
but in ``mergesLeftOut``. Tokens and costs are those of ``tellingUsage`` and ``tellingCost`` of the
``trajectories``; what none tells is null. ``records`` and ``events`` are bytes of text, of these commits;
``disk`` is what all records and events of the repository take now, compressed.

The rows of months, agents, models and authors share out ``usage``, ``costUsd`` and ``bytes`` of the total (of
agents and models without the lines of notes that are nobody's); a part that lies on several commits counts on
the oldest that it was not carried to. A commit counts in each path that it touched. ``commits`` of an agent
or a model are all commits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from gittraj.cli.beside import read_records
from gittraj.cli.commands import COMMANDS
from gittraj.cli.conditions import WithPaths, commit_options, path_options, team_option
from gittraj.cli.output import dump_json, text_page, write
from gittraj.cli.progress import show_progress
from gittraj.cli.repository import drain_first, environment, find_to_read
from gittraj.errors import UsageError
from gittraj.index.counters import compute_stats
from gittraj.query.stats.statistics import BY
from gittraj.render.text.stats import render_stats


@click.command("stats", cls=WithPaths, short_help=COMMANDS["reading"]["stats"])
@click.argument("rev", default="HEAD", metavar="[REV|A..B] [[--] PATH...]")
@click.option(
    "--by",
    type=click.Choice((*BY, "repository")),
    default="month",
    help="Group rows by this (default: month).",
)
@path_options
@commit_options
@team_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_obj
def command(
    obj: dict[str, bool],
    /,
    *,
    rev: str,
    by: str,
    paths: tuple[str, ...],
    as_json: bool,
    team: str | None,
    **limits: Any,
) -> None:
    """Summarise how much of history has a record, by whom, and what it cost: commits, agents,
    models, tokens, costs, sessions without a retrospective, bytes."""
    if team is not None:
        from gittraj.cli.team import show_stats

        options: dict[str, Any] = {"by": by, "paths": paths, "as_json": as_json, "draw": _can_draw()}
        show_stats(team, rev, pager=obj["pager"], **options, **limits)
        return
    if by not in BY:
        raise UsageError(f"--by {by} needs --team", f"it can be {', '.join(BY)}")
    environ = environment()
    with find_to_read() as repository:
        drain_first(repository)
        with show_progress("commits") as tell:
            total, rows = compute_stats(repository, rev, paths, by=by, cwd=Path.cwd(), tell=tell, **limits)
        if not total["trajectories"]:
            from gittraj.cli.no_match import say_nothing_found

            say_nothing_found(repository, read_records(repository))
        if as_json:
            document = {"version": 1, "rev": rev, "by": by, "total": total, "rows": rows}
            click.echo(dump_json(document))
            return
        page = text_page(repository, environ)
        text = render_stats(total, rows, page, ascii_only=not _can_draw())
        write(repository, [text], environ, pager=obj["pager"])


def _can_draw() -> bool:
    try:
        "█".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True

"""``git traj gather``. docs/json.md has its ``--json``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import dump_json, say, show_progress
from gittraj.cli.common.repository import environment
from gittraj.model.words import count
from gittraj.render.text.terminal import escape_line

if TYPE_CHECKING:
    from gittraj.gather.store import Store

_JOBS = min(os.cpu_count() or 1, 8)


@click.command("gather")
@click.argument("remotes", nargs=-1, metavar="REMOTE...")
@click.option(
    "--into", "url", required=True, metavar="URL", help="DuckDB file, postgresql://… or parquet:FOLDER."
)
@click.option("--prompts", is_flag=True, help="Gather prompts and titles, too.")
@click.option("--events", is_flag=True, help="Gather the events of sessions, too; never what is sealed.")
@click.option("--verify", is_flag=True, help="Compare with each repository, and name what differs.")
@click.option("--forget", "forgotten", multiple=True, metavar="REMOTE", help="Delete the data of REMOTE.")
@click.option("--jobs", type=click.IntRange(1), default=_JOBS, metavar="N", help="Fetch and scan N at once.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    remotes: tuple[str, ...],
    url: str,
    prompts: bool,
    events: bool,
    verify: bool,
    forgotten: tuple[str, ...],
    jobs: int,
    as_json: bool,
) -> int:
    """Gather the records of many repositories into one database, to query them all with --team.

    REMOTE is a URL, a clone, a folder of clones, a file with a URL on each line, or
    github:ORGANISATION. Only what changed is fetched. What was purged or forgotten in a repository is deleted
    from the database, too. Prompts and events are gathered only with --prompts and --events.
    """
    if bool(remotes) + verify + bool(forgotten) != 1:
        from gittraj.errors import UsageError

        raise UsageError("give exactly one of: remotes, --verify, --forget REMOTE", hint="git traj gather -h")
    from gittraj.gather.store import open_store

    environ = environment()
    store = open_store(url, environ)
    failures: list[str] = []
    if forgotten:
        from gittraj.gather.verify import forget

        names = forget(store, forgotten, environ)
        document: dict[str, object] = {"forgotten": names}
        lines = [f"{name}: forgotten" for name in names]
    elif verify:
        from gittraj.gather.verify import verify as compare

        with show_progress("repositories") as progress:
            compared, failures = compare(store, environ=environ, jobs=jobs, progress=progress)
        document = {"compared": compared, "differences": failures}
        lines = [] if failures else [f"{count(compared, 'repository')}: nothing differs"]
    else:
        document, lines, failures = _gather(
            store, remotes, environ, prompts=prompts, events=events, jobs=jobs
        )
    click.echo(dump_json({"version": 1, **document}) if as_json else "\n".join(map(escape_line, lines)))
    for failure in failures:
        say(failure)
    return int(bool(failures))


def _gather(
    store: Store,
    remotes: Sequence[str],
    environ: Mapping[str, str],
    *,
    prompts: bool,
    events: bool,
    jobs: int,
) -> tuple[dict[str, object], list[str], list[str]]:
    """Gather; returns the fields of the JSON document, the lines to print, and the failures."""
    from gittraj.gather.remotes import find_sources, list_organisation
    from gittraj.gather.run import Gathering

    sources, failed = find_sources(
        remotes, environ=environ, organisation=lambda name: list_organisation(name, environ), tell=say
    )
    contents = ",".join(["prompts"] * prompts + ["events"] * events)
    with show_progress("repositories") as progress:
        gathering = Gathering(store=store, contents=contents, environ=environ, progress=progress, tell=say)
        report = gathering.run(sources, jobs)
    failed += report.failed
    document: dict[str, object] = {
        "gathered": report.gathered,
        "unchanged": report.unchanged,
        "without": report.without,
        "failed": failed,
    }
    line = f"{count(report.gathered, 'repository')} gathered, {report.unchanged} unchanged"
    line += f", {report.without} without records" if report.without else ""
    return document, [line], failed

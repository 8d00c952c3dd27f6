"""``git traj search``. docs/json.md has its ``--json``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.common.options import label_options, team_option
from gittraj.cli.common.output import dump_json, show_progress, text_page, write
from gittraj.cli.common.repository import fetch_missing, find_drained, read_records, say_once
from gittraj.git import Repository
from gittraj.index.answers import open_index
from gittraj.index.language import parse_query
from gittraj.index.search import Conditions, Found, search
from gittraj.index.text import WEIGHTS
from gittraj.notes.unjoined import find_unjoined
from gittraj.query.log.description import describe_places
from gittraj.render.text.search import render_hit

if TYPE_CHECKING:
    from gittraj.query.remote_records import RecordedBeside

_FEW = 25
"""With fewer parts than this, ``--similar`` is likely to find nothing."""


@click.command("search")
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option("--similar", is_flag=True, help="Find text with a similar meaning, even in other words.")
@click.option(
    "--in",
    "kinds",
    multiple=True,
    type=click.Choice([*WEIGHTS]),
    help="Search only in this field; repeatable.",
)
@click.option("--event", metavar="TYPE", help="Search only in events of this type, such as finding or error.")
@label_options
@click.option("--since", metavar="DATE", help="Work that ended after this date.")
@click.option("--until", metavar="DATE", help="Work that began before this date.")
@click.option("--rev", metavar="REV|A..B", help="Only work that led to these commits.")
@click.option("--author", metavar="A", help="Only work that led to commits of this author, as in git log.")
@click.option("--file", "paths", multiple=True, metavar="PATH", help="Only work on commits that touched it.")
@click.option(
    "-n", "--max-count", "limit", type=click.IntRange(1), default=10, metavar="N", help="At most N (10)."
)
@click.option("--fetch", is_flag=True, help="Fetch missing events from the remotes.")
@team_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    words: Sequence[str],
    similar: bool,
    limit: int,
    fetch: bool,
    as_json: bool,
    team: str | None,
    **conditions: Any,
) -> None:
    """Search prompts, messages, unsealed thinking, decisions, doubts, retrospectives, commands, paths, and
    the beginning and end of outputs; the best trajectories first.

    All words must match, in any form; "a phrase" in this order. Also: limit*, OR, NOT (or -word), and
    parentheses. "rate limit" and "ratelimit" both find rateLimit and rate_limit.
    """
    text = " ".join(words)
    if team is not None:
        from gittraj.cli.common.team import show_search

        options: dict[str, Any] = {"similar": similar, "limit": limit, "fetch": fetch, "as_json": as_json}
        show_search(team, text, **options, **conditions)
        return
    query = text if similar else parse_query(text)
    with find_drained() as repository, _open_with_remotes(repository) as with_remotes:
        wanted = _read_conditions(repository, with_remotes, conditions)
        with show_progress("trajectories") as progress:
            result, why = search(repository, query, wanted, limit=limit, tell=progress), None
            if fetch and result.away:
                why = fetch_missing(repository, result.away) or "no remote has them"
                result = search(repository, query, wanted, limit=limit, tell=progress)
        if with_remotes:
            from gittraj.index.search_remotes import add_remotes

            hits = add_remotes(result.hits, with_remotes, query, wanted, limit=limit)
            result = replace(result, hits=hits)
        with open_index(repository, build=False) as index:
            read_records(repository, index.notes if index else None, unjoined={})  # warns of large notes
        _say_missing(repository, result, why, similar=similar)
        if as_json:
            from gittraj.commands.search import search_to_json

            click.echo(dump_json(search_to_json(repository, text, result, with_remotes)))
        else:
            write(repository, _render(repository, result))


def _open_with_remotes(repository: Repository) -> AbstractContextManager[RecordedBeside | None]:
    """Open our records with those of remotes that are not joined with ours; None without such records."""
    unjoined = find_unjoined(repository)
    if not unjoined:
        return nullcontext()
    from gittraj.commands.search import open_with_remotes

    return open_with_remotes(repository, unjoined, say_once)


def _read_conditions(
    repository: Repository, with_remotes: RecordedBeside | None, options: dict[str, Any]
) -> Conditions:
    if all(value is None or value == () for value in options.values()):
        return Conditions()
    from gittraj.commands.search import read_conditions

    return read_conditions(repository, with_remotes, cwd=Path.cwd(), **options)


def _say_missing(repository: Repository, result: Found, why: str | None, *, similar: bool) -> None:
    """Say what the search did not cover, and why that could not be fetched; or that nothing matches."""
    if result.hits and not (result.waiting or result.away):
        return
    from gittraj.cli.common.no_match import say_no_match, say_unread

    say_unread(result.waiting, result.away, why)
    if not result.hits:
        hint = "try fewer words, word* for its beginning, or git traj search --similar"
        if similar:
            few = result.parts < _FEW
            hint = "try other words" + "; little is recorded here yet to be similar to" * few
        say_no_match(repository, result.parts, hint=hint)


def _render(repository: Repository, result: Found) -> Iterator[str]:
    page, now = text_page(repository), datetime.now(UTC)
    commits = describe_places(repository, [hit.commits for hit in result.hits])
    for number, (hit, commit) in enumerate(zip(result.hits, commits, strict=True)):
        yield "\n" * bool(number) + render_hit(hit, commit, page, now)

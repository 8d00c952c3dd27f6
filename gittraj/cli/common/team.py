"""``--team URL``: answers commands from the database that ``git traj gather`` filled.

In text, a repository's name is before the commit; in ``context`` it is in ``short``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.common.output import columns, dump_json, table_page, text_page, write
from gittraj.cli.common.repository import environment
from gittraj.errors import UsageError
from gittraj.gather.ask import Choice
from gittraj.gather.fetching import new_repository
from gittraj.gather.store import Session, open_store
from gittraj.git import Repository
from gittraj.index.language import parse_query
from gittraj.model.header import Header
from gittraj.query.log.listing import read_date
from gittraj.render.text.terminal import Page, escape_line

if TYPE_CHECKING:
    from gittraj.gather.ask_search import TeamHit
    from gittraj.index.search import Hit


@contextmanager
def _asking(url: str) -> Iterator[tuple[Session, Repository]]:
    """Open the database, and an empty repository: git parses dates, and knows if the user wants colour."""
    environ = environment()
    with (
        TemporaryDirectory(prefix="git-traj-") as folder,
        new_repository(Path(folder), environ) as repository,
        open_store(url, environ).session() as session,
    ):
        yield session, repository


def show_log(
    url: str,
    rev: str,
    *,
    limit: int | None,
    form: str | None,
    explored: bool,
    as_json: bool,
    pager: bool,
    sort: str,
    **options: Any,
) -> None:
    from gittraj.cli.log import entries_to_json, render_listing
    from gittraj.gather.ask_log import list_entries, list_trajectories
    from gittraj.query.log.filters import Wanted, compile_pattern

    _refuse(rev=rev != "HEAD", sort=sort != "date")
    grep = options.pop("grep")
    with _asking(url) as (session, repository):
        chosen = {name: options.pop(name) for name in ("author", "paths")}
        options.pop("follow")
        choice = Choice(**chosen, **_read_dates(repository, options), explored=explored)
        wanted = Wanted(grep=compile_pattern(grep) if grep else None, **options)
        entries = list_entries(session, choice, wanted)
        found: Iterator[Header] = islice(list_trajectories(entries) if form == "rows" else entries, limit)
        first = list(islice(found, 1))
        found = chain(first, found)
        if not first:
            click.echo("git-traj: no matching commits", err=True)
        if as_json:
            shown = [{key: value for key, value in each.items() if key != "wholes"} for each in found]
            click.echo(dump_json(entries_to_json(shown, rows=form == "rows")))
            return
        page = text_page(repository, environment())
        if form:
            page = Page(columns(environment()), page.colour)
        texts = render_listing(found if form == "rows" else map(_named, found), form, page)
        write(repository, texts, environment(), pager=pager)


def show_stats(
    url: str, rev: str, *, by: str, as_json: bool, pager: bool, draw: bool, **options: Any
) -> None:
    from gittraj.gather.ask_stats import compute_team_stats
    from gittraj.render.text.stats import render_stats

    _refuse(rev=rev != "HEAD", file=options.pop("paths"))
    options.pop("follow")
    with _asking(url) as (session, repository):
        choice = Choice(author=options.pop("author"), **_read_dates(repository, options))
        total, rows = compute_team_stats(session, by, choice)
        if as_json:
            document = {"version": 1, "rev": None, "by": by, "total": total, "rows": rows}
            click.echo(dump_json(document))
            return
        page = text_page(repository, environment())
        text = render_stats(total, rows, page, table_page(environment(), page), ascii_only=not draw)
        write(repository, [text], environment(), pager=pager)


def show_search(
    url: str,
    asked: str,
    *,
    limit: int,
    as_json: bool,
    pager: bool,
    similar: bool,
    fetch: bool,
    **options: Any,
) -> None:
    from gittraj.commands.search import hit_to_json
    from gittraj.gather.ask import read_folded
    from gittraj.gather.ask_search import search_team
    from gittraj.index.search import Conditions
    from gittraj.render.text.search import render_hit

    _refuse(similar=similar, fetch=fetch, rev=options.pop("rev"))
    query = parse_query(asked)
    with _asking(url) as (session, repository):
        choice = Choice(**{name: options.pop(name) for name in ("author", "paths")})
        conditions = Conditions(**_read_dates(repository, options), **options)
        hits = search_team(session, query, conditions, limit=limit, choice=choice)
        if not hits:
            click.echo("git-traj: no match", err=True)
        if as_json:
            folded = read_folded(session, [(each.project_id, each.hit.trajectory) for each in hits])
            results = [
                hit_to_json(folded.get((each.project_id, each.hit.trajectory)), each.hit, each.commit)
                for each in hits
            ]
            none = {"waiting": 0, "away": [], "beside": {}}
            click.echo(dump_json({"version": 1, "query": asked, "results": results, **none}))
            return
        page, now = text_page(repository, environment()), datetime.now(UTC)
        texts = (
            "\n" * bool(number) + render_hit(*_name_hit(each), page, now) for number, each in enumerate(hits)
        )
        write(repository, texts, environment(), pager=pager)


def show_context(url: str, paths: Sequence[str], *, budget: int, as_json: bool, pager: bool) -> None:
    from gittraj.gather.ask_log import brief_team
    from gittraj.render.markdown.context import render_briefing, render_document

    with _asking(url) as (session, repository):
        touched, lessons = brief_team(session, paths)
        if not touched:
            click.echo("git-traj: no session wrote there", err=True)
        if lessons or as_json:
            render = render_document if as_json else render_briefing
            text = render(lessons, budget=budget, paths=paths)
            write(repository, [text], environment(), pager=pager and not as_json)


def _name_hit(found: TeamHit) -> tuple[Hit, Header | None]:
    """Put the repository's name before the commit, or before a trajectory that has none."""
    if found.commit and found.commit["commit"] is None:
        return replace(found.hit, trajectory=f"{found.commit['repository']}@{found.hit.trajectory}"), None
    return found.hit, found.commit and _named(found.commit)


def _named(entry: Mapping[str, Any]) -> Header:
    short = entry["commit"] and escape_line(f"{entry['repository']}@{entry['short']}")
    return {**entry, "short": short}


def _read_dates(repository: Repository, options: dict[str, Any]) -> dict[str, Any]:
    """Take the dates out of ``options``, in seconds since 1970."""
    dates = {name: options.pop(name) for name in ("since", "until")}
    return {name: None if d is None else read_date(repository, name, d) for name, d in dates.items()}


def _refuse(**given: Any) -> None:
    for name, value in given.items():
        if value:
            spelt = "a revision" if name == "rev" else f"--{name}"
            hint = "paths go after --" if name == "rev" else None
            raise UsageError(
                f"--team cannot be used with {spelt}", hint or "it asks over all commits that were gathered"
            )

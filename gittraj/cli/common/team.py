"""``--team URL``: answers commands from the database that ``git traj gather`` filled.

In text, the repository's name precedes the commit's id; in ``context`` the field ``short`` has both.
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

from gittraj.cli.common.output import columns, dump_json, say, text_page, write
from gittraj.cli.common.repository import environment
from gittraj.errors import UsageError
from gittraj.gather.ask import Choice, read_folded
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
def _open_team(url: str) -> Iterator[tuple[Session, Repository]]:
    """Open the database, and an empty repository, for git to parse dates and to say if colour is wanted."""
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
    sort: str,
    **options: Any,
) -> None:
    from gittraj.cli.common.log_listing import entries_to_json, make_wanted, render_listing
    from gittraj.gather.ask_log import list_entries, list_trajectories

    _refuse(rev=rev != "HEAD", sort=sort != "date")
    with _open_team(url) as (session, repository):
        chosen = {name: options.pop(name) for name in ("author", "paths")}
        options.pop("follow")
        choice = Choice(**chosen, **_read_dates(repository, options), explored=explored)
        entries = list_entries(session, choice, make_wanted(options))
        listed: Iterator[Header] = islice(list_trajectories(entries) if form == "rows" else entries, limit)
        first = list(islice(listed, 1))
        listed = chain(first, listed)
        if not first:
            say("no matching commits")
        if as_json:
            # "wholes", the headers of complete trajectories, is only for ``list_trajectories``
            rows = [{key: value for key, value in each.items() if key != "wholes"} for each in listed]
            click.echo(dump_json(entries_to_json(rows, rows=form == "rows")))
            return
        page = text_page(repository)
        if form:
            page = Page(columns(), page.colour)
        texts = render_listing(listed if form == "rows" else map(_name_repository, listed), form, page)
        write(repository, texts)


def show_stats(url: str, rev: str, *, by: str, as_json: bool, **options: Any) -> None:
    from gittraj.cli.stats import print_stats
    from gittraj.gather.ask_stats import compute_team_stats

    _refuse(rev=rev != "HEAD", file=options.pop("paths"))
    options.pop("follow")
    with _open_team(url) as (session, repository):
        choice = Choice(author=options.pop("author"), **_read_dates(repository, options))
        total, rows = compute_team_stats(session, by, choice)
        document = {"version": 1, "rev": None, "by": by, "total": total, "rows": rows}
        print_stats(repository, document, as_json=as_json)


def show_search(
    url: str,
    text: str,
    *,
    limit: int,
    as_json: bool,
    similar: bool,
    fetch: bool,
    **options: Any,
) -> None:
    from gittraj.commands.search import hit_to_json
    from gittraj.gather.ask_search import search_team
    from gittraj.index.search import Conditions
    from gittraj.render.text.search import render_hit

    _refuse(similar=similar, fetch=fetch, rev=options.pop("rev"))
    query = parse_query(text)
    with _open_team(url) as (session, repository):
        choice = Choice(**{name: options.pop(name) for name in ("author", "paths")})
        conditions = Conditions(**_read_dates(repository, options), **options)
        hits = search_team(session, query, conditions, limit=limit, choice=choice)
        if not hits:
            say("no match")
        if as_json:
            trajectories = read_folded(session, [(each.project_id, each.hit.trajectory) for each in hits])
            results = [
                hit_to_json(trajectories.get((each.project_id, each.hit.trajectory)), each.hit, each.commit)
                for each in hits
            ]
            # what a search in one clone could not read (docs/json.md); a team's search has no such gaps
            complete = {"waiting": 0, "away": [], "beside": {}}
            click.echo(dump_json({"version": 1, "query": text, "results": results, **complete}))
            return
        page, now = text_page(repository), datetime.now(UTC)
        texts = (
            "\n" * bool(number) + render_hit(*_name_hit(each), page, now) for number, each in enumerate(hits)
        )
        write(repository, texts)


def show_context(url: str, paths: Sequence[str], *, budget: int, as_json: bool) -> None:
    from gittraj.gather.ask_log import brief_team
    from gittraj.render.markdown.context import render_briefing, render_document

    with _open_team(url) as (session, repository):
        touched, lessons = brief_team(session, paths)
        if not touched:
            say("no gathered session wrote these files or decided about them")
        if lessons or as_json:
            render = render_document if as_json else render_briefing
            text = render(lessons, budget=budget, paths=paths)
            write(repository, [text], pager=not as_json)


def _name_hit(result: TeamHit) -> tuple[Hit, Header | None]:
    """Put the repository's name before the commit, or before a trajectory without a commit."""
    hit, commit = result.hit, result.commit
    if commit and commit["commit"] is None:
        return replace(hit, trajectory=f"{commit['repository']}@{hit.trajectory}"), None
    return hit, commit and _name_repository(commit)


def _name_repository(entry: Mapping[str, Any]) -> Header:
    """Put the repository's name before the commit."""
    short = entry["commit"] and escape_line(f"{entry['repository']}@{entry['short']}")
    return {**entry, "short": short}


def _read_dates(repository: Repository, options: dict[str, Any]) -> dict[str, Any]:
    """Take the dates out of ``options``; returns them in seconds since 1970."""
    dates = {name: options.pop(name) for name in ("since", "until")}
    return {name: None if d is None else read_date(repository, name, d) for name, d in dates.items()}


def _refuse(**options: Any) -> None:
    """Raise UsageError if one of these options, or a revision, was given."""
    for name, value in options.items():
        if value:
            option = "a revision" if name == "rev" else f"--{name}"
            hint = "paths go after --" if name == "rev" else None
            raise UsageError(
                f"--team cannot be used with {option}", hint or "it covers all commits that were gathered"
            )

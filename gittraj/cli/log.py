"""``git traj log``.

The index keeps the text of earlier listings. Only a listing that is not in the index imports the code that
reads, merges and filters records: the import takes longer than the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.common.log_listing import (
    as_recorded,
    entries_to_json,
    find_entries,
    name_place,
    render_listing,
)
from gittraj.cli.common.options import (
    Number,
    WithPaths,
    commit_options,
    label_options,
    path_options,
    team_option,
)
from gittraj.cli.common.output import columns, dump_json, print_wrapped, show_progress, text_page, write
from gittraj.cli.common.repository import find_drained, read_records, say_once
from gittraj.index.answers import COLUMNS, open_index
from gittraj.notes.unjoined import find_unjoined
from gittraj.query.log.description import BATCH, describe_all
from gittraj.query.log.listing import list_commits
from gittraj.query.log.reverted import Reverts
from gittraj.query.notes import Notes, NotesInMemory, name_over
from gittraj.render.text.log import render_oneline, render_title
from gittraj.render.text.terminal import Page

if TYPE_CHECKING:
    from gittraj.git import Repository
    from gittraj.index.answers import Answers
    from gittraj.query.records import Recorded

_OF_COMMITS = ("author", "since", "until", "paths")
"""Options that never match runs without a commit."""
_SHARE = Number(0, 1)
_CHOICE = ("author", "since", "until", "paths", "follow")
"""Options that choose commits: arguments of ``list_commits``. The other options choose trajectories."""


@click.command("log", cls=WithPaths)
@click.argument("rev", default="HEAD", metavar="[REV|A..B] [[--] PATH...]")
@path_options
@label_options
@commit_options
@click.option("--grep", metavar="RE", help="Match the subject, prompt, summary or decisions.")
@click.option(
    "--run", metavar="ID", help="Only work of this benchmark run, attempt (solve) or problem (instance)."
)
@click.option("--status", metavar="S", help="Only those completed, abandoned, failed, active or unknown.")
@click.option("--decisions", is_flag=True, help="Only trajectories with a decision.")
@click.option("--min-confidence", type=_SHARE, metavar="X", help="Only with a confidence of at least X.")
@click.option("--max-confidence", type=_SHARE, metavar="X", help="Only with a confidence of at most X.")
@click.option("--min-cost", type=Number(0), metavar="X", help="Only if the cost is at least X US dollars.")
@click.option(
    "--sort", type=click.Choice(("date", "cost")), default="date", help="By date (default) or cost."
)
@click.option("-n", "--max-count", "limit", type=click.IntRange(1), metavar="N", help="At most N.")
@click.option("--oneline", "form", flag_value="oneline", help="One line per commit.")
@click.option("--trajectories", "form", flag_value="rows", help="One line per trajectory.")
@click.option("--all", "explored", is_flag=True, help="Include work that led to no commit.")
@team_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    rev: str,
    limit: int | None,
    form: str | None,
    sort: str,
    explored: bool,
    as_json: bool,
    team: str | None,
    **options: Any,
) -> None:
    """List the commits that have a trajectory, newest first: what was asked, what was decided, and why."""
    explored = explored or options["status"] is not None or options["run"] is not None
    options |= {"limit": limit, "form": form, "explored": explored, "as_json": as_json, "sort": sort}
    if team is not None:
        from gittraj.cli.common.team import show_log

        show_log(team, rev, **options)
        return
    runs = explored and rev == "HEAD" and not any(options[name] for name in _OF_COMMITS)
    _show_log(rev, runs=runs, **options)


def _show_log(
    rev: str,
    *,
    limit: int | None,
    form: str | None,
    sort: str,
    explored: bool,
    runs: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Print the listing of this repository; ``runs``: with the runs that led to no commit."""
    choice = {name: options.pop(name) for name in _CHOICE}
    with find_drained(to_read=True) as repository, ExitStack() as stack:
        index, notes = _open_notes(stack, repository, rev)
        with_remotes = not isinstance(notes, Notes)
        ancestry, commits = list_commits(
            repository, notes, rev, cwd=Path.cwd(), known=index, beside=with_remotes, **choice
        )
        read = partial(find_entries, ancestry, notes, commits, choice["paths"])
        find = partial(read, form=form, limit=limit, sort=sort, explored=explored, runs=runs, **options)
        if as_json:
            click.echo(dump_json(entries_to_json(list(find(files=True)), rows=form == "rows")))
            return
        page = text_page(repository)
        page = Page(columns(table=True), page.colour) if form else page
        filtered = _are_given(options)
        cache = None if with_remotes or explored or filtered or sort != "date" else index
        cached = _cached_texts(repository, cache, commits, form=form, limit=limit, page=page)
        texts = cached or render_listing(find(files=False), form, page)
        write(repository, texts)
        if runs and not filtered and limit is None:
            _say_others(repository, notes, commits)


def _are_given(options: dict[str, Any]) -> bool:
    """Whether one of these options was given; 0 is a value, too."""
    return any(value is not None and value is not False for value in options.values())


def _open_notes(
    stack: ExitStack, repository: Repository, rev: str
) -> tuple[Answers | None, Notes | Recorded]:
    """The index, if there is one; and our notes, or our records with those of remotes that we lack."""
    with show_progress("commits") as progress:
        index = stack.enter_context(open_index(repository, rev, tell=progress))
    notes = index.notes if index else _read_notes(repository)
    if notes.over:  # commits whose notes are too large
        say_once(name_over(notes.over))
    return index, _read_beside(repository, notes) or notes


def _say_others(repository: Repository, notes: Notes | Recorded, listed: Sequence[str]) -> None:
    """Say how many commits with records HEAD does not reach: with --all, git log shows such commits, too."""
    others = {*notes}.difference(listed, notes.places())  # places: the keys of runs without a commit
    if others and (others := others & as_recorded(notes).commits()):
        more = "1 more commit has" if len(others) == 1 else f"{len(others):,} more commits have"
        print_wrapped(f"{more} records, {name_place(repository, sorted(others))}", err=True)


def _read_notes(repository: Repository) -> Notes:
    """Our notes, read without the index; ``over`` are the commits whose notes are too large."""
    from gittraj.notes.store import NotesRef

    over: list[str] = []
    return NotesInMemory(NotesRef(repository).items(over=over), over)


def _read_beside(repository: Repository, notes: Notes) -> Recorded | None:
    """Our records with those of remotes; None if remotes have no records that we lack, so that less code is
    imported."""
    unjoined = find_unjoined(repository)
    if not unjoined:
        return None
    from gittraj.query.remote_records import RecordedBeside

    recorded = read_records(repository, notes, unjoined=unjoined)
    return recorded if isinstance(recorded, RecordedBeside) else None


def _cached_texts(
    repository: Repository,
    index: Answers | None,
    commits: Sequence[str],
    *,
    form: str | None,
    limit: int | None,
    page: Page,
) -> Iterator[str] | None:
    """The listing of all trajectories on ``commits``, equal to that of ``render_listing``; None if the index
    does not have all of it, or there is nothing to list."""
    if index is None or form == "rows" or (form is None and page != Page(COLUMNS)):
        return None
    rendered = index.rendered(commits, oneline=form == "oneline", limit=limit)
    return _add_titles(repository, rendered, form, page) if rendered else None


def _add_titles(
    repository: Repository, rendered: Sequence[tuple[str, str]], form: str | None, page: Page
) -> Iterator[str]:
    """Yield the texts, each after the title of its commit, which the index does not keep."""
    now, reverts = datetime.now(UTC), Reverts(repository)
    for at in range(0, len(rendered), BATCH):
        batch = rendered[at : at + BATCH]
        described = describe_all(repository, [commit for commit, _ in batch])
        reverts.mark(described.values())
        for number, (commit, text) in enumerate(batch, at):
            if form == "oneline":
                yield render_oneline(described[commit], text, page)
            else:
                yield "\n" * bool(number) + render_title(described[commit], page, now) + text

"""Chooses the entries of ``git traj log``, and renders them as text or JSON.

Code that reads records is imported only if the index does not have the answer: see ``gittraj.cli.log``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from gittraj.query.log.description import find_branches
from gittraj.query.notes import Notes
from gittraj.render.text.log import render_entry, render_oneline, render_row, render_runs, render_small
from gittraj.render.text.terminal import Page

if TYPE_CHECKING:
    from gittraj.git import Repository
    from gittraj.query.log.filters import Wanted
    from gittraj.query.log.listing import Entry
    from gittraj.query.log.paths import Ancestry
    from gittraj.query.records import Recorded

_AT_ONCE = 100  # rows that are written together


def find_entries(
    ancestry: Ancestry,
    notes: Notes | Recorded,
    commits: Sequence[str],
    paths: Sequence[str],
    *,
    form: str | None,
    limit: int | None,
    explored: bool,
    files: bool,
    sort: str,
    runs: bool,
    **conditions: Any,
) -> Iterator[Entry]:
    """The commits, or with the form ``rows`` the trajectories, that meet the conditions; ``runs``: also the
    runs without a commit; ``files``: with the changed paths. If nothing meets them, says what to try next.
    ``paths`` are those that the ``commits`` touched, as the user typed them."""
    from gittraj.query.log.listing import by_cost, choose_runs, list_trajectories, read_entries, read_runs

    wanted = make_wanted(conditions)
    rows = None
    if runs and not any((commits, files, wanted.grep)):
        rows = _indexed_runs(notes, wanted, limit, form=form, sort=sort)
    recorded: Recorded | None = None
    if rows is not None:  # importing the code that reads records takes longer than listing these
        entries = choose_runs(rows, wanted)
    else:
        recorded = as_recorded(notes)
        entries = read_entries(ancestry, recorded, commits, wanted, explored=explored, files=files)
        entries = chain(entries, read_runs(recorded, wanted) if runs else ())
    listed = list_trajectories(recorded, entries) if form == "rows" else entries
    listed = islice(by_cost(listed) if sort == "cost" else listed, limit)
    first = next(listed, None)
    if first is None:
        from gittraj.cli.common.no_match import say_nothing_found

        labels = {name: getattr(wanted, name) for name in ("agent", "model", "status", "task", "tag")}
        known = recorded or as_recorded(notes)
        say_nothing_found(ancestry.repository, known, commits, labels=labels, paths=paths, everywhere=runs)
        return iter(())
    return chain([first], listed)


def name_place(repository: Repository, commits: Sequence[str]) -> str:
    """Say where commits are that HEAD does not reach, and the command that shows them: for a branch that has
    some of them, or for one commit."""
    here = [commit for commit in commits if repository.objects.exists(commit)]
    if not here:
        return "none of which is here"
    branches = find_branches(repository, here)
    more = f" (or {', '.join(branches[1:])})" if branches[1:] else ""
    command = f"git traj log {branches[0]}{more}" if branches else f"git traj show {here[0][:7]}"
    return f"on other branches or rewritten since: {command}"


def make_wanted(conditions: dict[str, Any]) -> Wanted:
    """The conditions on trajectories, with the pattern of ``--grep`` compiled. Raises UsageError."""
    from gittraj.query.log.filters import Wanted, compile_pattern

    grep = conditions.pop("grep")
    return Wanted(grep=compile_pattern(grep) if grep else None, **conditions)


def _indexed_runs(
    notes: Notes | Recorded, wanted: Wanted, limit: int | None, *, form: str | None, sort: str
) -> Any:
    """The index's rows of runs without a commit; None if there is no index. All rows are read if some of them
    may be left out, or are sorted or counted."""
    from gittraj.query.log.filters import Wanted

    if not isinstance(notes, Notes):
        return None
    most = limit if form == "rows" and sort == "date" and wanted == Wanted() else None
    return notes.rows_of_runs(wanted.words(), most)


def as_recorded(notes: Notes | Recorded) -> Recorded:
    from gittraj.query.records import Recorded

    return Recorded(notes) if isinstance(notes, Notes) else notes


def entries_to_json(entries: list[Any], *, rows: bool) -> dict[str, Any]:
    """The document of ``git traj log --json``; ``rows``: the entries are trajectories, not commits."""
    runs = (
        {"runs": entries.pop()["trajectories"]} if entries and entries[-1].get("commit", "") is None else {}
    )
    return {"version": 1, "trajectories" if rows else "commits": entries, **runs}


def render_listing(listed: Iterable[Entry], form: str | None, page: Page) -> Iterator[str]:
    """Yield the listing as text: by commit, in one line per commit (``oneline``), or by trajectory
    (``rows``)."""
    now = datetime.now(UTC)
    if form == "rows":
        rows = (render_row(item, page, now) for item in listed)
        while batch := "".join(islice(rows, _AT_ONCE)):
            yield batch
        return
    for number, item in enumerate(listed):
        if item["commit"] is None:
            yield "\n" * bool(number) + render_runs(item, page)
        elif form == "oneline":
            yield render_oneline(item, render_small(item["trajectories"]), page)
        else:
            yield "\n" * bool(number) + render_entry(item, page, now)

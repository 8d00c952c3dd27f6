"""``git traj why``. docs/json.md has its ``--json``."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.common.ahead import take
from gittraj.cli.common.output import dump_json, text_page, write
from gittraj.cli.common.repository import drain_first, find_to_read, read_events, read_records
from gittraj.errors import TrajError, UsageError
from gittraj.git import Blame, Repository, from_top, start_blame
from gittraj.model.words import count
from gittraj.query.why.file import read_lines

if TYPE_CHECKING:
    from gittraj.query.notes import Notes
    from gittraj.query.records import Recorded

_LINES = re.compile(r"(.+?):(\d{1,9})(?:[,-](\d{1,9}))?", re.DOTALL)
_COLUMN = re.compile(r"(:\d+):\d*\Z")
"""A column after a line, as editors and linters write it; or grep's last colon."""
_SLOW = 2.0
"""Seconds of git alone after which a hint is shown."""
Span = tuple[int, int]
Reason = dict[str, Any]


@click.command("why")
@click.argument("place", metavar="PATH[:LINE[,LINE]|:FUNCTION]")
@click.option("--rev", metavar="R", help="Read the file at this revision, not in the work tree.")
@click.option("--porcelain", "form", flag_value="porcelain", help="Lines of keys and values, for scripts.")
@click.option("--json", "form", flag_value="json", help="Print one JSON document.")
@click.option("--no-fetch", is_flag=True, help="Do not fetch missing events from the remotes.")
def command(*, place: str, rev: str | None, form: str | None, no_fetch: bool) -> None:
    """Blame a line, and say why: the commit, the prompt, the decision, the edit that wrote it.

    For a whole file or a FUNCTION (found as by git log -L), show each reason once, with its lines.
    """
    name, span = _parse_place(place, Path.cwd())
    with find_to_read() as repository:
        path = from_top(repository, name, Path.cwd())
        begun = take(place, rev)  # None if ``ahead`` started no blame
        rev = rev or (None if repository.work_tree else "HEAD")
        lines = read_lines(repository, path, rev)
        _check_lines(path, lines, span)
        blame = start_blame(repository, path, span=span, rev=rev, begun=begun) if lines else None
        drain_first(repository)  # while git blames
        entries = _explain(repository, blame, lines, rev, no_fetch=no_fetch) if blame else []
        if form == "json":
            click.echo(dump_json({"version": 1, "path": path, "entries": entries}))
            return
        any_here = form is not None or _has_records(repository, entries)
        texts = _render(repository, path, lines, entries, porcelain=form == "porcelain", any_here=any_here)
        write(repository, texts, pager=form is None)
        if not any_here:
            from gittraj.cli.common.no_match import say_nothing_recorded

            say_nothing_recorded(repository)


def _check_lines(path: str, lines: Sequence[str], span: Span | str | None) -> None:
    """Say so if the file has no lines. Raises TrajError if it ends before the first line of ``span``."""
    if not lines:
        click.echo(f"'{path}' has no lines", err=True)
    if isinstance(span, tuple) and span[0] > len(lines):
        what = f"'{path}' has only {count(len(lines), 'line')}, no line {span[0]}"
        raise TrajError(what, hint=f"git traj why {path}")


def _has_records(repository: Repository, entries: Sequence[Reason]) -> bool:
    """Whether the repository has records: those of ``entries``, or any."""
    if any(entry["trajectory"] or entry["nearest"] for entry in entries):
        return True
    recorded = read_records(repository)
    return bool(recorded or recorded.over)  # over: notes that are too large


def _explain(
    repository: Repository, blame: Blame, lines: Sequence[str], rev: str | None, *, no_fetch: bool
) -> Sequence[Reason]:
    """Wait for the blame, and find the reasons of its lines; hints at what makes a slow blame faster."""
    from gittraj.query.why.lines import answer

    start = time.monotonic()
    blamed = blame.read()
    if time.monotonic() - start > _SLOW and sys.stderr.isatty():
        from gittraj.git.commit_graph import WRITE, lacks_filters

        if lacks_filters(repository):
            sys.stderr.write(f"hint: git blame is faster after: {WRITE}\n")
    return answer(
        repository,
        blame,
        blamed,
        lines,
        ask=partial(read_events, repository, command="why", fetch=not no_fetch),
        read=partial(_read, repository),
        find_noted=partial(_find_noted, repository, rev),
        later=rev is not None,  # mark commits that were reverted after ``rev``
    )


def _find_noted(repository: Repository, rev: str | None, paths: Collection[str]) -> Collection[str] | None:
    """The commits with a note that touched one of the paths, from the index: git would compare the trees of
    hundreds of commits. None if the index cannot say it."""
    from gittraj.index.answers import open_index
    from gittraj.query.notes import IndexFailedError

    with open_index(repository, rev or "HEAD", build=False) as index:
        try:
            reachable = index.below(rev or "HEAD") if index else None
            return reachable.noted(paths) if reachable is not None else None
        except IndexFailedError:
            return None


def _read(repository: Repository, notes: Notes, commits: Collection[str]) -> Recorded:
    return read_records(repository, notes, commits=commits)


def _parse_place(place: str, cwd: Path) -> tuple[str, Span | str | None]:
    """Parse ``PATH:LINE,LINE`` or ``PATH:FUNCTION``: the path, and the first and last line, the function or
    None. If a file has the whole argument as its name, that file is meant."""
    without_column = _COLUMN.sub(r"\1", place)
    if (cwd / without_column.rpartition(":")[0]).is_file():
        place = without_column
    match = _LINES.fullmatch(place)
    path, _, function = place.rpartition(":")
    if (cwd / place).is_file() or (match is None and not (path and function and (cwd / path).is_file())):
        return place, None
    if match is None:
        return path, function
    first = int(match[2])
    last = int(match[3] or first)
    if min(first, last) == 0:
        raise UsageError(f"'{place}': lines are counted from 1", hint="git traj why -h")
    return match[1], (min(first, last), max(first, last))


def _render(
    repository: Repository,
    path: str,
    lines: Sequence[str],
    entries: Sequence[Reason],
    *,
    porcelain: bool,
    any_here: bool,
) -> Iterator[str]:
    """Yield each reason as text; ``any_here``: whether the repository has any records."""
    from gittraj.render.text.why import render_porcelain, render_reason

    if porcelain:
        yield from (render_porcelain(entry, lines, path) for entry in entries)
        return
    page, now = text_page(repository), datetime.now(UTC)
    for number, entry in enumerate(entries):
        yield "\n" * bool(number) + render_reason(entry, lines, page, now, any_here=any_here)

"""Computes statistics by month, author, agent, model or path: the rows of ``git traj stats --by``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import TypeVar

from gittraj.model.header import Header
from gittraj.query.log.paths import Ancestry
from gittraj.query.notes import Change, IndexFailedError, IndexLookup, Step
from gittraj.query.stats.counts import Tallies, Tally
from gittraj.query.stats.statistics import (
    Counted,
    Part,
    author,
    note_bytes,
    place_parts,
    stored_parts,
    sum_figures,
    total_size,
    trajectories_of,
)

T = TypeVar("T")


def table(totals: Counted, by: str, touched: Callable[[], Mapping[str, Collection[str]]]) -> list[Header]:
    """Return rows of FIGURES with ``name`` (null: unknown) and ``bytes``, the largest first, months newest
    first.

    ``touched``, called for ``path`` only, returns the names under which each commit counts.
    """
    match by:
        case "agent":
            rows = _by_trajectory(totals, author)
        case "model":  # records do not split costs between models
            rows = _by_trajectory(totals, lambda each: ", ".join(each.models) or None)
        case "run" | "status" | "task":
            rows = _by_trajectory(totals, attrgetter(by))
        case "path":
            rows = _by_path(totals, touched())
        case _:
            rows = _by_commit(totals, {commit.id: getattr(commit, by) for commit in totals.commits})
    if by == "month":
        return sorted(rows, key=lambda row: row["name"] or "", reverse=True)
    return sorted(rows, key=lambda row: (-row["recorded"], -row["commits"], row["name"] or ""))


def _by_commit(totals: Counted, names: Mapping[str, str]) -> Iterator[Header]:
    parts = _group((names.get(part.commit), part) for part in totals.parts)
    stored = _group((names.get(each.commit), each) for each in stored_parts(totals.tallies))
    without = (key for key in totals.tallies if key not in names)
    rows = _group((names.get(commit), commit) for commit in chain(without, names))
    for name, commits in rows.items():
        tallies = _of(totals, commits)
        events = total_size(stored[name])
        yield _row(
            name, len(commits) if name is not None else 0, tallies, parts[name], note_bytes(tallies), events
        )


def _by_trajectory(totals: Counted, name_of: Callable[[Tally], str | None]) -> Iterator[Header]:
    """Yield the rows by trajectories; each row's ``commits`` are all commits, so that it shows a share."""
    names = {each.id: name_of(each) for each in trajectories_of(totals)}
    parts = _group((names[part.record.id], part) for part in totals.parts)
    stored = _group((names[each.part[0]], each) for each in stored_parts(totals.tallies))
    by_name: dict[str | None, dict[str, list[Tally]]] = {name: defaultdict(list) for name in names.values()}
    for commit, here in totals.tallies.items():
        for each in here.trajectories:
            by_name[names[each.id]][commit].append(each)
    for name, by_commit in by_name.items():
        tallies = {commit: Tallies(0, several) for commit, several in by_commit.items()}
        records = sum(each.note for several in by_commit.values() for each in several)
        yield _row(name, len(totals.commits), tallies, parts[name], records, total_size(stored[name]))


def _by_path(totals: Counted, touched: Mapping[str, Collection[str]]) -> Iterator[Header]:
    names = ((name, commit.id) for commit in totals.commits for name in touched.get(commit.id, ()))
    for name, commits in _group(names).items():
        tallies = _of(totals, commits)
        records, events = note_bytes(tallies), total_size(stored_parts(tallies))
        yield _row(name, len(commits), tallies, [*place_parts(tallies)], records, events)


def _row(
    name: str | None, commits: int, tallies: Mapping[str, Tallies], parts: Collection[Part], *sizes: int
) -> Header:
    """Return a row; ``sizes`` are the bytes of records and of events."""
    stored = dict(zip(("records", "events"), sizes, strict=True))
    return {"name": name, **sum_figures(commits, tallies, parts), "bytes": stored}


def _of(totals: Counted, commits: Iterable[str]) -> dict[str, Tallies]:
    return {commit: totals.tallies[commit] for commit in commits if commit in totals.tallies}


def _group(named: Iterable[tuple[str | None, T]]) -> Mapping[str | None, list[T]]:
    """Return the values by name; an empty list for a name without any."""
    groups: dict[str | None, list[T]] = defaultdict(list)
    for name, value in named:
        groups[name].append(value)
    return groups


def read_touched(
    ancestry: Ancestry, commits: Sequence[str], paths: Collection[str], index: IndexLookup | None
) -> dict[str, set[str]]:
    """Return the touched files and folders (with a slash) directly below ``paths`` (none: the top), by
    commit. A commit that touched a path under an earlier name counts for the path itself."""
    changed: dict[Step, list[Change]] = {}
    if index is None or not _read_indexed(index, commits, changed):
        changed = ancestry.diff([(commit, 0) for commit in commits], "--no-renames")
    touched = {
        commit: {name for _, _, path in changes if (name := _below(path, paths)) is not None}
        for (commit, _), changes in changed.items()
    }
    return {commit: names or {*paths} for commit, names in touched.items()}


def _read_indexed(index: IndexLookup, commits: Sequence[str], changed: dict[Step, list[Change]]) -> bool:
    try:
        return index.read_steps(dict.fromkeys(commits, ()), [""], changed, {})
    except IndexFailedError:
        index.give_up()
        return False


def _below(path: str, paths: Collection[str]) -> str | None:
    for above in paths or ("",):
        if path == above:
            return path
        lead = f"{above}/" if above else ""
        if path.startswith(lead):
            name, slash, _ = path[len(lead) :].partition("/")
            return f"{lead}{name}{slash}"
    return None

"""Finds records that are only on unreachable commits: no branch, tag or HEAD reaches a commit with the same
record."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.history.reading import find_unreachable
from gittraj.notes.merge import records_on
from gittraj.query.notes import Notes


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachableRecords:
    """An unreachable commit and its trajectories. ``here``: the commit is in this clone; if it is not, a
    branch elsewhere may reach it."""

    commit: str
    trajectories: tuple[str, ...]
    here: bool


def find_unreachable_records(
    repository: Repository, notes: Notes, among: Collection[str]
) -> list[UnreachableRecords]:
    """Find the records that are only on unreachable commits of ``among``; ``notes`` are all notes. Raises
    GitError."""
    unreachable = find_unreachable(repository, among)
    remaining = {commit: records_on(commit, notes.read(commit)) for commit in among if commit in unreachable}
    ids = {record.id for record in chain.from_iterable(remaining.values())}
    elsewhere = {*chain.from_iterable(map(notes.naming, ids))} - unreachable
    living = {r.key for r in chain.from_iterable(records_on(c, notes.read(c)) for c in elsewhere)}
    return [
        UnreachableRecords(
            commit=commit,
            trajectories=tuple(dict.fromkeys(record.id for record in records)),
            here=repository.objects.exists(commit),
        )
        for commit, records in remaining.items()
        if not living.issuperset(record.key for record in records)
    ]

"""Finds records on unreachable commits only: no branch, tag or HEAD reaches one with the same record."""

from __future__ import annotations

from collections.abc import Collection

from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.history.reading import find_unreachable
from gittraj.notes.merge import records_on
from gittraj.query.notes import Notes


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachableRecords:
    """``here``: whether the commit is in this clone; if not, a branch elsewhere may reach it."""

    commit: str
    trajectories: tuple[str, ...]
    here: bool


def find_unreachable_records(
    repository: Repository, notes: Notes, among: Collection[str]
) -> list[UnreachableRecords]:
    """``notes`` are all notes; those of ``among`` may be on unreachable commits. Raises GitError."""
    unreachable = find_unreachable(repository, among)
    remaining = {commit: records_on(commit, notes.read(commit)) for commit in among if commit in unreachable}
    ids = {record.id for records in remaining.values() for record in records}
    elsewhere = {commit for name in ids for commit in notes.naming(name)} - unreachable
    living = {record.key for commit in elsewhere for record in records_on(commit, notes.read(commit))}
    return [
        UnreachableRecords(
            commit=commit,
            trajectories=tuple(dict.fromkeys(record.id for record in records)),
            here=repository.objects.exists(commit),
        )
        for commit, records in remaining.items()
        if any(record.key not in living for record in records)
    ]

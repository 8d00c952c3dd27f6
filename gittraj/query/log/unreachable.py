"""Records on unreachable commits alone: no branch, tag or HEAD reaches one with the same record."""

from __future__ import annotations

from collections.abc import Mapping

from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.history import find_unreachable
from gittraj.model.codec import decode_note
from gittraj.notes.merge import standing


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachableRecords:
    """``here``: whether the commit is in this clone; if not, a branch elsewhere may reach it."""

    commit: str
    trajectories: tuple[str, ...]
    here: bool


def find_unreachable_records(repository: Repository, notes: Mapping[str, bytes]) -> list[UnreachableRecords]:
    """``notes`` are all notes, by commit; only those needed are decoded. Raises GitError."""
    unreachable = find_unreachable(repository, notes)
    remaining = {
        commit: standing(commit, decode_note(notes[commit])) for commit in notes if commit in unreachable
    }
    ids = {record.id.encode() for records in remaining.values() for record in records}
    living = {
        record.key
        for commit, body in notes.items()
        if commit not in unreachable and any(word in body for word in ids)
        for record in standing(commit, decode_note(body))
    }
    return [
        UnreachableRecords(
            commit=commit,
            trajectories=tuple(dict.fromkeys(record.id for record in records)),
            here=repository.objects.exists(commit),
        )
        for commit, records in remaining.items()
        if any(record.key not in living for record in records)
    ]

"""Records without a living commit: no branch, tag or HEAD reaches theirs, and they stand on no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gittraj.git import Repository
from gittraj.history import find_unreachable
from gittraj.model.codec import decode_note
from gittraj.notes.merge import standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranded:
    """``here`` is false where the commit itself is not in this clone: a branch elsewhere may reach it."""

    commit: str
    trajectories: tuple[str, ...]
    here: bool


def find_stranded(repository: Repository, notes: Mapping[str, bytes]) -> list[Stranded]:
    """``notes`` are all, by commit; only those that matter are decoded. Raises GitError."""
    gone = find_unreachable(repository, notes)
    left = {commit: standing(commit, decode_note(notes[commit])) for commit in notes if commit in gone}
    words = {record.id.encode() for records in left.values() for record in records}
    living = {
        record.key
        for commit, body in notes.items()
        if commit not in gone and any(word in body for word in words)
        for record in standing(commit, decode_note(body))
    }
    return [
        Stranded(
            commit=commit,
            trajectories=tuple(dict.fromkeys(record.id for record in records)),
            here=repository.objects.exists(commit),
        )
        for commit, records in left.items()
        if any(record.key not in living for record in records)
    ]

"""Notes that somebody removed with git's own commands, while a remote still has them.

Absence deletes nothing: they are gone here and come back with a sync. It must not know why they were removed.
"""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.commands.doctor.finding import Finding
from gittraj.commands.install.refspecs import find_remotes
from gittraj.git import Repository
from gittraj.notes.store import NotesRef
from gittraj.notes.tree import note_paths


def check_removed(repository: Repository) -> Iterator[Finding]:
    """What is gone here since this clone and a remote last had the same. Raises GitError."""
    for remote in find_remotes(repository):
        gone = _find(repository, f"refs/notes-remote/{remote}/traj")
        if gone:
            yield Finding(
                code="removed",
                severity="note",
                text=f"removed here with git notes, and still on {remote}: the notes of {len(gone)} of the "
                f"commits, {gone[-1][:12]} last",
                remedy="git traj sync brings them back; git traj unlink removes a record everywhere",
            )


def _find(repository: Repository, tracking: str) -> list[str]:
    ours, theirs = NotesRef(repository).tip(), NotesRef(repository, tracking).tip()
    if ours is None or theirs is None:
        return []
    base = repository.run("merge-base", ours, theirs, check=False).out.decode().split()
    if not base:
        return []
    objects = repository.objects
    here, there = (objects.commit(tip).tree for tip in (ours, theirs))
    return [
        commit
        for commit in NotesRef(repository).changed(base[0], ours)
        if not note_paths(objects, here, commit) and note_paths(objects, there, commit)
    ]

"""What this clone and its remotes disagree on, as far as was fetched: notes that somebody removed here with
git's own commands, and purges that one side knows of.

Absence deletes nothing: removed notes come back with a sync. It must not know why they were removed.
"""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.commands.doctor.finding import Finding
from gittraj.commands.install.refspecs import find_remotes
from gittraj.errors import StoreError
from gittraj.git import Repository
from gittraj.notes.epoch import read_epoch
from gittraj.notes.store import RECORDS_REF, NotesRef
from gittraj.notes.tree import note_paths
from gittraj.notes.unjoined import may_have_copies
from gittraj.state.folder import LocalState


def check_removed(repository: Repository) -> Iterator[Finding]:
    """What is gone here since this clone and a remote last had the same. Raises GitError."""
    for remote in find_remotes(repository) if may_have_copies(repository) else ():
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


def check_purges(repository: Repository) -> Iterator[Finding]:
    """Raises GitError."""
    resolve = repository.objects.resolve
    if LocalState.of(repository).is_purging:
        yield Finding(
            code="purge-unfinished",
            text="a purge was not finished: reflogs or the index may still contain the purged data",
            remedy="run it again; where it was made elsewhere, git traj fetch does the rest",
        )
    remotes = find_remotes(repository) if may_have_copies(repository) else ()
    # ours too, which anybody's fetch may have moved
    for remote, ref in (("", RECORDS_REF), *((name, f"refs/notes-remote/{name}/traj") for name in remotes)):
        tip = resolve(ref)
        try:
            ours, theirs = (read_epoch(repository.objects, each) for each in (resolve(RECORDS_REF), tip))
        except StoreError as error:
            yield Finding(code="purge", text=error.message, remedy=error.hint or "install a later git-traj")
            continue
        if tip and not ours.covers(theirs):
            yield Finding(
                code="purge",
                text=f"{remote} was purged, and this clone still has the purged data",
                remedy=f"git traj fetch {remote}",
            )
        elif tip and not theirs.covers(ours):
            yield Finding(
                code="purge",
                text=f"{remote} still has data that was purged here",
                remedy=f"git traj push --replace {remote}",
            )

"""Restores refs that somebody deleted, and records that a writer without compare-and-swap overwrote.

``git notes add`` reads the notes, takes whatever the ref points to a moment later as its commit's parent, and
moves the ref without comparing: what was written in between is missing from the tree, and perhaps from the
history. The ref's reflog has it. Only that is restored: a note that a user removed stays removed, and what
we purged or forgot ourselves is no longer in the reflog.

A deleted ref has no reflog. ``git fetch`` with a refspec of all notes, forced or with ``--prune``, deletes
our refs, resets them, or replaces them by another's: each drain stores their tips, and a purge deletes these.
An emptied reflog shows that the change was intended. Nothing from before a purge is restored, and a ref that
was moved back to before one is moved forward again: what else it has can only be added by a join.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from gittraj.errors import GitError, StoreError, TrajError
from gittraj.git import Objects, Repository, read_reflog
from gittraj.notes.epoch import purged_more, share_purges
from gittraj.notes.join_trees import join_notes, join_trees
from gittraj.notes.refs import is_broken, move_ref
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs
from gittraj.notes.tree import changed_notes, note_paths
from gittraj.notes.unpushed import RECORDED

_OURS = "git-traj: "
_MESSAGE = "git-traj: bring back what was overwritten"
_REMOVES = (b"Notes removed by 'git notes remove'", b"Notes removed by 'git notes prune'")
"""Notes that these commits lack were removed; other commits change one note, even if they leave it empty."""
_STEPS = 100
"""The most moves of the ref while one ``git notes`` runs, which may wait for an editor."""
_ROUNDS = 5
"""How often to check for what was overwritten meanwhile; the next command continues."""


def is_ancestor(repository: Repository, old: str, new: str) -> bool:
    return old == new or repository.run("merge-base", "--is-ancestor", old, new, check=False).code == 0


def read_tips(repository: Repository) -> dict[str, str]:
    """The tips of the records ref and the monthly refs, by ref."""
    refs = (RECORDS_REF, *(DATA_PREFIX + month for month in DataRefs(repository).months()))
    return {ref: tip for ref in refs if (tip := repository.objects.resolve(ref))}


def read_last_tips(repository: Repository) -> dict[str, str]:
    """Their tips before their last moves, for use when no drain stored any: after a purge none has."""
    moved = {
        ref: read_reflog(repository, repository.common_dir, None, ref=ref)[0] for ref in read_tips(repository)
    }
    return {ref: entries[-1].old for ref, entries in moved.items() if entries}


def find_deleted(repository: Repository, tips: Mapping[str, str]) -> dict[str, str]:
    """For each ref of ``tips`` that was deleted, reset or overwritten, the commit to restore, if it is still
    here."""
    return {ref: lost for ref, tip in tips.items() if (lost := _find_lost(repository, ref, tip))}


def _find_lost(repository: Repository, ref: str, tip: str) -> str | None:
    now = repository.objects.resolve(ref)
    if now == tip or (now is None and is_broken(repository, ref)):
        return None
    lost = _follow(repository, ref, tip, now) if now else tip
    if lost is None or not repository.objects.exists(lost) or (now and is_ancestor(repository, lost, now)):
        return None
    objects = repository.objects
    return lost if not now or share_purges(objects, (lost, now)) or purged_more(objects, lost, now) else None


def _follow(repository: Repository, ref: str, tip: str, now: str) -> str | None:
    """The commit to which our own moves, and those that removed nothing, led from ``tip``; None if what is
    gone since may have been removed on purpose."""
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=ref)
    if not entries:
        emptied = repository.run("reflog", "exists", ref, check=False).code == 0
        return tip if not emptied and is_ancestor(repository, now, tip) else None  # we reset no refs
    moves = [at for at, entry in enumerate(entries) if tip in (entry.old, entry.new)]
    if not moves:
        return None if entries[0].old.strip("0") else tip  # it was deleted since
    for entry in entries[moves[-1] + (entries[moves[-1]].new == tip) :]:
        if ref == RECORDS_REF and entry.message.startswith("notes: "):
            return None  # restore_lost knows what git notes had read
        ours = entry.message.startswith(_OURS)
        if entry.old == tip and (ours or is_ancestor(repository, tip, entry.new)):
            tip = entry.new
    return tip


def restore_deleted(repository: Repository, tips: Mapping[str, str]) -> dict[str, TrajError | None]:
    """Move the refs that are gone or were reset to where they were, and join in what others lost; return
    them, each with the error that prevented this, if any."""
    done: dict[str, TrajError | None] = {}
    for ref, tip in tips.items():
        try:
            if lost := _find_lost(repository, ref, tip):
                move_ref(repository, ref, partial(_join_deleted, repository, ref, lost), message=_MESSAGE)
                done[ref] = None
        except (GitError, StoreError) as error:
            done[ref] = error
    return done


def _join_deleted(repository: Repository, ref: str, lost: str, now: str | None) -> str | None:
    if now is None or is_ancestor(repository, now, lost) or purged_more(repository.objects, lost, now):
        return lost if now != lost else None
    objects = repository.objects
    if not share_purges(objects, (lost, now)):
        return None  # it was purged just now
    ours, theirs = objects.commit(now).tree, objects.commit(lost).tree
    if ref == RECORDS_REF:
        tree, _ = join_notes(objects, ours, theirs, changed_notes(objects, None, theirs))
    else:
        tree = join_trees(objects, ours, theirs)
    return objects.write_commit(tree=tree, parents=[now, lost], message=_MESSAGE)


def restore_lost(repository: Repository, *, since: str | None) -> str | None:
    """Join into the records ref what it lost after it was at ``since`` (None: as far as the reflog goes).

    Returns the tip up to which nothing is lost; None when there is no ref. Raises GitError, StoreError.
    """
    for _ in range(_ROUNDS):
        tip = repository.objects.resolve(RECORDS_REF)
        if tip is None or tip == since:
            return tip
        lost = list(_overwritten(repository, since))
        if not lost:
            return tip
        for overwritten, notes in lost:
            move_ref(
                repository, RECORDS_REF, partial(_join_lost, repository, overwritten, notes), message=_MESSAGE
            )
        since = tip  # not what was restored: meanwhile something else may have been overwritten
    return since


def _overwritten(repository: Repository, since: str | None) -> Iterator[tuple[str, list[str]]]:
    """Yield the tips from which another program's move of the ref removed something, newest first, each with
    the commits whose notes were removed."""
    objects = repository.objects
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=RECORDS_REF)
    earlier = {entry.new: entry.old for entry in entries}
    for entry in reversed(entries):
        if entry.new == since:
            return
        if not objects.exists(entry.old) or not objects.exists(entry.new):
            continue  # zeros, or garbage-collected
        parent = next(iter(objects.commit(entry.new).parents), None)
        follows = entry.old == parent or is_ancestor(repository, entry.old, entry.new)
        if entry.message.startswith(_OURS):
            if not follows and entry.message != RECORDED:
                return  # we compare before we swap: what is gone here was meant to go
            continue
        if not follows:
            found = repository.run("merge-base", entry.old, entry.new, check=False).text.split()
            base = parent if parent in earlier else next(iter(found), None)
            yield entry.old, changed_notes(objects, _tree(objects, base), _tree(objects, entry.old))
        if parent in earlier and (notes := _set_back(objects, parent, entry.new, earlier)):
            yield parent, notes


def _tree(objects: Objects, commit: str | None) -> str | None:
    return objects.commit(commit).tree if commit else None


def _set_back(objects: Objects, parent: str, commit: str, earlier: Mapping[str, str]) -> list[str]:
    """The notes of ``parent`` that ``commit`` has as they were at an ``earlier`` tip, which its writer had
    read. Notes that a commit of a removal lacks were removed on purpose."""
    message = objects.commit(commit).message
    removes, empties = message.startswith(_REMOVES), message.startswith(b"Notes removed")

    def read(tip: str, note: str) -> list[str]:
        return [blob for _, blob in note_paths(objects, _tree(objects, tip), note)]

    changed = changed_notes(objects, _tree(objects, parent), _tree(objects, commit))
    left = {note: read(commit, note) for note in changed if read(parent, note)}
    left = {note: now for note, now in left.items() if now or not removes}
    found: list[str] = []
    at: str | None = parent
    for _ in range(_STEPS):
        if not left or not at or not objects.exists(at):
            break
        back = [note for note, now in left.items() if read(at, note) == now]
        if empties and not removes:  # all but the one that its user left empty: this tip was read
            if len(left) - len(back) <= 1:
                return back
        else:
            found += back
            left = {note: now for note, now in left.items() if note not in back}
        at = earlier.get(at)
    return found


def _join_lost(repository: Repository, lost: str, notes: list[str], tip: str | None) -> str | None:
    objects = repository.objects
    if tip is None or not share_purges(objects, (lost, tip)):
        return lost if tip and purged_more(objects, lost, tip) else None
    tree, changed = join_notes(objects, objects.commit(tip).tree, objects.commit(lost).tree, notes)
    parents = [tip] if is_ancestor(repository, lost, tip) else [tip, lost]
    return objects.write_commit(tree=tree, parents=parents, message=_MESSAGE) if changed else None


def unfinished_merges(repository: Repository) -> Iterator[Path]:
    """Yield the git directories of worktrees with an unfinished ``git notes merge`` into our records: its
    notes are in separate files, and its commit would bring an old history back."""
    for tree in repository.worktrees():
        name = tree.git_dir / "NOTES_MERGE_REF"
        if name.is_file() and name.read_bytes().split()[-1:] == [RECORDS_REF.encode()]:
            yield tree.git_dir

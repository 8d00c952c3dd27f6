"""Restores refs that somebody deleted, and records that a writer without compare-and-swap overwrote.

``git notes add`` reads the notes, takes whatever the ref points to a moment later as its commit's parent, and
moves the ref without comparing: notes that were written in between are missing from the tree, and perhaps
from the history. The ref's reflog still has them. Only these are restored: a note that a user removed stays
removed, and what git-traj itself purged or forgot is no longer in the reflog.

A deleted ref has no reflog. ``git fetch`` with a refspec of all notes, forced or with ``--prune``, deletes
git-traj's refs, resets them, or replaces them by a remote's. So each drain stores the tips of the refs, and a
purge deletes these stored tips. An emptied reflog shows that the change was intended. Nothing from before a
purge is restored, and a ref that was moved back to before a purge is moved forward again; if it also had
something new, only a join can add that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from gittraj.errors import GitError, StoreError, TrajError
from gittraj.git import Objects, ReflogEntry, Repository, read_reflog
from gittraj.notes.epoch import is_purged_further, share_purges
from gittraj.notes.join_trees import join_notes, join_trees
from gittraj.notes.refs import is_broken, move_ref
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs
from gittraj.notes.tree import changed_notes, note_paths
from gittraj.notes.unpushed import RECORDED

_OURS = "git-traj: "
_MESSAGE = "git-traj: bring back what was overwritten"
_REMOVES = (b"Notes removed by 'git notes remove'", b"Notes removed by 'git notes prune'")
"""The beginnings of the messages of commits that remove notes. Other commits change one note, even if they
leave it empty."""
_STEPS = 100
"""The maximum number of moves of the ref while one ``git notes`` runs, which may wait for an editor."""
_ROUNDS = 5
"""How often one command checks for notes that were overwritten meanwhile; the next command continues."""


def is_ancestor(repository: Repository, old: str, new: str) -> bool:
    return old == new or repository.run("merge-base", "--is-ancestor", old, new, check=False).code == 0


def read_tips(repository: Repository) -> dict[str, str]:
    """The tips of the records ref and the monthly refs, by ref."""
    refs = (RECORDS_REF, *(DATA_PREFIX + month for month in DataRefs(repository).months()))
    return {ref: tip for ref in refs if (tip := repository.objects.resolve(ref))}


def read_last_tips(repository: Repository) -> dict[str, str]:
    """The tips before the refs' last moves, for use if no drain has stored any, as after a purge."""
    moved = {
        ref: read_reflog(repository, repository.common_dir, None, ref=ref)[0] for ref in read_tips(repository)
    }
    return {ref: entries[-1].old for ref, entries in moved.items() if entries}


def find_deleted(repository: Repository, tips: Mapping[str, str]) -> dict[str, str]:
    """Map each ref of ``tips`` that was deleted, reset or overwritten to the commit to restore. A ref whose
    commit this clone no longer has is left out."""
    return {ref: lost for ref, tip in tips.items() if (lost := _find_lost(repository, ref, tip))}


def _find_lost(repository: Repository, ref: str, tip: str) -> str | None:
    objects = repository.objects
    now = objects.resolve(ref)
    if now is None:
        return tip if not is_broken(repository, ref) and objects.exists(tip) else None
    if now == tip:
        return None
    lost = _follow(repository, ref, tip, now)
    if lost is None or not objects.exists(lost) or is_ancestor(repository, lost, now):
        return None
    return lost if share_purges(objects, (lost, now)) or is_purged_further(objects, lost, now) else None


def _follow(repository: Repository, ref: str, tip: str, now: str) -> str | None:
    """Find the commit that ``ref`` would point to if since ``tip`` nothing had been lost; None if what is
    missing may have been removed on purpose."""
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=ref)
    if not entries:
        emptied = repository.run("reflog", "exists", ref, check=False).code == 0
        return tip if not emptied and is_ancestor(repository, now, tip) else None  # git-traj resets no refs
    moves = [at for at, entry in enumerate(entries) if tip in (entry.old, entry.new)]
    if not moves:
        return None if entries[0].old.strip("0") else tip  # zeros: the ref was deleted since
    return _replay(repository, ref, tip, entries[moves[-1] + (entries[moves[-1]].new == tip) :])


def _replay(repository: Repository, ref: str, tip: str, entries: Iterable[ReflogEntry]) -> str | None:
    """Follow from ``tip`` those moves that git-traj made, or that removed nothing. None if ``git notes`` made
    one: ``restore_lost`` finds out what ``git notes`` had read."""
    for entry in entries:
        if ref == RECORDS_REF and entry.message.startswith("notes: "):
            return None
        by_us = entry.message.startswith(_OURS)
        if entry.old == tip and (by_us or is_ancestor(repository, tip, entry.new)):
            tip = entry.new
    return tip


def restore_deleted(repository: Repository, tips: Mapping[str, str]) -> dict[str, TrajError | None]:
    """Restore the refs of ``tips`` (ref: last known tip) that were deleted or reset; what a ref lost is
    joined in if it has something new since. Returns the refs that were restored, with None, and those that
    could not be, with the error."""
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
    if now is None or is_ancestor(repository, now, lost) or is_purged_further(repository.objects, lost, now):
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
    """Join into the records ref the notes that it lost since its tip was ``since`` (None: since the first
    entry of the reflog). Returns the tip up to which nothing is lost any more; None if there is no ref.
    Raises GitError, StoreError."""
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
        since = tip  # not the restored tip: meanwhile something else may have been overwritten
    return since


def _overwritten(repository: Repository, since: str | None) -> Iterator[tuple[str, list[str]]]:
    """Yield the tips from which another program's move of the ref removed something, newest first, each with
    the commits whose notes were removed."""
    objects = repository.objects
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=RECORDS_REF)
    earlier = {entry.new: entry.old for entry in entries}
    for entry in _foreign_moves(repository, entries, since):
        parent = _first_parent(objects, entry.new)
        known_parent = parent if parent in earlier else None
        if not _follows(repository, entry):
            bases = repository.run("merge-base", entry.old, entry.new, check=False).text.split()
            base = known_parent or next(iter(bases), None)
            yield entry.old, changed_notes(objects, _tree(objects, base), _tree(objects, entry.old))
        if known_parent and (notes := _set_back(objects, known_parent, entry.new, earlier)):
            yield known_parent, notes


def _foreign_moves(
    repository: Repository, entries: Sequence[ReflogEntry], since: str | None
) -> Iterator[ReflogEntry]:
    """Yield the moves that other programs made since the tip ``since``, newest first. Stops at a move by
    git-traj that removed something: git-traj compares before it swaps, so that was intended."""
    objects = repository.objects
    for entry in reversed(entries):
        if entry.new == since:
            return
        if not objects.exists(entry.old) or not objects.exists(entry.new):
            continue  # zeros, or garbage-collected
        if not entry.message.startswith(_OURS):
            yield entry
        elif entry.message != RECORDED and not _follows(repository, entry):
            return


def _follows(repository: Repository, entry: ReflogEntry) -> bool:
    """Whether the ref moved to a descendant."""
    return entry.old == _first_parent(repository.objects, entry.new) or is_ancestor(
        repository, entry.old, entry.new
    )


def _first_parent(objects: Objects, commit: str) -> str | None:
    return next(iter(objects.commit(commit).parents), None)


def _tree(objects: Objects, commit: str | None) -> str | None:
    return objects.commit(commit).tree if commit else None


def _blobs(objects: Objects, tip: str, note: str) -> list[str]:
    return [blob for _, blob in note_paths(objects, _tree(objects, tip), note)]


def _set_back(objects: Objects, parent: str, commit: str, earlier: Mapping[str, str]) -> list[str]:
    """The notes that ``commit`` set back: it has them as they were at an ``earlier`` tip, which its writer
    had read, and not as in its ``parent``."""
    message = objects.commit(commit).message
    removes = message.startswith(_REMOVES)
    empties = message.startswith(b"Notes removed") and not removes
    changed = _changed_blobs(objects, parent, commit, removed=not removes)
    reset: list[str] = []
    for tip in _earlier_tips(objects, parent, earlier):
        same = [note for note, blobs in changed.items() if _blobs(objects, tip, note) == blobs]
        if not empties:
            reset += same
            changed = {note: blobs for note, blobs in changed.items() if note not in same}
        elif (
            len(changed) - len(same) <= 1
        ):  # only the note that its user left empty differs: this tip was read
            return same
        if not changed:
            break
    return reset


def _changed_blobs(objects: Objects, parent: str, commit: str, *, removed: bool) -> dict[str, list[str]]:
    """The notes of ``parent`` that ``commit`` changed, with their blobs in ``commit``. Notes that
    ``commit`` lacks are included only if ``removed``, which is false if they were removed on purpose."""
    changed = changed_notes(objects, _tree(objects, parent), _tree(objects, commit))
    after = {note: _blobs(objects, commit, note) for note in changed if _blobs(objects, parent, note)}
    return {note: blobs for note, blobs in after.items() if blobs or removed}


def _earlier_tips(objects: Objects, tip: str, earlier: Mapping[str, str]) -> Iterator[str]:
    """Yield ``tip`` and the tips before it, as far as this clone has them."""
    at: str | None = tip
    for _ in range(_STEPS):
        if not at or not objects.exists(at):
            return
        yield at
        at = earlier.get(at)


def _join_lost(repository: Repository, lost: str, notes: list[str], tip: str | None) -> str | None:
    objects = repository.objects
    if tip is None or not share_purges(objects, (lost, tip)):
        return lost if tip and is_purged_further(objects, lost, tip) else None
    tree, changed = join_notes(objects, objects.commit(tip).tree, objects.commit(lost).tree, notes)
    parents = [tip] if is_ancestor(repository, lost, tip) else [tip, lost]
    return objects.write_commit(tree=tree, parents=parents, message=_MESSAGE) if changed else None


def unfinished_merges(repository: Repository) -> Iterator[Path]:
    """Yield the git directories of worktrees with an unfinished ``git notes merge`` into the records ref. Its
    notes are in separate files, and its commit would restore an old history."""
    for tree in repository.worktrees():
        name = tree.git_dir / "NOTES_MERGE_REF"
        if name.is_file() and name.read_bytes().split()[-1:] == [RECORDS_REF.encode()]:
            yield tree.git_dir

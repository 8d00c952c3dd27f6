"""Restores refs that somebody deleted, and records that a writer without compare-and-swap overwrote.

``git notes add`` reads the notes, takes whatever the ref says a moment later as its commit's parent, and
moves the ref without comparing: what was written between is gone from the tree, and perhaps from the history.
The ref's reflog has it. Only that is restored: a note that a user removed stays removed, and what we purged
or forgot ourselves is not in the reflog any more.

A deleted ref has no reflog. ``git fetch`` with a refspec of all notes, forced or with ``--prune``, deletes
ours, sets them back, or puts another's in their place: each drain remembers where they were, and a purge
forgets that. A reflog that somebody emptied says that it was meant. Nothing from before a purge is restored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from gittraj.errors import GitError, StoreError, TrajError
from gittraj.git import Objects, Repository, read_reflog
from gittraj.notes.epoch import share_purges
from gittraj.notes.join_trees import join_notes, join_trees
from gittraj.notes.refs import is_broken, move_ref
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs
from gittraj.notes.tree import changed_notes, note_paths
from gittraj.notes.unpushed import RECORDED

_OURS = "git-traj: "
_MESSAGE = "git-traj: bring back what was overwritten"
_LASTS = 30
"""Seconds that one ``git notes`` may take, from its reading to its writing."""
_MOMENT = 1
"""Seconds that a removal takes."""
_NEAR = 8
"""Commits that are looked at whatever their times are: the machine may have slept meanwhile."""
_STEPS = 1000
_ROUNDS = 5
"""How often to look for what was overwritten meanwhile; the next command continues."""


def is_ancestor(repository: Repository, old: str, new: str) -> bool:
    return old == new or repository.run("merge-base", "--is-ancestor", old, new, check=False).code == 0


def read_tips(repository: Repository) -> dict[str, str]:
    """Where the records ref and the monthly refs are."""
    refs = (RECORDS_REF, *(DATA_PREFIX + month for month in DataRefs(repository).months()))
    return {ref: tip for ref in refs if (tip := repository.objects.resolve(ref))}


def find_deleted(repository: Repository, tips: Mapping[str, str]) -> dict[str, str]:
    """Of those of ``tips`` whose ref is gone, was set back, or was overwritten, the commit that is to be had
    again, and is still here."""
    return {ref: lost for ref, tip in tips.items() if (lost := _find_lost(repository, ref, tip))}


def _find_lost(repository: Repository, ref: str, tip: str) -> str | None:
    now = repository.objects.resolve(ref)
    if now == tip or (now is None and is_broken(repository, ref)):
        return None
    lost = _follow(repository, ref, tip, now) if now else tip
    if lost is None or not repository.objects.exists(lost) or (now and is_ancestor(repository, lost, now)):
        return None
    return lost if now is None or share_purges(repository.objects, (lost, now)) else None


def _follow(repository: Repository, ref: str, tip: str, now: str) -> str | None:
    """Where our own moves, and those that took nothing away, led from ``tip``; None where what is gone since
    may be meant to be."""
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=ref)
    if not entries:
        emptied = repository.run("reflog", "exists", ref, check=False).code == 0
        return tip if not emptied and is_ancestor(repository, now, tip) else None  # we set none back
    told = [at for at, entry in enumerate(entries) if tip in (entry.old, entry.new)]
    if not told:
        return None if entries[0].old.strip("0") else tip  # it was deleted since
    for entry in entries[told[-1] + (entries[told[-1]].new == tip) :]:
        if ref == RECORDS_REF and entry.message.startswith("notes: "):
            return None  # restore_lost knows what git notes had read
        ours = entry.message.startswith(_OURS)
        if entry.old == tip and (ours or is_ancestor(repository, tip, entry.new)):
            tip = entry.new
    return tip


def restore_deleted(repository: Repository, tips: Mapping[str, str]) -> dict[str, TrajError | None]:
    """Point the refs that are gone or set back to where they were, and join in what others lost; returns
    them, with what kept each from that."""
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
    if now is None or is_ancestor(repository, now, lost):
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
        for base, overwritten in lost:
            _restore(repository, base, overwritten)
        since = tip  # not what was restored: meanwhile something else may have been overwritten
    return since


def _overwritten(repository: Repository, since: str | None) -> Iterator[tuple[str | None, str]]:
    """Tips that somebody else's move took something from, newest first, each with the commit that this one
    had read: what lies between the two is lost."""
    objects = repository.objects
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=RECORDS_REF)
    earlier = {entry.new: entry.old for entry in entries}
    for entry in reversed(entries):
        if entry.new == since:
            return
        if not objects.exists(entry.old) or not objects.exists(entry.new):
            continue  # zeros, or collected as garbage
        parents = objects.commit(entry.new).parents
        follows = entry.old in parents or is_ancestor(repository, entry.old, entry.new)
        if entry.message.startswith(_OURS):
            if not follows and entry.message != RECORDED:
                return  # we compare before we swap: what is gone here was meant to go
            continue
        base = _read_by(objects, entry.new, earlier) if parents else None
        if follows and base == parents[0]:
            continue
        if base is None or (base not in earlier and not is_ancestor(repository, base, entry.old)):
            found = repository.run("merge-base", entry.old, entry.new, check=False).out.decode().split()
            base = found[0] if found else None
        yield base, entry.old


def _read_by(objects: Objects, commit: str, earlier: Mapping[str, str]) -> str:
    """The commit whose notes the writer of ``commit`` had read: its parent, unless one where the ref was
    ``earlier``, in the last seconds, explains what it wrote by fewer changes."""
    info = objects.commit(commit)
    best = at = info.parents[0]
    fewest = _changes(objects, at, info.tree)
    # who adds or removes a note changed one; who adds the same note once more changed none
    removes = info.message.startswith(b"Notes removed")
    least = 1 if removes or _is_new(objects, at, fewest) else 0
    for step in range(_STEPS):
        last = objects.commit(at)
        lasted = info.time - last.time
        # one removal takes several notes, which looks as if some had been written meanwhile
        old = lasted > _MOMENT if removes else lasted > _LASTS and step >= _NEAR
        before = _before(objects, at, earlier)
        if len(fewest) <= least or before is None or old:
            break
        at = before
        if len(fewest) == 1 and not _same(objects, at, info.tree, fewest[0]):
            continue  # a look at one note, where all would be compared
        changes = _changes(objects, at, info.tree)
        if len(changes) < len(fewest):
            best, fewest = at, changes
    return best


def _before(objects: Objects, at: str, earlier: Mapping[str, str]) -> str | None:
    """Where the ref was before ``at``, which need not be its parent: one that was not pushed is replaced."""
    parents = objects.commit(at).parents
    logged = earlier.get(at)
    if logged and objects.exists(logged):
        return logged
    return parents[0] if parents else None


def _is_new(objects: Objects, commit: str, notes: list[str]) -> bool:
    """Whether it is one note, which is not in ``commit``: nobody's was overwritten."""
    return len(notes) == 1 and not note_paths(objects, objects.commit(commit).tree, notes[0])


def _changes(objects: Objects, commit: str, tree: str) -> list[str]:
    return changed_notes(objects, objects.commit(commit).tree, tree)


def _same(objects: Objects, commit: str, tree: str, note: str) -> bool:
    roots = (objects.commit(commit).tree, tree)
    before, after = ([blob for _, blob in note_paths(objects, root, note)] for root in roots)
    return before == after


def _restore(repository: Repository, base: str | None, lost: str) -> None:
    objects = repository.objects
    before, theirs = objects.commit(base).tree if base else None, objects.commit(lost).tree

    def build(tip: str | None) -> str | None:
        if tip is None or not share_purges(objects, (lost, tip)):
            return None
        ours = objects.commit(tip).tree
        tree, changed = join_notes(objects, ours, theirs, changed_notes(objects, before, theirs))
        parents = [tip] if is_ancestor(repository, lost, tip) else [tip, lost]
        return objects.write_commit(tree=tree, parents=parents, message=_MESSAGE) if changed else None

    move_ref(repository, RECORDS_REF, build, message=_MESSAGE)


def unfinished_merges(repository: Repository) -> Iterator[Path]:
    """The git folders of the worktrees in which a ``git notes merge`` into our records was not finished: it
    has notes in files of its own, and its commit would bring an old history back."""
    for tree in repository.worktrees():
        name = tree.git_dir / "NOTES_MERGE_REF"
        if name.is_file() and name.read_bytes().split()[-1:] == [RECORDS_REF.encode()]:
            yield tree.git_dir

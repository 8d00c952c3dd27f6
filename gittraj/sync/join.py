"""Merges a remote's refs into ours: notes by the union of their lines, segments by name.

The merge commit has both tips as parents, so that a push is a fast-forward and needs no force. After a purge
``gittraj.sync.purge_merge`` merges instead.
"""

from __future__ import annotations

from collections.abc import Callable

from gittraj.git import Objects, Repository
from gittraj.notes.epoch import FILE, may_be_purged, read_epoch
from gittraj.notes.join_trees import add_foreign, find_bounded, join_notes, join_trees
from gittraj.notes.recovery import is_ancestor
from gittraj.notes.refs import move_ref
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF
from gittraj.notes.tree import changed_notes
from gittraj.sync.purge_merge import is_purge_applied, merge_purged_records, merge_purged_segments

_MESSAGE = "git-traj: join {}"


def join_records(
    repository: Repository, theirs: str, name: str, *, tell: Callable[[str], object] = lambda _: None
) -> int:
    """Merge the records at commit ``theirs``, of the remote ``name``, into ours; return how many of our notes
    changed. Notes that are too large to be read are not merged: ``tell`` is called with a remark. Raises
    GitError, StoreError."""
    objects = repository.objects
    changed = 0
    if may_be_purged(objects, _tips(objects, RECORDS_REF, theirs)):
        return merge_purged_records(repository, theirs, message=_MESSAGE.format(name))

    def build(ours: str | None) -> str | None:
        nonlocal changed
        root = objects.commit(theirs).tree
        before = objects.commit(ours).tree if ours else None
        commits, over = find_bounded(objects, root, changed_notes(objects, before, root))
        if over:
            tell(f"{name}: {len(over)} commits' notes are too large, and stay there ({over[0][:7]} first)")
        if ours is None or before is None:
            changed = len(commits)
            if not over:
                return theirs
            tree, _ = join_notes(objects, None, root, commits)
            return objects.write_commit(tree=tree, parents=[theirs], message=_MESSAGE.format(name))
        known = is_ancestor(repository, theirs, ours)
        # even if known: a note removed by hand comes back, since only a tombstone deletes
        tree, changed = join_notes(objects, before, root, commits)
        if known and not changed:
            return None
        return _commit(repository, add_foreign(objects, tree, root), ours, theirs, name)

    move_ref(repository, RECORDS_REF, build, message=_MESSAGE.format(name))
    return changed


def join_segments(repository: Repository, month: str, theirs: str, name: str) -> None:
    """Merge the segments of ``month`` at commit ``theirs`` into ours. A month that was retired there replaces
    ours. Raises GitError, StoreError."""
    ref = DATA_PREFIX + month
    objects = repository.objects
    tips = _tips(objects, ref, theirs)
    if not is_retired(objects, theirs) and (
        may_be_purged(objects, tips) or not all(is_purge_applied(repository, month, tip) for tip in tips)
    ):
        merge_purged_segments(repository, month, theirs, message=_MESSAGE.format(name))
        return

    def build(ours: str | None) -> str | None:
        if ours is None:
            objects.commit(theirs)  # raises if it is not a commit
            return theirs
        if is_ancestor(repository, theirs, ours):
            return None
        before, root = objects.commit(ours).tree, objects.commit(theirs).tree
        if is_ancestor(repository, ours, theirs) or is_retired(objects, theirs):
            return theirs
        return _commit(repository, join_trees(objects, before, root), ours, theirs, name)

    move_ref(repository, ref, build, message=_MESSAGE.format(name))


def _tips(objects: Objects, ref: str, theirs: str) -> list[str]:
    ours = objects.resolve(ref)
    return [theirs, ours] if ours else [theirs]


def is_retired(objects: Objects, tip: str) -> bool:
    """Whether a month was retired: its tree has only an epoch file, which does not list anything purged."""
    if [entry.name for entry in objects.read_tree(objects.commit(tip).tree)] != [FILE]:
        return False
    epoch = read_epoch(objects, tip)
    return not (epoch.segments or epoch.forgotten)


def _commit(repository: Repository, tree: str, ours: str, theirs: str, name: str) -> str:
    objects = repository.objects
    if tree == objects.commit(theirs).tree and is_ancestor(repository, ours, theirs):
        return theirs  # nothing of ours is missing there
    return objects.write_commit(tree=tree, parents=[ours, theirs], message=_MESSAGE.format(name))

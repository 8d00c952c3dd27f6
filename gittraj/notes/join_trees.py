"""Merges two trees of notes: each note is the union of its lines, and other files are kept.

A note that only one side has stays, since only a tombstone deletes. It must not know where the trees come
from.
"""

from __future__ import annotations

from collections.abc import Iterable

from gittraj import limits
from gittraj.errors import StoreError
from gittraj.git import Entry, Objects
from gittraj.notes.merge import merge_notes
from gittraj.notes.tree import TreePath, note_paths, note_place, update_paths


def find_bounded(objects: Objects, theirs: str, commits: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split ``commits`` into those whose notes in ``theirs`` are small enough to be read, and the others."""
    bounded: list[str] = []
    over: list[str] = []
    left = limits.NOTES
    for commit in commits:
        blobs = [blob for _, blob in note_paths(objects, theirs, commit)]
        large = [blob for blob in blobs if not objects.fits(blob, limits.NOTES_EACH)]
        if all(objects.fits(blob, min(left, limits.NOTE)) for blob in large):
            left -= sum(len(objects.read_blob(blob)) for blob in large)
            bounded.append(commit)
        else:
            over.append(commit)
    return bounded, over


def join_notes(objects: Objects, ours: str | None, theirs: str, commits: Iterable[str]) -> tuple[str, int]:
    """Return the tree ``ours`` (None: empty) with the notes of ``commits`` in ``theirs`` merged in, and how
    many notes that changed. Raises GitError when a note on both sides is missing here."""
    paths: dict[TreePath, str | None] = {}
    changed = 0
    for commit in commits:
        edit = _join(objects, ours, theirs, commit)
        paths.update(edit)
        changed += bool(edit)
    return (update_paths(objects, ours, paths) if paths or ours is None else ours), changed


def _join(objects: Objects, ours: str | None, theirs: str, commit: str) -> dict[TreePath, str | None]:
    here, there = (note_paths(objects, root, commit) for root in (ours, theirs))
    place = note_place(objects, ours, commit)
    if not here and len(there) == 1:
        return {place: there[0][1]}  # without reading it, which would make a partial clone fetch it
    old, new = ([objects.read_blob(blob) for _, blob in side] for side in (here, there))
    if len(old) == len(new) == 1:
        lines = [set(body.splitlines()) for body in (*old, *new)]
        if lines[1] <= lines[0]:
            return {}
        if lines[0] < lines[1]:  # the usual case: only one side has written
            return {**{path: None for path, _ in here}, place: there[0][1]}
    body = merge_notes(commit, *old, *new)
    if not body or old == [body]:
        return {}
    return {**{path: None for path, _ in here}, place: objects.write_blob(body)}


def add_foreign(objects: Objects, ours: str, theirs: str) -> str:
    """Return the notes tree ``ours`` with the root entries of ``theirs`` that are not notes and are only
    there. Raises StoreError."""
    here = objects.read_tree(ours)
    names = {entry.name for entry in here}
    foreign = [e for e in objects.read_tree(theirs) if e.name not in names and not _is_ours(e.name)]
    return _write(objects, [*here, *foreign]) if foreign else ours


def join_trees(objects: Objects, ours: str, theirs: str) -> str:
    """Return the union of two trees of segments: equal names are equal files, as a name contains the hash.
    Raises StoreError."""
    if ours == theirs:
        return ours
    entries = {entry.name: entry for entry in objects.read_tree(theirs)}
    for entry in objects.read_tree(ours):
        other = entries.get(entry.name)
        both = other is not None and other.is_tree and entry.is_tree
        entries[entry.name] = (
            entry._replace(oid=join_trees(objects, entry.oid, other.oid)) if both and other else entry
        )
    return _write(objects, list(entries.values()))


def _is_ours(name: bytes) -> bool:
    """Whether notes may have this name at the root: an entry of it that was not joined is not a note."""
    return len(name) in (2, 40, 64) and frozenset(b"0123456789abcdef").issuperset(name)


def _write(objects: Objects, entries: list[Entry]) -> str:
    try:
        return objects.write_tree(entries)
    except ValueError as error:  # a remote may have anything
        raise StoreError(f"it cannot be joined: {error}") from None

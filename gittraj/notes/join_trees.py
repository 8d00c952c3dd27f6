"""Merges two trees of notes: each note becomes the union of its lines, and other files are kept.

A note that only one side has is kept, because only a tombstone deletes. This module must not know where the
trees come from.
"""

from __future__ import annotations

from collections.abc import Iterable

from gittraj import limits
from gittraj.errors import StoreError
from gittraj.git import Entry, Objects
from gittraj.notes.merge import merge_notes
from gittraj.notes.tree import TreePath, note_paths, replace_note, update_paths


def find_bounded(objects: Objects, theirs: str, commits: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split ``commits`` into those whose notes in ``theirs`` are small enough to be read, and the others."""
    bounded: list[str] = []
    over: list[str] = []
    left = limits.NOTES  # bytes of all notes together; those of up to NOTES_EACH bytes do not count
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
    many notes were changed. Raises GitError if a note that has to be merged is not in this clone."""
    paths: dict[TreePath, str | None] = {}
    changed = 0
    for commit in commits:
        edit = _join(objects, ours, theirs, commit)
        paths.update(edit)
        changed += bool(edit)
    return (update_paths(objects, ours, paths) if paths or ours is None else ours), changed


def _join(objects: Objects, ours: str | None, theirs: str, commit: str) -> dict[TreePath, str | None]:
    """The paths to change in ``ours`` so that the note of ``commit`` also has the lines in ``theirs``."""
    here, there = (note_paths(objects, root, commit) for root in (ours, theirs))
    if not here and len(there) == 1:
        # without reading it, which would make a partial clone fetch it
        return replace_note(objects, ours, commit, there[0][1], known=here)
    old, new = ([objects.read_blob(blob) for _, blob in side] for side in (here, there))
    body = _merge(commit, old, new)
    if not body or old == [body]:
        return {}
    blob = there[0][1] if new == [body] else objects.write_blob(body)
    return replace_note(objects, ours, commit, blob, known=here)


def _merge(commit: str, old: list[bytes], new: list[bytes]) -> bytes:
    """Merge the bodies of one commit's note. In the usual case only one side has written."""
    if len(old) == len(new) == 1:
        old_lines, new_lines = (set(body.splitlines()) for body in (*old, *new))
        if new_lines <= old_lines:
            return old[0]
        if old_lines < new_lines:
            return new[0]
    return merge_notes(commit, *old, *new)


def add_foreign(objects: Objects, ours: str, theirs: str) -> str:
    """Return the notes tree ``ours`` with the entries that are not notes at the root of ``theirs``, unless
    ``ours`` has an entry with the same name. Raises StoreError."""
    here = objects.read_tree(ours)
    names = {entry.name for entry in here}
    foreign = [e for e in objects.read_tree(theirs) if e.name not in names and not _is_note_name(e.name)]
    return _write(objects, [*here, *foreign]) if foreign else ours


def join_trees(objects: Objects, ours: str, theirs: str) -> str:
    """Return the union of two trees of segments, in which equal names mean equal files: each name contains
    the file's hash. Raises StoreError."""
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


def _is_note_name(name: bytes) -> bool:
    """Whether a note or a folder of notes may have this name at the root of a notes tree."""
    return len(name) in (2, 40, 64) and frozenset(b"0123456789abcdef").issuperset(name)


def _write(objects: Objects, entries: list[Entry]) -> str:
    try:
        return objects.write_tree(entries)
    except ValueError as error:  # a remote may have anything
        raise StoreError(f"a remote's notes or segments cannot be joined: {error}") from None

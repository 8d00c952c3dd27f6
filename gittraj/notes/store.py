"""Reads and writes the records ref and the monthly data refs.

Every write is a batch: one commit on the ref, moved by compare-and-swap and tried again on the newer tip
when somebody else was faster. ``git notes add`` and libgit2's ``create_note`` move the ref without
comparing and lose three notes of four when eight processes write at once. It must not know what a note or a
segment says.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gittraj.errors import StoreError
from gittraj.git import Repository, is_oid
from gittraj.notes.tree import TreePath, changed_notes, iter_notes, note_paths, note_place, update_paths

RECORDS_REF = "refs/notes/traj"
DATA_PREFIX = "refs/notes/traj-data-"

_PATIENCE = 10.0  # seconds of trying before a write gives up
_STALE = 3.0  # seconds
_MONTH = re.compile(r"\d{4}-\d{2}")

Edit = Callable[[bytes], bytes]


def move_ref(
    repository: Repository, ref: str, build: Callable[[str | None], str | None], *, message: str
) -> str | None:
    """Point ``ref`` to the commit that ``build`` makes on its tip (None: no ref yet); return that commit.

    ``build`` runs again on the new tip whenever somebody else moved the ref meanwhile; when it returns
    None, nothing is to be done. Raises StoreError when the ref could not be moved for ten seconds.
    """
    objects = repository.objects
    end = time.monotonic() + _PATIENCE
    growth = 1.0
    while True:
        old = objects.resolve(ref)
        new = build(old)
        if new is None or objects.swap_ref(ref, new=new, old=old, message=message):
            return new
        if time.monotonic() > end:
            raise _stuck(repository, ref)
        _break_stale_lock(repository, ref)
        time.sleep(random.uniform(0.001, 0.008) * growth)  # noqa: S311 - jitter keeps the writers apart, no secret
        growth = min(growth * 1.2, 10.0)


def _break_stale_lock(repository: Repository, ref: str) -> None:
    """A writer that was killed leaves its lock, and git never takes it away. Whoever writes a ref holds it
    for milliseconds."""
    lock = repository.common_dir / f"{ref}.lock"
    try:
        if time.time() - lock.stat().st_mtime > _STALE:
            lock.unlink()
    except OSError:
        pass  # there is none, or it is gone just now


@dataclass(frozen=True, slots=True)
class NotesRef:
    """The notes of one ref, keyed by commit: ours, or a remote's copy to read (``refs/notes-remote/…``)."""

    repository: Repository
    ref: str = RECORDS_REF

    def tip(self) -> str | None:
        return self.repository.objects.resolve(self.ref)

    def read(self, commit: str) -> bytes | None:
        """The note of ``commit``, joined if it stands at several depths. Raises GitError without its blob."""
        objects = self.repository.objects
        found = note_paths(objects, self._root(self.tip()), commit)
        return _join([objects.read_blob(blob) for _, blob in found]) if found else None

    def items(self, tip: str | None = None) -> Iterator[tuple[str, bytes]]:
        """Every (commit, note) at ``tip`` (None: now), in one pass.

        Entries that are no notes are passed over, and so is a note whose blob is not here (a partial clone).
        """
        objects = self.repository.objects
        notes: dict[str, list[str]] = {}
        for commit, blob in iter_notes(objects, self._root(tip or self.tip())):
            notes.setdefault(commit, []).append(blob)
        bodies = objects.read_blobs(blob for blobs in notes.values() for blob in blobs)
        for commit, blobs in notes.items():
            here = [body for _ in blobs if (body := next(bodies)) is not None]
            if here:
                yield commit, _join(here)

    def changed(self, old_tip: str | None, new_tip: str | None) -> Iterator[str]:
        """The commits whose note differs between two tips (None: no notes), whichever is the older."""
        yield from changed_notes(self.repository.objects, self._root(old_tip), self._root(new_tip))

    def write(self, changes: Mapping[str, Edit], *, message: str) -> str | None:
        """Change the notes of many commits in one notes commit; return it, or None when nothing changed.

        Each function gets the commit's present note (``b""``: none) and returns the new one (``b""``:
        remove). It is called again when somebody else wrote meanwhile, so it must depend on nothing but its
        argument. Raises StoreError; then nothing was written.
        """

        def build(tip: str | None) -> str | None:
            objects = self.repository.objects
            root = self._root(tip)
            paths: dict[TreePath, str | None] = {}
            for commit, edit in changes.items():
                paths.update(self._edit(root, commit, edit))
            if not paths:
                return None
            tree = update_paths(objects, root, paths)
            return objects.write_commit(tree=tree, parents=[tip] if tip else [], message=message)

        return move_ref(self.repository, self.ref, build, message=message)

    def _edit(self, root: str | None, commit: str, edit: Edit) -> dict[TreePath, str | None]:
        """The paths to change for one commit: written in the fixed 2/38 (2/62) fan-out, gone at other depths.

        git's own fan-out adapts: around 50,000 notes it rewrites tens of thousands of trees at once.
        """
        if not is_oid(commit):
            raise StoreError(f"{commit!r} is no object id, so it can have no note")
        objects = self.repository.objects
        found = note_paths(objects, root, commit)
        old = _join([objects.read_blob(blob) for _, blob in found])
        new = edit(old)
        if new == old:
            return {}
        paths: dict[TreePath, str | None] = {path: None for path, _ in found}
        if new:
            paths[note_place(objects, root, commit)] = objects.write_blob(new)
        return paths

    def _root(self, tip: str | None) -> str | None:
        return self.repository.objects.commit(tip).tree if tip else None


@dataclass(frozen=True, slots=True)
class DataRefs:
    """The monthly refs that hold segments: add-only trees of files that never change."""

    repository: Repository
    prefix: str = DATA_PREFIX

    def months(self) -> tuple[str, ...]:
        """The months (``2026-11``) that have a ref, oldest first."""
        listed = self.repository.run("for-each-ref", "--format=%(refname)", f"{self.prefix}*").out.decode()
        names = (line.removeprefix(self.prefix) for line in listed.splitlines())
        return tuple(sorted(name for name in names if _MONTH.fullmatch(name)))

    def read(self, month: str, path: str) -> bytes | None:
        """The file at ``path``, None when the month or the path is not here."""
        objects = self.repository.objects
        tip = objects.resolve(self.prefix + month)
        blob = self._find(objects.commit(tip).tree, _parts(path)) if tip else None
        return objects.read_blob(blob) if blob else None

    def write(self, month: str, files: Mapping[str, bytes]) -> None:
        """Add ``files`` (path: content) in one commit; a path that is there already is left alone.

        Raises StoreError; then nothing was written.
        """
        if not _MONTH.fullmatch(month):
            raise StoreError(f"{month!r} is no month: expected YYYY-MM")
        message = f"git-traj: add {len(files)} segment{'' if len(files) == 1 else 's'}"

        def build(tip: str | None) -> str | None:
            objects = self.repository.objects
            root = objects.commit(tip).tree if tip else None
            new = {_parts(path): data for path, data in files.items()}
            missing = {path: data for path, data in new.items() if not root or not self._find(root, path)}
            if not missing:
                return None
            tree = update_paths(objects, root, {p: objects.write_blob(data) for p, data in missing.items()})
            return objects.write_commit(tree=tree, parents=[tip] if tip else [], message=message)

        move_ref(self.repository, self.prefix + month, build, message=message)

    def _find(self, root: str, path: TreePath) -> str | None:
        """The blob at ``path`` below the tree ``root``."""
        oid: str | None = root
        for depth, name in enumerate(path, 1):
            entries = self.repository.objects.read_tree(oid) if oid else ()
            last = depth == len(path)
            oid = next((e.oid for e in entries if e.name == name and e.is_tree != last), None)
        return oid


def _parts(path: str) -> TreePath:
    return tuple(path.encode("utf-8", "surrogateescape").split(b"/"))


def _join(bodies: list[bytes]) -> bytes:
    if len(bodies) == 1:
        return bodies[0]
    return b"".join(body if body.endswith(b"\n") else body + b"\n" for body in bodies)


def _stuck(repository: Repository, ref: str) -> StoreError:
    lock = repository.common_dir / f"{ref}.lock"
    hint = f"if no git process runs, remove {lock}" if lock.exists() else "try again in a moment"
    return StoreError(f"{ref} could not be moved for {_PATIENCE:g} seconds", hint=hint)

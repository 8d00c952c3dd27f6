"""Reads and writes the records ref and the monthly data refs.

Every write is a batch: one commit, to which ``refs.move_ref`` moves the ref. This module must not know what
is in a note or a segment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial

from gittraj import limits
from gittraj.errors import GitError, StoreError
from gittraj.frozen import dataclass
from gittraj.git import Repository, is_oid
from gittraj.notes.refs import expire_reflog, move_ref
from gittraj.notes.tree import (
    TreePath,
    changed_notes,
    find_file,
    iter_notes,
    iter_segments,
    note_paths,
    replace_note,
    update_paths,
)
from gittraj.notes.unpushed import RECORDED, add_commit, newest_without

RECORDS_REF = "refs/notes/traj"
DATA_PREFIX = "refs/notes/traj-data-"

_REWRITTEN = "git-traj: rewrite"
MONTH = re.compile(r"\d{4}-\d{2}")

Edit = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class NotesRef:
    """The notes of one ref, keyed by commit: of git-traj's own ref, or of a copy of a remote's ref, which is
    only read (``refs/notes-remote/…``)."""

    repository: Repository
    ref: str = RECORDS_REF

    def tip(self) -> str | None:
        return self.repository.objects.resolve(self.ref)

    def read(self, commit: str, tip: str | None = None) -> bytes | None:
        """The note of ``commit`` at ``tip`` (None: now), joined if it is stored at several depths.

        Raises GitError if its blob is missing.
        """
        return self.reader(tip or self.tip())(commit)

    def reader(self, tip: str | None) -> Callable[[str], bytes | None]:
        """Like ``read``, for many commits: the ref's own commit is read once."""
        objects = self.repository.objects
        root = self._root(tip)

        def read(commit: str) -> bytes | None:
            paths = note_paths(objects, root, commit)
            return _join([self._read_blob(commit, blob) for _, blob in paths]) if paths else None

        return read

    def _read_blob(self, commit: str, blob: str) -> bytes:
        """Read a blob of the commit's note. Raises GitError if it is missing, or too large."""
        objects, short = self.repository.objects, commit[:12]
        note = objects.read(blob, limits.NOTE)
        if note is not None:
            return note[1]
        hint = "git traj doctor says what to do"
        if objects.fits(blob, limits.NOTE):
            raise GitError(f"the note of {short} in {self.ref} is missing or damaged", hint)
        if self.ref == RECORDS_REF:
            hint = f"git notes --ref=traj remove {short} deletes it"
        each = limits.NOTE >> 20
        raise GitError(f"the note of {short} in {self.ref} is not read, being larger than {each} MB", hint)

    def has(self, commits: Iterable[str]) -> list[str]:
        """Those of ``commits`` that have a note, whether or not it can be read."""
        objects, root = self.repository.objects, self._root(self.tip())
        return [commit for commit in commits if note_paths(objects, root, commit)]

    def pick(
        self,
        commits: Iterable[str],
        *,
        most: int = limits.NOTES,
        each: int = limits.NOTES_EACH,
        over: list[str] | None = None,
    ) -> Iterator[tuple[str, bytes]]:
        """Yield (commit, note) for those of ``commits`` that have a note; no other note is read.

        A note whose blob is missing is skipped, as in ``items``, and so are all notes after ``most`` bytes,
        in which the first ``each`` bytes of a note do not count. The commits of notes over these limits are
        added to ``over``.
        """
        objects, root = self.repository.objects, self._root(self.tip())
        blobs_of = ((commit, [blob for _, blob in note_paths(objects, root, commit)]) for commit in commits)
        return self._read_bounded(blobs_of, most, each=each, over=over)

    def items(self, tip: str | None = None, *, over: list[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield every (commit, note) at ``tip`` (None: now), in one pass.

        Entries that are not notes are skipped, and so is a note whose blob is missing (a partial clone) or
        larger than a note may be, and all notes after the limit for all notes. The commits of notes over
        these limits are added to ``over``.
        """
        objects = self.repository.objects
        notes: dict[str, list[str]] = {}
        for commit, blob in iter_notes(objects, self._root(tip or self.tip())):
            notes.setdefault(commit, []).append(blob)
        most = limits.NOTES + limits.NOTES_EACH * len(notes)
        return self._read_bounded(iter(notes.items()), most, each=0, over=over)

    def _read_bounded(
        self, blobs_of: Iterator[tuple[str, list[str]]], most: int, *, each: int, over: list[str] | None
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the notes of commits, given with their blobs, within the limits that ``pick`` describes."""
        over = [] if over is None else over
        for commit, blobs in blobs_of:
            bodies = [b for b in self.repository.objects.read_blobs(blobs, limits.NOTE) if b is not None]
            most -= max(sum(map(len, bodies)) - each, 0)
            if most < 0:
                over += [commit, *(other for other, blobs in blobs_of if blobs)]
                return
            if len(bodies) < len(blobs) and not self._all_fit(blobs):
                over.append(commit)
            if bodies:
                yield commit, _join(bodies)

    def is_large(self, commit: str, tip: str) -> bool:
        """Whether the note is too large to be read."""
        return not self._all_fit(
            blob for _, blob in note_paths(self.repository.objects, self._root(tip), commit)
        )

    def _all_fit(self, blobs: Iterable[str]) -> bool:
        return all(self.repository.objects.fits(blob, limits.NOTE) for blob in blobs)

    def changed(self, old_tip: str | None, new_tip: str | None) -> Iterator[str]:
        """Yield the commits whose note differs between two tips (None: no notes), in either order."""
        yield from changed_notes(self.repository.objects, self._root(old_tip), self._root(new_tip))

    def write(
        self, changes: Mapping[str, Edit], *, message: str | None = None, forget: Collection[bytes] = ()
    ) -> str | None:
        """Change the notes of many commits in one notes commit; return it, or None when nothing changed.

        With a ``message`` it is a separate commit, else one with everything that was not pushed yet. Each
        function gets the commit's present note (``b""``: none) and returns the new one (``b""``:
        remove). It is called again when another process wrote meanwhile, so it must only depend on its
        argument. The ref's history is kept, except commits in which one of these notes contains a word of
        ``forget``. Raises StoreError; then nothing was written.
        """
        reason = message or (_REWRITTEN if forget else RECORDED)
        build = partial(self._commit_changes, changes, reason, forget)
        moved = move_ref(self.repository, self.ref, build, message=reason)
        if forget:
            expire_reflog(self.repository, self.ref)
        return moved

    def _commit_changes(
        self, changes: Mapping[str, Edit], reason: str, forget: Collection[bytes], tip: str | None
    ) -> str | None:
        """Write the commit that changes notes at ``tip``; None if nothing changes. The last commit is amended
        only if the ``reason`` is ``RECORDED``."""
        objects, root = self.repository.objects, self._root(tip)
        edits = {commit: self._edit(root, commit, edit) for commit, edit in changes.items()}
        paths = {path: blob for edit in edits.values() for path, blob in edit.items()}
        if not paths:
            return None
        tree = update_paths(objects, root, paths)
        if reason == RECORDED:
            changed = [commit for commit, edit in edits.items() if edit]
            count = partial(self._count_same, changed, root)
            return add_commit(self.repository, self.ref, tip, tree, noun="commit", count=count)
        parents = [tip] if tip else []
        if forget:
            parents = newest_without(objects, tip, partial(self._contain, changes, forget))
        return objects.write_commit(tree=tree, parents=parents, message=reason)

    def _contain(self, commits: Iterable[str], words: Iterable[bytes], root: str) -> bool:
        """Whether in the tree ``root`` a note of one of the ``commits`` contains one of the ``words``."""
        objects = self.repository.objects
        blobs = (blob for commit in commits for _, blob in note_paths(objects, root, commit))
        bodies = objects.read_blobs(blobs, limits.NOTE)
        return any(word in body for body in bodies if body for word in words)

    def _count_same(self, commits: Iterable[str], root: str | None, base: str | None) -> int:
        """The number of ``commits`` whose note is the same in the trees ``root`` and ``base``."""
        objects = self.repository.objects
        return sum(note_paths(objects, base, c) == note_paths(objects, root, c) for c in commits)

    def _edit(self, root: str | None, commit: str, edit: Edit) -> dict[TreePath, str | None]:
        """The paths to change for one commit."""
        if not is_oid(commit):
            raise StoreError(f"{commit!r} is not an object id, so it cannot have a note")
        objects = self.repository.objects
        known = note_paths(objects, root, commit)
        old = _join([self._read_blob(commit, blob) for _, blob in known])
        new = edit(old)
        if new == old:
            return {}
        return replace_note(objects, root, commit, objects.write_blob(new) if new else None, known=known)

    def _root(self, tip: str | None) -> str | None:
        return self.repository.objects.commit(tip).tree if tip else None


@dataclass(frozen=True, slots=True)
class DataRefs:
    """The monthly refs, whose trees contain the segments: files that never change once they are added."""

    repository: Repository
    prefix: str = DATA_PREFIX

    def months(self) -> tuple[str, ...]:
        """The months (``2026-11``) that have a ref, oldest first."""
        listed = self.repository.run("for-each-ref", "--format=%(refname)", f"{self.prefix}*").text
        names = (line.removeprefix(self.prefix) for line in listed.splitlines())
        return tuple(sorted(name for name in names if MONTH.fullmatch(name)))

    def read(self, month: str, path: str) -> bytes | None:
        """Read the file at ``path``; None when the month or the path is missing, or the file is too large."""
        if not MONTH.fullmatch(month):
            return None  # the name is from a record, which anyone may have written
        objects = self.repository.objects
        tip = objects.resolve(self.prefix + month)
        blob = find_file(objects, objects.commit(tip).tree, _parts(path)) if tip else None
        return next(objects.read_blobs([blob], limits.SEGMENT)) if blob else None

    def blobs(self, month: str) -> Iterator[tuple[str, str]]:
        """Yield every path at which a segment may be, with the id of its blob."""
        objects = self.repository.objects
        tip = objects.resolve(self.prefix + month)
        if tip is not None:
            yield from iter_segments(objects, objects.commit(tip).tree)

    def write(self, month: str, files: Mapping[str, bytes]) -> None:
        """Add ``files`` (path: content) in one commit; a path that exists already is left alone. Raises
        StoreError; then nothing was written."""
        self.add(month, {path: self.repository.objects.write_blob(data) for path, data in files.items()})

    def add(self, month: str, blobs: Mapping[str, str]) -> None:
        """Like ``write``, for blobs that are already written (path: id)."""
        if not MONTH.fullmatch(month):
            raise StoreError(f"{month!r} is not a month: expected YYYY-MM")
        ref = self.prefix + month

        def build(tip: str | None) -> str | None:
            objects = self.repository.objects
            root = objects.commit(tip).tree if tip else None
            new = {_parts(path): blob for path, blob in blobs.items()}
            missing = {
                path: blob for path, blob in new.items() if not root or not find_file(objects, root, path)
            }
            if not missing:
                return None
            tree = update_paths(objects, root, dict(missing))
            return add_commit(self.repository, ref, tip, tree, noun="segment", count=lambda _: len(missing))

        move_ref(self.repository, ref, build, message=RECORDED)

    def forget(self, month: str, paths: Collection[str]) -> None:
        """Remove files that were never pushed, and the history that had them. Raises StoreError."""
        objects = self.repository.objects
        removed = [_parts(path) for path in paths]

        def has_any(root: str) -> bool:
            return any(find_file(objects, root, path) for path in removed)

        def build(tip: str | None) -> str | None:
            root = objects.commit(tip).tree if tip else None
            if root is None or not has_any(root):
                return None
            tree = update_paths(objects, root, dict.fromkeys(removed))
            parents = newest_without(objects, tip, has_any)
            return objects.write_commit(tree=tree, parents=parents, message=_REWRITTEN)

        move_ref(self.repository, self.prefix + month, build, message=_REWRITTEN)
        expire_reflog(self.repository, self.prefix + month)


def _parts(path: str) -> TreePath:
    return tuple(path.encode("utf-8", "surrogateescape").split(b"/"))


def _join(bodies: list[bytes]) -> bytes:
    if len(bodies) == 1:
        return bodies[0]
    return b"".join(body if body.endswith(b"\n") else body + b"\n" for body in bodies)

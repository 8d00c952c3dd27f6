"""Reads the copies of remotes' records (``refs/notes-remote/NAME/traj``), and decides which are shown.

Anyone can push to a fork that somebody fetches. So a remote's records change nothing about the clone's own:
of a part that both have, only the clone's own record is shown; what was withdrawn or purged here is not
shown; and a remote's tombstones only apply to its own records. This module writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from gittraj import limits
from gittraj.errors import StoreError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import Line, Record, Tombstone
from gittraj.notes.epoch import Epoch, read_epoch
from gittraj.notes.merge import deletes
from gittraj.notes.store import RECORDS_REF, NotesRef
from gittraj.notes.tree import changed_notes, note_paths
from gittraj.notes.unjoined import COPIES


def read_remote(
    repository: Repository, name: str, tip: str, *, commits: Collection[str] | None = None
) -> tuple[dict[str, bytes], int, list[str]]:
    """Read the notes of the remote ``name`` at ``tip`` that differ from the clone's own, for ``commits``
    (None: for all). Also returns how many notes are over the limit and not read, and the commits of those
    that are too large. Raises GitError."""
    objects = repository.objects
    own_tip, theirs = objects.resolve(RECORDS_REF), objects.commit(tip).tree
    ours = objects.commit(own_tip).tree if own_tip else None
    if commits is None:
        commits = changed_notes(objects, ours, theirs)
    paths = ((c, note_paths(objects, theirs, c), note_paths(objects, ours, c)) for c in commits)
    changed = [c for c, new, here in paths if new and {b for _, b in new} != {b for _, b in here}]
    most, large = limits.REMOTE_COMMITS, list[str]()
    there = NotesRef(repository, f"{COPIES}{name}/traj")
    return dict(there.pick(changed[:most], over=large)), max(len(changed) - most, 0), large


@dataclass(frozen=True, slots=True)
class Ours:
    """The data of this clone that decides what is shown of a remote: its own notes, the ``forgotten``
    trajectories, and what was purged (None: unknown)."""

    notes: NotesRef
    tip: str | None
    forgotten: Collection[str]
    epoch: Epoch | None

    @classmethod
    def read(cls, repository: Repository, forgotten: Collection[str]) -> Ours:
        notes = NotesRef(repository)
        tip = notes.tip()
        try:
            epoch = read_epoch(repository.objects, tip)
        except StoreError:
            epoch = None
        return cls(notes, tip, forgotten, epoch)

    def lines(self, commit: str) -> list[Line]:
        """The lines of the clone's own note on ``commit``. Raises GitError if the note is missing or too
        large."""
        return decode_note(self.notes.read(commit, self.tip) or b"") if self.tip else []

    def keep(self, commit: str, body: bytes) -> tuple[list[Line], int]:
        """Return the lines of a remote's note ``body`` that are shown in addition to the clone's own, and how
        many records are over the limit. The lines name no segments, because nobody checked their events."""
        own_lines = self.lines(commit)
        lines = [line for line in decode_note(body) if line not in own_lines]
        tombstones: list[Line] = [line for line in lines if isinstance(line, Tombstone)]
        records = [r for r in lines if isinstance(r, Record) and self._shows(r, own_lines)]
        most = limits.REMOTE_RECORDS
        shown: list[Line] = [replace(record, segments=(), also=()) for record in records[:most]]
        return tombstones[:most] + shown, max(len(records) - most, 0)

    def _shows(self, record: Record, own_lines: Sequence[Line]) -> bool:
        if record.id in self.forgotten or self.epoch is None or not self.epoch.allows(record):
            return False
        return not any(_replaces(line, record) for line in own_lines)


def _replaces(line: Line, record: Record) -> bool:
    """Whether a ``line`` of the clone's own note hides a remote's ``record``: it records the same part, or
    the trajectory of a remote's stub, or it is a tombstone that deletes the record."""
    if isinstance(line, Record):
        return line.id == record.id and (line.key == record.key or record.incomplete)
    return isinstance(line, Tombstone) and deletes(line, record)

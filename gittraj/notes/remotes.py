"""The fetched copies of remotes' records (``refs/notes-remote/NAME/traj``), and which of them are shown.

Anyone can push to a fork that somebody fetches. So nothing there changes anything of ours: of a part that we
have only our record is shown, what we withdrew or purged is not shown, and a remote's tombstones only apply
to its own records. Nothing is written here.
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
    """The notes of remote ``name`` at ``tip`` that differ from ours, on ``commits`` (None: on all); how many
    exceed the limit and are not read; and the commits of those that are too large. Raises GitError."""
    objects = repository.objects
    ours, theirs = objects.resolve(RECORDS_REF), objects.commit(tip).tree
    root = objects.commit(ours).tree if ours else None
    if commits is None:
        commits = changed_notes(objects, root, theirs)
    pairs = ((c, note_paths(objects, theirs, c), note_paths(objects, root, c)) for c in commits)
    changed = [c for c, new, here in pairs if new and {b for _, b in new} != {b for _, b in here}]
    most, large = limits.REMOTE_COMMITS, list[str]()
    there = NotesRef(repository, f"{COPIES}{name}/traj")
    return dict(there.pick(changed[:most], over=large)), max(len(changed) - most, 0), large


@dataclass(frozen=True, slots=True)
class Ours:
    """Our own data that decides what is shown of a remote: our notes, the ``forgotten`` trajectories, and
    what was purged (None: not known)."""

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
        """The lines of our note on ``commit``. Raises GitError if it is missing or too large."""
        return decode_note(self.notes.read(commit, self.tip) or b"") if self.tip else []

    def keep(self, commit: str, body: bytes) -> tuple[list[Line], int]:
        """The lines of a remote's note that are shown in addition to ours, without the names of segments
        (whose events are not vetted), and how many records are over the limit."""
        ours = self.lines(commit)
        lines = [line for line in decode_note(body) if line not in ours]
        stones: list[Line] = [line for line in lines if isinstance(line, Tombstone)]
        records = [r for r in lines if isinstance(r, Record) and self._shows(r, ours)]
        most = limits.REMOTE_RECORDS
        shown: list[Line] = [replace(record, segments=(), also=()) for record in records[:most]]
        return stones[:most] + shown, max(len(records) - most, 0)

    def _shows(self, record: Record, ours: Sequence[Line]) -> bool:
        if record.id in self.forgotten or self.epoch is None or not self.epoch.allows(record):
            return False
        known = [line for line in ours if isinstance(line, Record) and line.id == record.id]
        if any(line.key == record.key or record.incomplete for line in known):
            return False
        return not any(isinstance(line, Tombstone) and deletes(line, record) for line in ours)

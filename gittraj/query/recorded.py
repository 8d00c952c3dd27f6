"""Every note of a repository, read once: which trajectories a commit carries, and which commits a trajectory.

A note's lines are decoded only when somebody asks for one of its trajectories, so that a listing of ten
commits does not pay for ten thousand. It must not know how a trajectory is folded into figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gittraj.codec import decode_note
from gittraj.model import Key, Line, Record, Tombstone
from gittraj.notes.merge import deletes, standing
from gittraj.query.fold import Folded, fold

# Reads too much (ids of parents and tasks), never too little: what it finds is decoded before it is believed
_IDS = re.compile(rb'"id"\s*:\s*"([A-Za-z0-9][A-Za-z0-9_-]{0,63})"')


class Recorded:
    """The records of all commits. ``notes`` are the pairs that ``NotesRef.items()`` gives."""

    def __init__(self, notes: Iterable[tuple[str, bytes]]) -> None:
        self._bodies = dict(notes)
        self._lines: dict[str, list[Line]] = {}
        self._standing: dict[str, list[Record]] = {}
        self._folded: dict[str, Folded | None] = {}
        self._places: dict[str, list[str]] | None = None

    def __contains__(self, commit: object) -> bool:
        return commit in self._bodies

    def __len__(self) -> int:
        return len(self._bodies)

    def carrying(self) -> Iterator[str]:
        """The commits that carry a trajectory: a note may hold only what was taken off."""
        return (commit for commit in self._bodies if self._records(commit))

    def ids(self, prefix: str = "") -> Iterator[str]:
        """The trajectories whose id begins with ``prefix``, sorted."""
        return (i for i in sorted(self._where()) if i.startswith(prefix) and self.folded(i) is not None)

    def on(self, commit: str) -> list[Folded]:
        """The trajectories that ``commit`` carries, by the time their records there began."""
        records = sorted(self._records(commit), key=lambda r: (r.figures.started_at or "", r.id))
        found = (self.folded(i) for i in dict.fromkeys(record.id for record in records))
        return [folded for folded in found if folded is not None and commit in folded.parts]

    def folded(self, trajectory: str) -> Folded | None:
        """The trajectory of that id, None when no record of it stands."""
        if trajectory not in self._folded:
            parts = self._parts(trajectory)
            self._folded[trajectory] = fold(parts) if parts else None
        return self._folded[trajectory]

    def _parts(self, trajectory: str) -> dict[str, list[Record]]:
        """Its records by commit. What belongs to a part and not to a commit is taken from the highest
        revision that any note holds."""
        parts: dict[str, list[Record]] = {}
        best: dict[Key, Record] = {}
        for commit in self._where().get(trajectory, ()):
            found = [r for r in self._records(commit) if r.id == trajectory and not self._forgotten(r)]
            if found:
                parts[commit] = found
            for record in found:
                if record.rev > best.setdefault(record.key, record).rev:
                    best[record.key] = record
        return {commit: [_renew(r, best[r.key]) for r in found] for commit, found in parts.items()}

    def _forgotten(self, record: Record) -> bool:
        """Whether a commit that it was carried from says that the trajectory is forgotten everywhere."""
        return any(
            isinstance(line, Tombstone) and line.scope == "all" and deletes(line, record)
            for commit in record.link.carried_from
            for line in self._decoded(commit)
        )

    def _records(self, commit: str) -> list[Record]:
        if commit not in self._standing:
            self._standing[commit] = standing(commit, self._decoded(commit))
        return self._standing[commit]

    def _decoded(self, commit: str) -> list[Line]:
        if commit not in self._lines:
            self._lines[commit] = decode_note(self._bodies.get(commit, b""))
        return self._lines[commit]

    def _where(self) -> dict[str, list[str]]:
        """The commits whose notes name each id."""
        if self._places is None:
            self._places = {}
            for commit, body in self._bodies.items():
                for found in set(_IDS.findall(body)):
                    self._places.setdefault(found.decode(), []).append(commit)
        return self._places


def _renew(record: Record, best: Record) -> Record:
    """``link``, ``role`` and ``origin`` belong to the commit; all else is the part's."""
    if best.rev == record.rev:
        return record
    return replace(best, link=record.link, role=record.role, origin=record.origin)

"""Reads every note of a repository once: the trajectories of a commit, and the commits of a trajectory.

A note is decoded only when one of its trajectories is needed, so that a listing of ten commits does not pay
for ten thousand. This module must not know how a trajectory is folded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gittraj.model.codec import decode_note
from gittraj.model.header import Header
from gittraj.model.values import ForeignLine, Key, Line, Record, Tombstone
from gittraj.notes.merge import deletes, standing
from gittraj.notes.run_keys import find_run_keys
from gittraj.query.account import complete
from gittraj.query.header import Folded, fold
from gittraj.query.notes import Notes, NotesInMemory
from gittraj.query.stats.counts import Tallies, read_tallies, tally

_AT_ONCE = 1_000
"""For how many commits the cached JSON is loaded at a time."""


class Recorded:
    """The records of all commits, from ``notes`` or from the pairs that ``NotesRef.items()`` yields."""

    has_remotes = False
    """Whether the records include those of remotes: then this is a ``RecordedBeside``."""

    def __init__(self, notes: Notes | Iterable[tuple[str, bytes]]) -> None:
        self._notes = notes if isinstance(notes, Notes) else NotesInMemory(notes)
        self._lines: dict[str, list[Line]] = {}
        self._sizes: dict[str, Counter[str]] = {}  # bytes of a note's lines, by trajectory
        self._standing: dict[str, list[Record]] = {}
        self._by_id: dict[str, dict[str, list[Record]]] = {}
        self._folded: dict[str, Folded | None] = {}
        self._complete: dict[str, Sequence[str]] = {}

    @property
    def over(self) -> Sequence[str]:
        """The commits whose notes are too large to be read."""
        return self._notes.over

    def __contains__(self, commit: object) -> bool:
        return commit in self._notes

    def __len__(self) -> int:
        return len(self._notes)

    def __iter__(self) -> Iterator[str]:
        """Yield the commits that have a note."""
        return iter(self._notes)

    def commits(self) -> set[str]:
        """Return the commits with a record that counts: a note may have only deletions, explored work or
        stubs, and notes of runs are not on a commit."""
        places = {*self.places()}
        doubtful = {*self._notes.with_deletions(), *self._notes.with_explored()} - places
        bare = {commit for commit in doubtful if not any(r.explains for r in self._records(commit))}
        return {*self}.difference(bare, places)

    def unread(self, commits: Iterable[str]) -> tuple[str, ...]:
        """Return those of ``commits`` whose notes could not be read in full."""
        over = frozenset(self.over)
        return tuple(c for c in commits if c in over or self._has_unreadable(c))

    def unreadable(self, commits: Sequence[str]) -> list[str]:
        """Return those of ``commits`` whose notes have a line that cannot be read; empty if one of them has a
        trajectory."""
        if any(self._records(commit) for commit in commits):
            return []
        return [*filter(self._has_unreadable, commits)]

    def _has_unreadable(self, commit: str) -> bool:
        return any(isinstance(line, ForeignLine) for line in self._decoded(commit))

    def with_explored(self) -> Iterator[str]:
        """Yield the commits whose notes may have records that explain no commit."""
        return self._notes.with_explored()

    def places(self) -> list[str]:
        """Return the keys of the notes that contain runs without a commit."""
        return self._notes.places()

    def ids(self, prefix: str = "") -> Iterator[str]:
        """Yield the trajectories whose id begins with ``prefix``, sorted."""
        return (i for i in self._notes.ids() if i.startswith(prefix) and self.folded(i) is not None)

    def on(self, commit: str) -> list[Folded]:
        """Return the trajectories of ``commit``, sorted by the start of their records there."""
        records = sorted(self._records(commit), key=lambda r: (r.figures.started_at or "", r.id))
        trajectories = (self.folded(i) for i in dict.fromkeys(record.id for record in records))
        return [folded for folded in trajectories if folded is not None and commit in folded.parts]

    def headers(self, commits: Sequence[str], *, explored: bool = False) -> Iterator[list[Header]]:
        """Yield for each of ``commits`` the HEADERs of its trajectories; of explored ones only on request."""
        cacheable = [*find_run_keys(commits)] if explored else commits  # explored work: only runs are cached
        cached_headers = self._notes.cached_headers(cacheable)
        for commit in commits:
            if commit in cached_headers:
                yield [*cached_headers[commit]]
            elif explored and commit not in cacheable:
                yield _headers(self.on(commit), commit, explored=True)
            else:
                yield self._fold_commit(commit)[0]

    def tallies(self, commits: Sequence[str]) -> Iterator[Tallies]:
        """Yield the counts that each of ``commits`` adds to statistics, including explored work."""
        for at in range(0, len(commits), _AT_ONCE):
            some = commits[at : at + _AT_ONCE]
            cached = self._notes.cached_tallies(some)
            yield from (read_tallies(cached.get(commit) or self._fold_commit(commit)[1]) for commit in some)

    def _fold_commit(self, commit: str) -> tuple[list[Header], Header]:
        headers = _headers(self.on(commit), commit, explored=any(find_run_keys([commit])))
        tallies = self.tally(commit)
        self._notes.cache(commit, headers, tallies)
        return headers, tallies

    def tally(self, commit: str) -> Header:
        """Return the counts that a commit adds to statistics, as JSON; without the cache."""
        here = self.on(commit)
        sizes = self._sizes[commit]
        rows = [
            tally(folded, commit, present=self._present(folded), size=sizes[folded.whole["id"]])
            for folded in here
        ]
        return {"bytes": sizes.total(), "trajectories": rows}

    def _present(self, folded: Folded) -> Sequence[str]:
        name = folded.whole["id"]
        if name not in self._complete:
            self._complete[name] = complete(folded.header(None))["present"]
        return self._complete[name]

    def folded(self, trajectory: str) -> Folded | None:
        """Return the trajectory with that id; None if it has no record (any more)."""
        if trajectory not in self._folded:
            parts = self.parts(trajectory)
            self._folded[trajectory] = fold(parts) if parts else None
        return self._folded[trajectory]

    def naming(self, trajectory: str) -> list[str]:
        """Return the other trajectories on commits whose notes name it: its subagents and forks are among
        them."""
        names = (f.whole["id"] for commit in self._notes.naming(trajectory) for f in self.on(commit))
        return [name for name in dict.fromkeys(names) if name != trajectory]

    def parts(self, trajectory: str) -> dict[str, list[Record]]:
        """Return the valid records of a trajectory, by commit. Fields of a part, not of a commit, come from
        the highest revision in any note."""
        parts: dict[str, list[Record]] = {}
        best: dict[Key, Record] = {}
        for commit in self._notes.naming(trajectory):
            valid = [r for r in self._of(commit).get(trajectory, ()) if not self._forgotten(r)]
            if valid:
                parts[commit] = valid
            for record in valid:
                if record.rev > best.setdefault(record.key, record).rev:
                    best[record.key] = record
        return {commit: [_renew(r, best[r.key]) for r in valid] for commit, valid in parts.items()}

    def _of(self, commit: str) -> dict[str, list[Record]]:
        """Return the records of a commit, by trajectory."""
        if commit not in self._by_id:
            by_id = self._by_id[commit] = {}
            for record in self._records(commit):
                by_id.setdefault(record.id, []).append(record)
        return self._by_id[commit]

    def _forgotten(self, record: Record) -> bool:
        """Whether a commit that the record was carried from has a tombstone for all commits."""
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
            body = self._notes.read(commit)
            lines = self._lines[commit] = decode_note(body)
            sizes = self._sizes[commit] = Counter()
            # if a note has very many lines, only the first are decoded
            for line, text in zip(lines, filter(bytes.strip, body.split(b"\n")), strict=False):
                sizes["" if isinstance(line, ForeignLine) else line.id] += len(text) + 1
        return self._lines[commit]


def _renew(record: Record, best: Record) -> Record:
    """Return ``best`` with ``record``'s ``link``, ``role`` and ``origin``: these belong to the commit."""
    if best.rev == record.rev:
        return record
    return replace(best, link=record.link, role=record.role, origin=record.origin)


def _headers(here: Sequence[Folded], commit: str, *, explored: bool) -> list[Header]:
    return [f.header(commit, explored=explored) for f in here if f.records(commit, explored=explored)]

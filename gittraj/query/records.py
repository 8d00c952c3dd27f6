"""Every note of a repository, read once: the trajectories of a commit, and the commits of a trajectory.

A note is decoded only when one of its trajectories is needed, so that a listing of ten commits does not pay
for ten thousand. It must not know how a trajectory is folded.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gittraj.model.codec import decode_note
from gittraj.model.values import ForeignLine, Key, Line, Record, Tombstone
from gittraj.notes.merge import deletes, standing
from gittraj.query.header import Folded, Header, fold
from gittraj.query.show.completeness import complete
from gittraj.query.stats.counts import Tallies, read_tallies, tally

# Matches too much (ids of parents and tasks), never too little: matches are decoded before use
_IDS = re.compile(rb'"id"\s*:\s*"([A-Za-z0-9][A-Za-z0-9_-]{0,63})"')

_AT_ONCE = 1_000
"""Commits whose cached JSON is in memory at a time."""


def named_ids(body: bytes) -> frozenset[str]:
    """The ids in a note: those of its trajectories, and some others."""
    return frozenset(found.decode() for found in _IDS.findall(body))


def is_plain(body: bytes, ids: Collection[str]) -> bool:
    """Whether a note has no deletions; one with deletions must be decoded to know its trajectories."""
    return bool(ids) and b'"deleted"' not in body


class Notes(ABC):
    """A source of notes. Iteration yields the commits that have one."""

    @abstractmethod
    def __contains__(self, commit: object) -> bool: ...
    @abstractmethod
    def __len__(self) -> int: ...
    @abstractmethod
    def __iter__(self) -> Iterator[str]: ...

    @abstractmethod
    def read(self, commit: str) -> bytes:
        """``b""`` where there is none."""

    @abstractmethod
    def with_explored(self) -> Iterator[str]:
        """The commits whose notes may have records of work that led to no commit."""

    @abstractmethod
    def with_deletions(self) -> Sequence[str]:
        """The commits whose notes are not plain (``is_plain``)."""

    @abstractmethod
    def ids(self) -> Iterator[str]:
        """The ``named_ids`` of all notes, sorted."""

    @abstractmethod
    def naming(self, identity: str) -> Sequence[str]:
        """The commits whose notes name that id, sorted."""

    def cached_headers(self, commits: Sequence[str]) -> Mapping[str, Sequence[Header]]:
        """Earlier results of ``Recorded.headers``, for those commits that are cached."""
        return {}

    def cached_tallies(self, commits: Sequence[str]) -> Mapping[str, Header]:
        """Earlier results of ``Recorded.tallies``, as JSON, for those commits that are cached."""
        return {}

    def cache(  # noqa: B027 - most have no cache
        self, commit: str, headers: Sequence[Header], tallies: Header
    ) -> None:
        """Keep the current results."""


class NotesInMemory(Notes):
    """All notes in memory."""

    def __init__(self, notes: Iterable[tuple[str, bytes]]) -> None:
        self._bodies = dict(notes)
        self._commits_by_id: dict[str, list[str]] | None = None

    def __contains__(self, commit: object) -> bool:
        return commit in self._bodies

    def __len__(self) -> int:
        return len(self._bodies)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bodies)

    def read(self, commit: str) -> bytes:
        return self._bodies.get(commit, b"")

    def with_explored(self) -> Iterator[str]:
        return (commit for commit, body in self._bodies.items() if b"explored" in body)

    def with_deletions(self) -> Sequence[str]:
        return [commit for commit, body in self._bodies.items() if not is_plain(body, named_ids(body))]

    def ids(self) -> Iterator[str]:
        return iter(sorted(self._where()))

    def naming(self, identity: str) -> Sequence[str]:
        return sorted(self._where().get(identity, ()))

    def _where(self) -> dict[str, list[str]]:
        if self._commits_by_id is None:
            self._commits_by_id = {}
            for commit, body in self._bodies.items():
                for found in named_ids(body):
                    self._commits_by_id.setdefault(found, []).append(commit)
        return self._commits_by_id


class Recorded:
    """The records of all commits. ``notes``, or the pairs that ``NotesRef.items()`` gives."""

    def __init__(self, notes: Notes | Iterable[tuple[str, bytes]]) -> None:
        self._notes = notes if isinstance(notes, Notes) else NotesInMemory(notes)
        self._lines: dict[str, list[Line]] = {}
        self._sizes: dict[str, Counter[str]] = {}  # bytes of a note's lines, by trajectory
        self._standing: dict[str, list[Record]] = {}
        self._folded: dict[str, Folded | None] = {}
        self._complete: dict[str, Sequence[str]] = {}

    def __contains__(self, commit: object) -> bool:
        return commit in self._notes

    def __len__(self) -> int:
        return len(self._notes)

    def __iter__(self) -> Iterator[str]:
        """The commits that have a note."""
        return iter(self._notes)

    def count(self) -> int:
        """How many commits have a trajectory: a note may have deletions alone."""
        with_deletions = self._notes.with_deletions()
        return len(self) - sum(1 for commit in with_deletions if not self._records(commit))

    def unreadable(self, commits: Sequence[str]) -> list[str]:
        """Those of ``commits`` whose notes have a line that cannot be read; empty where one of them has a
        trajectory."""
        if any(self._records(commit) for commit in commits):
            return []
        return [c for c in commits if any(isinstance(line, ForeignLine) for line in self._decoded(c))]

    def with_explored(self) -> Iterator[str]:
        """The commits whose notes may have records of work that led to no commit."""
        return self._notes.with_explored()

    def ids(self, prefix: str = "") -> Iterator[str]:
        """The trajectories whose id begins with ``prefix``, sorted."""
        return (i for i in self._notes.ids() if i.startswith(prefix) and self.folded(i) is not None)

    def on(self, commit: str) -> list[Folded]:
        """The trajectories of ``commit``, by the start of their records there."""
        records = sorted(self._records(commit), key=lambda r: (r.figures.started_at or "", r.id))
        found = (self.folded(i) for i in dict.fromkeys(record.id for record in records))
        return [folded for folded in found if folded is not None and commit in folded.parts]

    def headers(self, commits: Sequence[str], *, explored: bool = False) -> Iterator[list[Header]]:
        """For each of ``commits`` the HEADERs of its trajectories; of explored ones only on request."""
        cached_headers = {} if explored else self._notes.cached_headers(commits)
        for commit in commits:
            if commit in cached_headers:
                yield [*cached_headers[commit]]
                continue
            yield self._headers(commit, explored=True) if explored else self._fold_commit(commit)[0]

    def tallies(self, commits: Sequence[str]) -> Iterator[Tallies]:
        """What each of ``commits`` adds to statistics, explored work too."""
        for at in range(0, len(commits), _AT_ONCE):
            some = commits[at : at + _AT_ONCE]
            cached_headers = self._notes.cached_tallies(some)
            yield from (
                read_tallies(cached_headers.get(commit) or self._fold_commit(commit)[1]) for commit in some
            )

    def _fold_commit(self, commit: str) -> tuple[list[Header], Header]:
        headers = self._headers(commit, explored=False)
        sizes = self._sizes[commit]
        rows = [
            tally(folded, commit, present=self._present(folded), size=sizes[folded.whole["id"]])
            for folded in self.on(commit)
        ]
        tallies = {"bytes": sizes.total(), "trajectories": rows}
        self._notes.cache(commit, headers, tallies)
        return headers, tallies

    def _present(self, folded: Folded) -> Sequence[str]:
        name = folded.whole["id"]
        if name not in self._complete:
            self._complete[name] = complete(folded.header(None))["present"]
        return self._complete[name]

    def _headers(self, commit: str, *, explored: bool) -> list[Header]:
        return [
            folded.header(commit, explored=explored)
            for folded in self.on(commit)
            if folded.records(commit, explored=explored)
        ]

    def folded(self, trajectory: str) -> Folded | None:
        """The trajectory of that id, None when it has no record (any more)."""
        if trajectory not in self._folded:
            parts = self.parts(trajectory)
            self._folded[trajectory] = fold(parts) if parts else None
        return self._folded[trajectory]

    def naming(self, trajectory: str) -> list[str]:
        """The other trajectories on commits whose notes name it: its subagents and forks are among them."""
        found = (f.whole["id"] for commit in self._notes.naming(trajectory) for f in self.on(commit))
        return [name for name in dict.fromkeys(found) if name != trajectory]

    def parts(self, trajectory: str) -> dict[str, list[Record]]:
        """The valid records of a trajectory, by commit. Fields of a part, not of a commit, come from the
        highest revision in any note."""
        parts: dict[str, list[Record]] = {}
        best: dict[Key, Record] = {}
        for commit in self._notes.naming(trajectory):
            found = [r for r in self._records(commit) if r.id == trajectory and not self._forgotten(r)]
            if found:
                parts[commit] = found
            for record in found:
                if record.rev > best.setdefault(record.key, record).rev:
                    best[record.key] = record
        return {commit: [_renew(r, best[r.key]) for r in found] for commit, found in parts.items()}

    def _forgotten(self, record: Record) -> bool:
        """Whether a commit that it was carried from has a tombstone for all commits."""
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
            for line, text in zip(lines, filter(bytes.strip, body.split(b"\n")), strict=True):
                sizes["" if isinstance(line, ForeignLine) else line.id] += len(text) + 1
        return self._lines[commit]


def _renew(record: Record, best: Record) -> Record:
    """``link``, ``role`` and ``origin`` belong to the commit; all else is the part's."""
    if best.rev == record.rev:
        return record
    return replace(best, link=record.link, role=record.role, origin=record.origin)

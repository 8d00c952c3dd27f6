"""Matches a commit that no call made (a human committed what an agent wrote) with a session by content.

Touching the same file is not enough, and time never is. A commit is an agent's work where the committed
file is what the session last wrote there, or where at least half of the non-blank lines added to a file
were written by the session and not committed before. Text that was written after the commit does not count.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from gittraj.capture.session import Log
from gittraj.git import CommitChanges, PathChange
from gittraj.model.times import seconds

_CLOCK = 1.0
"""Seconds: git's times are whole ones."""


class Changed:
    """What a commit changed; the lines of a path are hashed once, and only if a session wrote it too."""

    def __init__(self, changes: CommitChanges) -> None:
        self.paths = changes.paths
        self.time = changes.time
        self._added: dict[str, Counter[int]] = {}

    def added(self, change: PathChange) -> Counter[int]:
        """The hashes of the meaningful lines added to one of ``paths``."""
        found = self._added.get(change.path)
        if found is None:
            found = self._added[change.path] = _meant(change.added)
        return found


@dataclass(slots=True)
class Writing:
    """What the call at index ``call`` wrote of ``path`` and nobody has committed since: ``lines`` by their
    hashes, ``blobs`` the ids that git may give to the whole text, ``at`` when (seconds since 1970)."""

    call: int
    path: str
    lines: Counter[int]
    deletes: bool
    blobs: frozenset[str] = frozenset()
    at: float | None = None
    open: bool = True

    def shares(self, lines: Counter[int]) -> bool:
        return not self.lines.keys().isdisjoint(lines)


@dataclass(slots=True)
class Writings:
    """Everything that a session wrote, in order. ``take`` removes what a commit contains."""

    by_path: dict[str, list[Writing]] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Log) -> Writings:
        found: dict[str, list[Writing]] = {}
        started = seconds(log.fact("started_at"))  # of logs without times: nothing was written before it
        for index in range(len(log.entries)):
            for edit in log.edits(index):
                writing = Writing(
                    call=index,
                    path=edit.path,
                    lines=_meant(edit.added),
                    deletes=edit.kind == "delete",
                    blobs=_blob_ids(log.whole(index, edit.path)),
                    at=seconds(log.entries[index].event.ts) or started,
                )
                found.setdefault(edit.path, []).append(writing)
        return cls(found)

    @property
    def found(self) -> Iterator[Writing]:
        return chain.from_iterable(self.by_path.values())

    def paths(self) -> set[str]:
        return {w.path for w in self.found if w.open}

    def explain(self, commit: Changed) -> list[int]:
        """The calls, in order, that wrote what a commit without an anchor took; empty if none did."""
        return sorted({call for change in commit.paths for call in self._explain_path(commit, change)})

    def beside(self, commit: Changed, owner: Writings) -> list[int]:
        """The calls that wrote lines of a commit which its owner, another session, did not write."""
        calls: set[int] = set()
        for change in commit.paths:
            written = self._open(change.path, commit.time)
            if not written:
                continue
            theirs = owner.by_path.get(change.path, ())
            if shared := [w for w in written if w.shares(commit.added(change))]:
                added = commit.added(change).keys() - {line for w in theirs for line in w.lines}
                calls |= {w.call for w in shared if added & w.lines.keys()}
            last = self._is_last(change, written, commit.time)
            if last is not None and not any(w.open for w in theirs):
                calls.add(last.call)
        return sorted(calls)

    def take(self, commit: Changed, *, before: int | None = None) -> None:
        """A commit took these lines: they explain no later one. ``before``: of calls up to that index."""
        for change in commit.paths:
            written = self._open(change.path, commit.time)
            last = self._is_last(change, written, commit.time)
            for writing in written:
                if before is not None and writing.call > before:
                    continue
                if writing.shares(added := commit.added(change)):
                    writing.lines -= added
                if last is not None or not writing.lines:  # the whole file: unchanged lines too
                    writing.open = False

    def _explain_path(self, commit: Changed, change: PathChange) -> Collection[int]:
        written = self._open(change.path, commit.time)
        if not written:
            return ()
        added = commit.added(change)
        used = [w for w in written if w.shares(added)]
        last = self._is_last(change, written, commit.time)
        if last is None:
            ours = (added & sum((w.lines for w in used), Counter[int]())).total() if used else 0
            if not (ours and ours * 2 >= added.total()):
                return ()
        return {w.call for w in used} | ({last.call} if last else set())

    def _is_last(self, change: PathChange, written: Sequence[Writing], time: float) -> Writing | None:
        """The last of the open writings of a path before a commit, if that holds just what it left, and no
        writing that is taken came after it."""
        if not written:
            return None
        last = written[-1]
        if not (last.deletes if change.kind == "delete" else change.blob in last.blobs):
            return None
        return last if self._until(self.by_path[change.path], time)[-1] is last else None

    def _open(self, path: str, time: float) -> Sequence[Writing]:
        return self._until([w for w in self.by_path.get(path, ()) if w.open], time)

    def _until(self, written: Sequence[Writing], time: float) -> Sequence[Writing]:
        """What the log does not date after the commit: time proves nothing, and refutes."""
        return [w for w in written if not time or w.at is None or w.at <= time + _CLOCK]


def _meant(lines: Iterable[str]) -> Counter[int]:
    """The hashes of lines with a letter or a digit, without indentation, which formatters change."""
    return Counter(_hash(line) for line in map(str.strip, lines) if any(map(str.isalnum, line)))


def _hash(line: str) -> int:
    """The same in every process, unlike ``hash``."""
    return int.from_bytes(hashlib.blake2b(line.encode("utf-8", "surrogateescape"), digest_size=8).digest())


def _blob_ids(text: str | None) -> frozenset[str]:
    """The ids that git gives to a text, with its line ends as they are and as ``autocrlf`` stores them, in
    a repository of either object format."""
    ids = set()
    for variant in {text, text.replace("\r\n", "\n")} if text is not None else ():
        body = variant.encode("utf-8", "surrogateescape")
        blob = b"blob %d\0" % len(body) + body
        ids |= {hashlib.sha1(blob, usedforsecurity=False).hexdigest(), hashlib.sha256(blob).hexdigest()}
    return frozenset(ids)

"""A human commits what an agent wrote: no call made the commit, so its content decides.

Touching the same file is not enough, and time never is. A commit is an agent's work where the committed
file is what the session last wrote there, or where at least half of the non-blank lines added to a file
were written by the session and not committed before.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from gittraj.capture.session import Log
from gittraj.git import CommitChanges, PathChange


@dataclass(slots=True)
class Writing:
    """What the call at index ``call`` wrote of ``path`` and nobody has committed since."""

    call: int
    path: str
    lines: Counter[str]
    deletes: bool
    whole: str | None
    open: bool = True


@dataclass(slots=True)
class Writings:
    """All that a session wrote, in order. ``commit`` takes out what a commit took."""

    found: list[Writing] = field(default_factory=list)

    @classmethod
    def of(cls, log: Log) -> Writings:
        return cls(
            [
                Writing(
                    call=index,
                    path=edit.path,
                    lines=Counter(_meant(edit.added)),
                    deletes=edit.kind == "delete",
                    whole=log.whole(index, edit.path),
                )
                for index in range(len(log.entries))
                for edit in log.edits(index)
            ]
        )

    def paths(self) -> set[str]:
        return {w.path for w in self.found if w.open}

    def explain(self, changes: CommitChanges) -> list[int]:
        """The calls, in order, that wrote what a commit without an anchor took; empty if none did."""
        calls = {call for change in changes.paths for call in self._explain_path(change)}
        return sorted(calls)

    def beside(self, changes: CommitChanges, owner: Writings) -> list[int]:
        """The calls that wrote lines of a commit which its owner, another session, did not write."""
        calls: set[int] = set()
        for change in changes.paths:
            theirs = owner.lines(change.path)
            added = {line for line in _meant(change.added) if any(c.isalnum() for c in line)} - theirs.keys()
            calls |= {w.call for w in self._open(change.path) if added & w.lines.keys()}
            if change.path not in owner.paths() and (last := self._is_last(change)) is not None:
                calls.add(last.call)
        return sorted(calls)

    def lines(self, path: str) -> Counter[str]:
        return sum((w.lines for w in self.found if w.path == path), Counter())

    def take(self, changes: CommitChanges, *, before: int | None = None) -> None:
        """A commit took these lines: they explain no later one. ``before``: of calls up to that index."""
        for change in changes.paths:
            added = Counter(_meant(change.added))
            whole = self._is_last(change) is not None  # then it took unchanged lines too
            for writing in self._open(change.path):
                if before is not None and writing.call > before:
                    continue
                writing.lines -= added
                if whole or not writing.lines:
                    writing.open = False

    def _explain_path(self, change: PathChange) -> Collection[int]:
        last = self._is_last(change)
        added = Counter(_meant(change.added))
        written: Counter[str] = sum((w.lines for w in self._open(change.path)), Counter())
        ours = (added & written).total()
        if last is None and not (ours and ours * 2 >= added.total()):
            return ()
        used = {w.call for w in self._open(change.path) if added.keys() & w.lines.keys()}
        return used | ({last.call} if last else set())

    def _is_last(self, change: PathChange) -> Writing | None:
        """The session's last write of a path, if the commit holds just what it left."""
        written = [w for w in self.found if w.path == change.path]
        if not written or not written[-1].open:
            return None
        last = written[-1]
        if change.kind == "delete":
            return last if last.deletes else None
        if last.whole is None or change.blob is None:
            return None
        return last if change.blob in _blob_ids(last.whole, len(change.blob)) else None

    def _open(self, path: str) -> Iterable[Writing]:
        return [w for w in self.found if w.open and w.path == path]


def _meant(lines: Iterable[str]) -> list[str]:
    """Lines that say something, however indented (formatters move them): everybody writes a ``}``."""
    return [line for line in map(str.strip, lines) if any(map(str.isalnum, line))]


def _blob_ids(text: str, length: int) -> set[str]:
    """The ids that git gives to a text, with its line ends as they are and as ``autocrlf`` stores them."""
    algorithm = hashlib.sha1 if length == 40 else hashlib.sha256
    ids = set()
    for variant in {text, text.replace("\r\n", "\n")}:
        body = variant.encode("utf-8", "surrogateescape")
        ids.add(algorithm(b"blob %d\0" % len(body) + body).hexdigest())
    return ids

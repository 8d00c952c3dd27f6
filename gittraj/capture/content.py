"""Matches a commit that no call made (a human committed what an agent wrote) with a session by content.

Touching the same file is not enough, and time never is. A commit is an agent's work if a committed file is
what the session last wrote to it, or if at least half of the non-blank lines added to a file were written by
the session and not committed before. Text that was written after the commit does not count.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import chain

from gittraj.capture.session import Log
from gittraj.capture.set_back import SetBack, find_set_back
from gittraj.frozen import dataclass
from gittraj.git import CommitChanges, PathChange
from gittraj.model.session_items import Edit
from gittraj.model.times import seconds

_CLOCK = 1.0
"""Tolerance in seconds: git's times are whole ones."""


Common = Callable[[str, str, Collection[str]], Collection[str]]
"""Returns those lines of a commit and a path that are in many files of the repository, and so do not show who
wrote them."""


def none_common(_commit: str, _path: str, _lines: Collection[str]) -> Collection[str]:
    return ()


class Changed:
    """The changes of a commit; the lines of a path are hashed once, and only if a session wrote it too."""

    def __init__(self, changes: CommitChanges, common: Common = none_common) -> None:
        self.paths = changes.paths
        self.time = changes.time
        self._commit = changes.commit
        self._common = common
        self._added: dict[str, Counter[int]] = {}

    def added(self, change: PathChange) -> Counter[int]:
        """The hashes of the meaningful lines added to one of ``paths``."""
        found = self._added.get(change.path)
        if found is None:
            found = self._added[change.path] = _meant(change.added)
        return found

    def decides(self, change: PathChange, lines: Collection[int]) -> bool:
        """Whether one of these lines is not common, and so shows who wrote it."""
        texts = {line.strip() for line in change.added if _hash(_bare(line)) in lines}
        return bool(texts.difference(self._common(self._commit, change.path, texts)))


@dataclass(slots=True)
class Writing:
    """Text that the call at index ``call`` wrote to ``path`` and that is not committed yet: ``lines`` as
    hashes, without those that were there before; ``blobs``: the ids that git may give to the whole text;
    ``at``: when (seconds since 1970). ``gone``: the lines that were undone, and since when."""

    call: int
    path: str
    lines: Counter[int]
    deletes: bool
    blobs: frozenset[str] = frozenset()
    at: float | None = None
    open: bool = True
    gone: tuple[tuple[float, Counter[int]], ...] = ()

    def standing(self, time: float) -> Counter[int]:
        """The lines that were not undone before a commit's ``time``."""
        lines = self.lines
        for since, gone in self.gone:
            if not time or since <= time:
                lines = lines - gone
        return lines

    def is_gone(self, time: float) -> bool:
        """Whether nothing of it was left at a commit's ``time``."""
        return bool(self.lines) and not self.standing(time)


@dataclass(slots=True)
class Writings:
    """Everything that a session wrote, in order. ``take`` removes what a commit contains."""

    by_path: dict[str, list[Writing]] = field(default_factory=dict)
    with_line: dict[int, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Log) -> Writings:
        writings = cls()
        started = seconds(log.fact("started_at"))  # for logs without times: nothing was written before it
        for index, entry in enumerate(log.entries):
            at = seconds(entry.event.ts) or started
            for edit in log.edits(index):
                writings._add(log, index, edit, at)
            if entry.command and log.places[index] != "elsewhere" and not log.failed(index):
                for each in find_set_back(entry.command):
                    writings._set_back(each, at)
        return writings

    def _add(self, log: Log, index: int, edit: Edit, at: float | None) -> None:
        earlier = self.by_path.setdefault(edit.path, [])
        before = log.before(index, edit.path)
        if before is not None and at is not None:
            stood = _meant(before.splitlines())
            for writing in earlier:
                if lost := writing.lines - stood:
                    writing.gone = (*writing.gone, (at, lost))
        writing = Writing(
            call=index,
            path=edit.path,
            lines=_meant(edit.added),
            deletes=edit.kind == "delete",
            blobs=_blob_ids(log.whole(index, edit.path)),
            at=at,
        )
        earlier.append(writing)
        for line in writing.lines:
            self.with_line.setdefault(line, set()).add(edit.path)

    def _set_back(self, command: SetBack, at: float | None) -> None:
        for writing in self.found:
            if at is not None and command.covers(writing.path):
                writing.gone = () if command.again else ((at, Counter(writing.lines)),)

    @property
    def found(self) -> Iterator[Writing]:
        return chain.from_iterable(self.by_path.values())

    def paths(self) -> set[str]:
        return {w.path for w in self.found if w.open}

    def may_have(self, commit: Changed) -> bool:
        """Whether the session wrote one of the commit's paths, under any name."""
        return any(self._wrote(commit, change) for change in commit.paths)

    def explain(self, commit: Changed) -> list[int]:
        """The calls, in order, that wrote what a commit without an anchor took; empty if none did."""
        return sorted({call for change in commit.paths for call in self._explain_path(commit, change)})

    def beside(self, commit: Changed, owner: Writings) -> list[int]:
        """The calls that wrote lines of a commit which its owner, another session, did not write."""
        calls: set[int] = set()
        for change in commit.paths:
            written = self._wrote(commit, change)
            if not written:
                continue
            theirs = owner.by_path.get(change.path, ())
            added = commit.added(change).keys() - {line for w in theirs for line in w.lines}
            shared = {w.call: added & w.standing(commit.time).keys() for w in written}
            if any(shared.values()) and commit.decides(change, set().union(*shared.values())):
                calls |= {call for call, lines in shared.items() if lines}
            last = self._is_last(change, written, commit.time)
            if last is not None and not any(w.open for w in theirs):
                calls.add(last.call)
        return sorted(calls)

    def take(self, commit: Changed, *, before: int | None = None) -> None:
        """Remove a commit's lines: they explain no later one. ``before``: only of calls up to that index."""
        for change in commit.paths:
            written = self._wrote(commit, change)
            last = self._is_last(change, written, commit.time)
            for writing in written:
                if before is not None and writing.call > before:
                    continue
                writing.lines -= commit.added(change)
                if last is not None or not writing.lines:  # the whole file: unchanged lines too
                    writing.open = False

    def _explain_path(self, commit: Changed, change: PathChange) -> Collection[int]:
        written = self._wrote(commit, change)
        if not written:
            return ()
        added = commit.added(change)
        used = [(w.call, ours) for w in written if (ours := w.standing(commit.time) & added)]
        last = self._is_last(change, written, commit.time)
        if last is None:
            ours = added & sum((lines for _, lines in used), Counter[int]())
            if not (ours and ours.total() * 2 >= added.total() and commit.decides(change, ours)):
                return ()
        return {call for call, _ in used} | ({last.call} if last else set())

    def _is_last(self, change: PathChange, written: Sequence[Writing], time: float) -> Writing | None:
        """The last of the open writings of a path before a commit, if the commit has exactly the file that it
        left, and no writing that another commit took came after it."""
        if not written:
            return None
        last = written[-1]
        if not (last.deletes if change.kind == "delete" else change.blob in last.blobs) or last.is_gone(time):
            return None
        return last if self._until(self.by_path[last.path], time)[-1] is last else None

    def _wrote(self, commit: Changed, change: PathChange) -> Sequence[Writing]:
        """The writings to a path, also under another name, that are not committed yet."""
        for path in (change.path, change.old_path, self._name_of(commit, change)):
            if path is not None and (found := [w for w in self.by_path.get(path, ()) if w.open]):
                return self._until(found, commit.time)
        return ()

    def _name_of(self, commit: Changed, change: PathChange) -> str | None:
        """The session's name for a file that was renamed before it was ever committed: four in five lines of
        each must be in the other."""
        if change.kind != "add" or change.path in self.by_path:
            return None
        added = commit.added(change)
        shared = Counter(path for line in added for path in self.with_line.get(line, ()))
        for path, _ in shared.most_common(1):
            lines = sum((w.lines for w in self.by_path[path] if w.open), Counter[int]())
            if (added & lines).total() * 5 >= max(added.total(), lines.total()) * 4:
                return path
        return None

    def _until(self, written: Sequence[Writing], time: float) -> Sequence[Writing]:
        """The writings that the log does not date after the commit: time can refute, but not prove."""
        return [w for w in written if not time or w.at is None or w.at <= time + _CLOCK]


def _meant(lines: Iterable[str]) -> Counter[int]:
    """The hashes of lines with a letter or a digit, without blanks, which formatters change."""
    return Counter(_hash(_bare(line)) for line in lines if any(map(str.isalnum, line)))


def _bare(line: str) -> str:
    return "".join(line.split())


def _hash(line: str) -> int:
    """A hash that is the same in every process, unlike ``hash()``."""
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

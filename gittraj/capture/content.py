"""Matches a commit that no call made (a person committed what an agent wrote) with a session by content.

Touching the same file is not enough, and time never is. A commit is an agent's work if a committed file is
what the session last wrote to it, or if the session wrote at least half of the non-blank lines added to a
file. Lines of the session that an earlier commit contains do not count. Text that was written after the
commit does not count.
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
"""A function of a commit, a path and lines. It returns those lines that do not show who wrote them, because
many of the repository's files have them."""


def none_common(_commit: str, _path: str, _lines: Collection[str]) -> Collection[str]:
    return ()


class Changed:
    """The changes of a commit. The lines of a path are hashed once, and only if a session wrote it, too."""

    def __init__(self, changes: CommitChanges, common: Common = none_common) -> None:
        self.paths = changes.paths
        self.time = changes.time
        self._commit = changes.commit
        self._common = common
        self._added: dict[str, Counter[int]] = {}

    def added(self, change: PathChange) -> Counter[int]:
        """The hashes of the meaningful lines added to one of ``paths``."""
        added = self._added.get(change.path)
        if added is None:
            added = self._added[change.path] = _hash_lines(change.added)
        return added

    def decides(self, change: PathChange, lines: Collection[int]) -> bool:
        """Whether one of ``lines`` (hashes) is not common, and so shows who wrote it."""
        if not lines:
            return False
        texts = {line.strip() for line in change.added if _hash(_without_blanks(line)) in lines}
        return bool(texts.difference(self._common(self._commit, change.path, texts)))


@dataclass(slots=True)
class Writing:
    """Text that the call at index ``call`` wrote to ``path``. ``lines`` are hashes of the lines that are not
    committed yet, without lines that were in the file before; ``blobs`` are the ids that git may give to the
    whole text; ``at`` is the call's time (seconds since 1970); ``open`` is false once commits have all of
    ``lines``, or one has the file as the last writing left it; ``undone``: lines undone later, with the
    time."""

    call: int
    path: str
    lines: Counter[int]
    deletes: bool
    blobs: frozenset[str] = frozenset()
    at: float | None = None
    open: bool = True
    undone: tuple[tuple[float, Counter[int]], ...] = ()

    def lines_at(self, time: float) -> Counter[int]:
        """The lines that were not undone before a commit's ``time`` (0: unknown)."""
        lines = self.lines
        for since, undone in self.undone:
            if not time or since <= time:
                lines = lines - undone
        return lines

    def is_undone(self, time: float) -> bool:
        """Whether all its lines were undone before a commit's ``time``."""
        return bool(self.lines) and not self.lines_at(time)


@dataclass(slots=True)
class Writings:
    """Everything that a session wrote, in order. ``take`` removes the lines that a commit contains;
    ``with_line`` has the paths to which the session wrote a line, by the line's hash."""

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
            remaining = _hash_lines(before.splitlines())
            for writing in earlier:
                if lost := writing.lines - remaining:
                    writing.undone = (*writing.undone, (at, lost))
        writing = Writing(
            call=index,
            path=edit.path,
            lines=_hash_lines(edit.added),
            deletes=edit.kind == "delete",
            blobs=_blob_ids(log.whole(index, edit.path)),
            at=at,
        )
        earlier.append(writing)
        for line in writing.lines:
            self.with_line.setdefault(line, set()).add(edit.path)

    def _set_back(self, command: SetBack, at: float | None) -> None:
        for writing in self.all():
            if at is not None and command.covers(writing.path):
                # ``again``: what was stashed is back
                writing.undone = () if command.again else ((at, Counter(writing.lines)),)

    def all(self) -> Iterator[Writing]:
        return chain.from_iterable(self.by_path.values())

    def paths(self) -> set[str]:
        return {w.path for w in self.all() if w.open}

    def may_have(self, commit: Changed) -> bool:
        """Whether the session wrote one of the commit's paths, under any name."""
        return any(self._find_open(commit, change) for change in commit.paths)

    def explain(self, commit: Changed) -> list[int]:
        """The calls, in order, that wrote the lines of a commit without an anchor; empty if none did."""
        return sorted({call for change in commit.paths for call in self._explain_path(commit, change)})

    def explain_rest(self, commit: Changed, owner: Writings) -> list[int]:
        """The calls that wrote lines of a commit which its owner, another session, did not write."""
        return sorted({call for path in commit.paths for call in self._explain_rest_of(commit, path, owner)})

    def _explain_rest_of(self, commit: Changed, change: PathChange, owner: Writings) -> Collection[int]:
        written = self._find_open(commit, change)
        if not written:
            return ()
        owners = owner.by_path.get(change.path, ())
        added = commit.added(change).keys() - {line for w in owners for line in w.lines}
        used = [(w.call, lines) for w in written if (lines := added & w.lines_at(commit.time).keys())]
        lines = set().union(*(lines for _, lines in used))
        calls = {call for call, _ in used} if commit.decides(change, lines) else set()
        last = self._find_last(change, written, commit.time)
        return calls | {last.call} if last is not None and not any(w.open for w in owners) else calls

    def take(self, commit: Changed, *, before: int | None = None) -> None:
        """Remove a commit's lines, only those of calls up to ``before`` if given: they explain no later
        commit."""
        for change in commit.paths:
            written = self._find_open(commit, change)
            last = self._find_last(change, written, commit.time)
            for writing in written:
                if before is not None and writing.call > before:
                    continue
                writing.lines -= commit.added(change)
                # ``last``: the commit has the whole file, also its unchanged lines
                if last is not None or not writing.lines:
                    writing.open = False

    def _explain_path(self, commit: Changed, change: PathChange) -> Collection[int]:
        written = self._find_open(commit, change)
        if not written:
            return ()
        added = commit.added(change)
        used = [(w.call, lines) for w in written if (lines := w.lines_at(commit.time) & added)]
        last = self._find_last(change, written, commit.time)
        if last is None:
            session_lines = added & sum((lines for _, lines in used), Counter[int]())
            enough = session_lines.total() * 2 >= added.total()
            if not (enough and commit.decides(change, session_lines)):
                return ()
        return {call for call, _ in used} | ({last.call} if last else set())

    def _find_last(self, change: PathChange, written: Sequence[Writing], time: float) -> Writing | None:
        """The last of ``written``, the open writings of a path before a commit, if the commit has exactly the
        file that this writing left, and if no later writing to the path is already in another commit."""
        if not written:
            return None
        last = written[-1]
        if not (last.deletes if change.kind == "delete" else change.blob in last.blobs) or last.is_undone(
            time
        ):
            return None
        return last if self._written_until(self.by_path[last.path], time)[-1] is last else None

    def _find_open(self, commit: Changed, change: PathChange) -> Sequence[Writing]:
        """The writings to a path, also under another name, that are not committed yet."""
        for path in (change.path, change.old_path, self._find_former_name(commit, change)):
            if path is not None and (writings := [w for w in self.by_path.get(path, ()) if w.open]):
                return self._written_until(writings, commit.time)
        return ()

    def _find_former_name(self, commit: Changed, change: PathChange) -> str | None:
        """The session's name for a file that was renamed before its first commit: four in five lines of each
        file must be in the other."""
        if change.kind != "add" or change.path in self.by_path:
            return None
        added = commit.added(change)
        shared = Counter(path for line in added for path in self.with_line.get(line, ()))
        for path, _ in shared.most_common(1):
            lines = sum((w.lines for w in self.by_path[path] if w.open), Counter[int]())
            if (added & lines).total() * 5 >= max(added.total(), lines.total()) * 4:
                return path
        return None

    def _written_until(self, written: Sequence[Writing], time: float) -> Sequence[Writing]:
        """The writings that the log does not date after the commit: time can refute, but not prove."""
        return [w for w in written if not time or w.at is None or w.at <= time + _CLOCK]


def _hash_lines(lines: Iterable[str]) -> Counter[int]:
    """Hash the lines with a letter or a digit, without their blanks, which formatters change."""
    return Counter(_hash(_without_blanks(line)) for line in lines if any(map(str.isalnum, line)))


def _without_blanks(line: str) -> str:
    return "".join(line.split())


def _hash(line: str) -> int:
    """A hash that is the same in every process, unlike ``hash()``."""
    return int.from_bytes(hashlib.blake2b(line.encode("utf-8", "surrogateescape"), digest_size=8).digest())


def _blob_ids(text: str | None) -> frozenset[str]:
    """The ids that git may give to a text: with its line ends unchanged and as ``autocrlf`` stores them, each
    in a repository of either object format."""
    ids = set()
    for variant in {text, text.replace("\r\n", "\n")} if text is not None else ():
        body = variant.encode("utf-8", "surrogateescape")
        blob = b"blob %d\0" % len(body) + body
        ids |= {hashlib.sha1(blob, usedforsecurity=False).hexdigest(), hashlib.sha256(blob).hexdigest()}
    return frozenset(ids)

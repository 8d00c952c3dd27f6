"""Decides which records go where when a commit is split, or squashed with others: each new commit gets those
of the work that is in it.

A rewrite reports which commits one became, and cannot report which of its sessions went where.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from gittraj.frozen import dataclass
from gittraj.git import CommitChanges
from gittraj.model.values import Key, Line, Record

Group = tuple[str, str | None]
"""A trajectory, and the call that its parts are linked by: these parts stay together."""


class SplitCommits:
    """``pairs`` are (old, new) commits, ``gathered`` those of them (old: news) that a squash made; ``read``
    returns the changes of those commits that it can read, and ``note`` the lines of a commit's note."""

    def __init__(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        read: Callable[[Collection[str]], Mapping[str, CommitChanges]],
        note: Callable[[str], Iterable[Line]],
        gathered: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self._news: dict[str, dict[str, None]] = {}
        self._olds: dict[str, set[str]] = {}
        for old, new in pairs:
            if old != new:
                self._news.setdefault(old, {})[new] = None
                self._olds.setdefault(new, set()).add(old)
        self._read = read
        self._note = note
        self._gathered = gathered
        self._changes: dict[str, CommitChanges | None] = {}

    def fitting(self, old: str, new: str, lines: Iterable[Line]) -> list[Line]:
        """The lines of ``old`` that belong on ``new``. Of several new commits only those that changed a file
        which the work changed get its records, unless none did, and of fragments that are based on each other
        only those that have something of what it made. A squash gets no record of work of which it adds
        nothing: its parent had these lines already."""
        lines = list(lines)
        parted = len(self._news.get(old, ())) > 1 and new in self._news[old]  # an amend may be reversed
        joined = new in self._gathered.get(old, ())
        if not parted and not joined:
            return lines
        files: dict[Group, set[str]] = {}
        made: dict[Key, set[str]] = {}
        for record in _records((*lines, *self._note(old))):
            files.setdefault(_group(record), set()).update(file.path for file in record.figures.files)
            made.setdefault(record.key, set()).update(self._own(record))
        known = dict(self._work({commit for each in made.values() for commit in each}))
        among = {c: changes for c, changes in self._of(self._news.get(old, ())) if changes}
        fragment = _Fragment(new, among, _neighbours({new, *self._came_from(new)}, among))

        @cache
        def fits(group: Group, commits: frozenset[str]) -> bool:
            own = [changes for commit in commits if (changes := known[commit])]
            if len(own) < len(commits):  # not everything that it made is here: this cannot be decided
                own = []
            elsewhere = parted and fragment.lacks(own, files[group])
            return not elsewhere and not (joined and self._is_spent(new, own))

        return [
            line
            for line in lines
            if not isinstance(line, Record) or fits(_group(line), frozenset(made[line.key]))
        ]

    def _came_from(self, new: str) -> set[str]:
        found: set[str] = set()
        queue = [new]
        while queue:
            olds = self._olds.get(queue.pop(), set()) - found
            found |= olds
            queue += olds
        return found

    def _is_spent(self, new: str, own: Collection[CommitChanges]) -> bool:
        """Whether the squash ``new`` adds nothing of the work; a merge follows what it merged."""
        squash = dict(self._of([new]))[new]
        if squash is None or not own:
            return False
        return all(len(one.parents) < 2 and not squash.holds(one) for one in own)

    def _own(self, record: Record) -> Iterator[str]:
        """Yield the commits that the recorded work led to, without those that it was only carried to."""
        if record.origin is not None:
            yield record.origin.commit
        for commit in record.link.carried_from:
            noted = _records(self._note(commit))
            if any(r.key == record.key and r.origin and r.origin.commit == commit for r in noted):
                yield commit

    def _work(self, commits: Collection[str]) -> Iterator[tuple[str, CommitChanges | None]]:
        """Yield what each commit changed beyond the commits that it was rewritten from, which are the work of
        others; all of its changes if it only copies those."""
        for commit, changes in self._of(commits):
            left = changes
            for _, before in self._of(self._olds.get(commit, ())):
                left = _without(left, before) if left and before else left
            yield commit, left if left and left.paths else changes

    def _of(self, commits: Collection[str]) -> Iterator[tuple[str, CommitChanges | None]]:
        if missing := [commit for commit in commits if commit not in self._changes]:
            self._changes |= dict.fromkeys(missing) | dict(self._read(missing))
        yield from ((commit, self._changes[commit]) for commit in commits)


@dataclass(frozen=True, slots=True)
class _Fragment:
    """One of the new commits ``among`` which an old one was split; ``neighbours``: those of them that are its
    ancestors or descendants."""

    commit: str
    among: Mapping[str, CommitChanges]
    neighbours: Collection[str]

    def lacks(self, own: Collection[CommitChanges], files: Collection[str]) -> bool:
        """Whether other fragments have what the work did to ``files`` (its ``own`` changes), but not this."""
        touching = {c for c, changes in self.among.items() if not changes.names.isdisjoint(files)}
        having = {c for c in self.neighbours if any(_has(self.among[c], one, files) for one in own)}
        return any(some and self.commit not in some for some in (touching, having))


def _records(lines: Iterable[Line]) -> Iterator[Record]:
    return (line for line in lines if isinstance(line, Record))


def _neighbours(commits: Collection[str], among: Mapping[str, CommitChanges]) -> set[str]:
    """Those ``among`` that ``commits`` reach by going from commit to parent or child within ``among``."""
    found: set[str] = set()
    queue = [*commits]
    while queue:
        at = queue.pop()
        if at in among and at not in found:
            found.add(at)
            queue += [*among[at].parents, *(c for c, changes in among.items() if at in changes.parents)]
    return found


def _without(changes: CommitChanges, before: CommitChanges) -> CommitChanges:
    had = {path.path: path.added for path in before.paths}
    left = (
        replace(path, added=tuple(line for line in path.added if line not in had.get(path.path, ())))
        for path in changes.paths
        if path not in before.paths
    )
    return replace(changes, paths=tuple(left))


def _has(fragment: CommitChanges, whole: CommitChanges, files: Collection[str]) -> bool:
    """Whether a fragment has some of what ``whole`` did to ``files``, or to others if to none of those."""
    parts = [path for path in whole.paths if path.path in files] or whole.paths
    return any(fragment.holds(replace(whole, paths=(part,))) for part in parts)


def _group(record: Record) -> Group:
    return record.id, record.link.call

"""Decides which new commit gets which records when a commit is split, or squashed with others: each new
commit gets the records of the work that is in it.

git reports which commits a commit became, but not which of its sessions' work is in which.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from types import MappingProxyType

from gittraj.frozen import dataclass
from gittraj.git import CommitChanges
from gittraj.model.values import Key, Line, Record

Group = tuple[str, str | None]
"""A trajectory, and the call that links its parts to a commit: these parts stay together."""


class SplitCommits:
    """Knows which commits became which, and selects the records for the new ones. ``pairs`` are (old, new)
    commits; ``squashed`` maps old commits to the squashes that they went into. ``read`` returns the changes
    of those commits that it can read, ``note`` the lines of a commit's note."""

    def __init__(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        read: Callable[[Collection[str]], Mapping[str, CommitChanges]],
        note: Callable[[str], Iterable[Line]],
        squashed: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self._news: dict[str, dict[str, None]] = {}
        self._olds: dict[str, set[str]] = {}
        for old, new in pairs:
            if old != new:
                self._news.setdefault(old, {})[new] = None
                self._olds.setdefault(new, set()).add(old)
        self._read = read
        self._note = note
        self._squashed = squashed
        self._changes: dict[str, CommitChanges | None] = {}

    def select(self, old: str, new: str, lines: Iterable[Line]) -> list[Line]:
        """Return the lines of ``old`` that belong to ``new``.

        If ``old`` was split, only those new commits get a record that changed a file which the recorded work
        changed, unless no new commit did; and of new commits that are based on each other only those that
        have some of the work's changes. A squash gets no record of work of which it adds nothing, because
        its parent already had these lines.
        """
        lines = list(lines)
        split, squashed = self._is_split(old, new), new in self._squashed.get(old, ())
        if not split and not squashed:
            return lines
        files, commits_of = self._describe_work((*lines, *self._note(old)))
        known = dict(self._own_changes({*chain.from_iterable(commits_of.values())}))
        fragment = self._fragment(old, new)

        @cache
        def belongs(group: Group, commits: frozenset[str]) -> bool:
            own = _all_or_none(known[commit] for commit in commits)
            is_elsewhere = split and fragment.lacks(own, files[group])
            return not is_elsewhere and not (squashed and self._adds_nothing(new, own))

        return [
            line
            for line in lines
            if not isinstance(line, Record) or belongs(_group(line), frozenset(commits_of[line.key]))
        ]

    def _is_split(self, old: str, new: str) -> bool:
        """Whether ``new`` is one of several commits that ``old`` became. False if no rewrite from ``old`` to
        ``new`` is known, but one in the other direction: an amend may be undone."""
        return len(self._news.get(old, ())) > 1 and new in self._news[old]

    def _describe_work(self, lines: Iterable[Line]) -> tuple[dict[Group, set[str]], dict[Key, set[str]]]:
        """Return the files that each group of parts changed, and the commits that each part led to."""
        files: dict[Group, set[str]] = {}
        commits: dict[Key, set[str]] = {}
        for record in _records(lines):
            files.setdefault(_group(record), set()).update(file.path for file in record.figures.files)
            commits.setdefault(record.key, set()).update(self._led_to(record))
        return files, commits

    def _fragment(self, old: str, new: str) -> _Fragment:
        among = {c: changes for c, changes in self._changes_of(self._news.get(old, ())) if changes}
        return _Fragment(new, among, _neighbours({new, *self._came_from(new)}, among))

    def _came_from(self, new: str) -> set[str]:
        ancestors: set[str] = set()
        queue = [new]
        while queue:
            olds = self._olds.get(queue.pop(), set()) - ancestors
            ancestors |= olds
            queue += olds
        return ancestors

    def _adds_nothing(self, new: str, own: Collection[CommitChanges]) -> bool:
        """Whether the squash ``new`` adds nothing of the changes ``own``. A merge is never said to add
        nothing, because its changes are in the commits that it merged."""
        squash = dict(self._changes_of([new]))[new]
        if squash is None or not own:
            return False
        return all(len(one.parents) < 2 and not squash.shares_changes_with(one) for one in own)

    def _led_to(self, record: Record) -> Iterator[str]:
        """Yield the commits that the recorded work led to, without those that it was only carried to."""
        if record.origin is not None:
            yield record.origin.commit
        for commit in record.link.carried_from:
            noted = _records(self._note(commit))
            if any(r.key == record.key and r.origin and r.origin.commit == commit for r in noted):
                yield commit

    def _own_changes(self, commits: Collection[str]) -> Iterator[tuple[str, CommitChanges | None]]:
        """Yield what each commit changed beyond the commits that it was rewritten from, which have the work
        of others; all of its changes if it only copies theirs."""
        for commit, changes in self._changes_of(commits):
            left = changes
            for _, before in self._changes_of(self._olds.get(commit, ())):
                left = _without(left, before) if left and before else left
            yield commit, left if left and left.paths else changes

    def _changes_of(self, commits: Collection[str]) -> Iterator[tuple[str, CommitChanges | None]]:
        if missing := [commit for commit in commits if commit not in self._changes]:
            self._changes |= dict.fromkeys(missing) | dict(self._read(missing))
        yield from ((commit, self._changes[commit]) for commit in commits)


@dataclass(frozen=True, slots=True)
class _Fragment:
    """The new ``commit``; ``among`` are the new commits that an old one was split into, as far as their
    changes can be read. ``neighbours`` are those of them that can be reached, by steps to a parent or child,
    from ``commit`` (itself included) or from a commit that became it."""

    commit: str
    among: Mapping[str, CommitChanges]
    neighbours: Collection[str]

    def lacks(self, own: Collection[CommitChanges], files: Collection[str]) -> bool:
        """Whether other fragments have what the work did to ``files`` (its ``own`` changes) and this one does
        not."""
        touching = {c for c, changes in self.among.items() if not changes.names.isdisjoint(files)}
        having = {c for c in self.neighbours if any(_has(self.among[c], one, files) for one in own)}
        return any(some and self.commit not in some for some in (touching, having))


def _records(lines: Iterable[Line]) -> Iterator[Record]:
    return (line for line in lines if isinstance(line, Record))


def _all_or_none(changes: Iterable[CommitChanges | None]) -> list[CommitChanges]:
    """Return ``changes``, or an empty list if some are unknown: what only some of them show is not used."""
    listed = list(changes)
    known = [each for each in listed if each]
    return known if len(known) == len(listed) else []


def _neighbours(commits: Collection[str], among: Mapping[str, CommitChanges]) -> set[str]:
    """The commits in ``among`` that can be reached from ``commits`` by steps from a commit to a parent or a
    child, within ``among``."""
    reached: set[str] = set()
    queue = [*commits]
    while queue:
        at = queue.pop()
        if at in among and at not in reached:
            reached.add(at)
            queue += [*among[at].parents, *(c for c, changes in among.items() if at in changes.parents)]
    return reached


def _without(changes: CommitChanges, before: CommitChanges) -> CommitChanges:
    added_before = {path.path: path.added for path in before.paths}
    left = (
        replace(path, added=tuple(line for line in path.added if line not in added_before.get(path.path, ())))
        for path in changes.paths
        if path not in before.paths
    )
    return replace(changes, paths=tuple(left))


def _has(fragment: CommitChanges, work: CommitChanges, files: Collection[str]) -> bool:
    """Whether ``fragment`` has some of what ``work`` did to ``files`` or, if it changed none of them, to
    other files."""
    parts = [path for path in work.paths if path.path in files] or work.paths
    return any(fragment.shares_changes_with(replace(work, paths=(part,))) for part in parts)


def _group(record: Record) -> Group:
    return record.id, record.link.call

"""A table of the commits that rewritten work may have come from or gone to. This module does not call git."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from functools import cached_property
from typing import Literal, TypeVar

from gittraj.frozen import dataclass

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Pair = tuple[str, str]
"""A rewritten commit, and the one that has its work now."""
Change = tuple[str, str]
"""Two trees, before and after."""
Paths = Mapping[bytes, tuple[bytes, bytes]]
"""The paths of a change, each with mode and blob before and after."""


Source = Literal["told", "reflog", "patch-id", "tree", "squash", "pull"]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The work of ``old`` is in ``new``. ``source`` is the evidence for the last rewrite between them, or
    ``squash`` if one of the rewrites was a squash. ``told`` means that the rewrite was known before;
    ``pull``, that the subject has the number of a pull request. An id quoted by ``cherry-pick -x`` counts as
    ``patch-id``, an id quoted by a squash as ``squash``."""

    old: str
    new: str
    source: Source


def group(items: Iterable[T], key: Callable[[T], K | None]) -> dict[K, list[T]]:
    """Group the items by their keys, in order; items without a key are left out."""
    groups: dict[K, list[T]] = {}
    for item in items:
        name = key(item)
        if name is not None:
            groups.setdefault(name, []).append(item)
    return groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit. ``authored`` is ``seconds zone`` as git stores it, ``committed`` is in seconds since 1970."""

    id: str
    parents: tuple[str, ...]
    tree: str
    author: str
    authored: str
    committed: int
    message: str

    @property
    def subject(self) -> str:
        return self.message.lstrip("\n").partition("\n")[0].strip()

    @property
    def identity(self) -> tuple[str, str, str]:
        """The fields that git keeps when it rewrites a commit."""
        return self.author, self.authored, self.subject

    @property
    def began(self) -> int:
        """The author date, in seconds since 1970: no copy of the commit is older."""
        seconds = self.authored.partition(" ")[0].lstrip("+-")
        return int(seconds) if seconds.isdigit() else 0


@dataclass(frozen=True)  # without slots: cached_property needs a __dict__
class History:
    """The table: ``commits`` are in order, children first; ``empty`` is the id of the tree without files.
    ``patches`` has the patch-ids and ``paths`` the paths of changes, as far as ``reading.Patches`` read
    them."""

    commits: Mapping[str, Commit]
    reachable: frozenset[str]
    empty: str
    patches: dict[Change, str] = field(default_factory=dict)
    paths: dict[Change, Paths] = field(default_factory=dict)

    @cached_property
    def children(self) -> Mapping[str, list[str]]:
        children: dict[str, list[str]] = {}
        for commit in self.commits.values():
            for parent in commit.parents:
                children.setdefault(parent, []).append(commit.id)
        return children

    def ancestors(self, tips: Iterable[str], *, without: Collection[str] = ()) -> set[str]:
        """The commits reachable from ``tips``, these included, without passing through ``without``."""
        seen: set[str] = set()
        queue = [tip for tip in tips if tip in self.commits]
        while queue:
            commit = queue.pop()
            if commit not in seen and commit not in without:
                seen.add(commit)
                queue += [p for p in self.commits[commit].parents if p in self.commits]
        return seen

    def between(self, base: str, *tips: str) -> list[str]:
        """The commits that ``tips`` have and ``base`` does not have, oldest first."""
        return self.sort(self.ancestors(tips, without=self.ancestors([base])))

    def sort(self, commits: Iterable[str]) -> list[str]:
        """The commits, oldest first."""
        return sorted(commits, key=self._order.__getitem__, reverse=True)

    def merge_base(self, one: str, other: str) -> str | None:
        """The latest common ancestor; a commit counts as its own ancestor."""
        shared = self.ancestors([one]) & self.ancestors([other])
        return min(shared, key=self._order.__getitem__, default=None)

    def change(self, commit: str) -> Change | None:
        """The change of a commit; None for a merge, for an empty commit, and if its parent is not here."""
        here = self.commits[commit]
        if len(here.parents) > 1 or not all(p in self.commits for p in here.parents):
            return None
        before = self.commits[here.parents[0]].tree if here.parents else self.empty
        return (before, here.tree) if before != here.tree else None

    def step(self, commit: str) -> Change | None:
        """The change against the first parent, also of a merge; None for a root or an empty commit."""
        here = self.commits[commit]
        before = self.commits.get(here.parents[0]) if here.parents else None
        return (before.tree, here.tree) if before and before.tree != here.tree else None

    def patch(self, change: Change | None) -> str | None:
        """The patch-id of a change; None if it is not known."""
        return self.patches.get(change) if change else None

    def names(self, change: Change | None) -> Set[bytes]:
        """The paths of a change, as far as they are known."""
        return self.paths.get(change, {}).keys() if change else set()

    def line(self, tip: str, *, most: int) -> Iterator[str]:
        """``tip`` and its first parents, at most ``most`` commits."""
        at: str | None = tip
        for _ in range(most):
            if at is None or at not in self.commits:
                return
            yield at
            parents = self.commits[at].parents
            at = parents[0] if parents else None

    @cached_property
    def by_parents(self) -> Mapping[tuple[str, ...], list[Commit]]:
        """The reachable commits, grouped by their parents."""
        return group((self.commits[c] for c in self.reachable), lambda commit: commit.parents)

    @cached_property
    def by_identity(self) -> Mapping[tuple[str, str, str], list[str]]:
        return group(self.commits, lambda commit: self.commits[commit].identity)

    @cached_property
    def _order(self) -> Mapping[str, int]:
        return {commit: position for position, commit in enumerate(self.commits)}


class Kin:
    """Knows which marked commits are ancestors or descendants of any other commit: computed in one pass over
    the history, instead of a walk for each question."""

    def __init__(self, history: History, marked: Iterable[str]) -> None:
        self._bits = {commit: 1 << i for i, commit in enumerate(marked)}
        self._all = (1 << len(self._bits)) - 1
        self._above = dict.fromkeys(history.commits, 0)
        self._below = dict.fromkeys(history.commits, 0)
        for commit in history.commits.values():  # children first
            below = self._below[commit.id] = self._below[commit.id] | self._bits.get(commit.id, 0)
            for parent in commit.parents:
                if parent in self._below:
                    self._below[parent] |= below
        for commit in reversed(history.commits.values()):  # type: ignore[call-overload]
            above = self._bits.get(commit.id, 0)
            for parent in commit.parents:
                above |= self._above.get(parent, 0)
            self._above[commit.id] = above

    def related(self, marked: str, other: str) -> bool:
        """Whether one is an ancestor of the other, or both are the same."""
        return bool(self._bits[marked] & (self._above[other] | self._below[other]))

    def related_to_all(self, commit: str) -> bool:
        return self._above[commit] | self._below[commit] == self._all

    def descends(self, commit: str) -> bool:
        """Whether a commit is marked, or has a marked ancestor."""
        return self._above[commit] != 0


def leads(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Map each commit to the commits that it became in one step."""
    became: dict[str, list[str]] = {}
    for old, new in pairs:
        if old != new and new not in became.setdefault(old, []):
            became[old].append(new)
    return became


def follow(starts: Iterable[str], became: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield ``starts`` and all commits that they became."""
    seen: set[str] = set()
    queue = list(starts)
    while queue:
        commit = queue.pop()
        if commit not in seen:
            seen.add(commit)
            yield commit
            queue += became.get(commit, ())

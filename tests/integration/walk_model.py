"""Which works each commit must have after a walk, by the patches that plain git shows and its messages.

A **work** is what an agent did for one commit. Its lines contain its name (``w17x2``), so a commit's own diff
shows which works are in it. This knows nothing of git-traj: no notes, no reflogs, no rewriting.

- A commit is **due** the works that were born in it (it resulted from them), and those that a rewrite
  brought: a commit that it was made of was due them, and it adds some of the lines that that commit added. A
  merge adds no lines of its own: its work passes to a merge, or to a commit that adds what the merge brought.
  A commit that nothing reaches any more is due only what was born in it: what a rewrite brought is due on the
  commit that has it now, and those records may have come from another clone only after this commit was gone.
- A commit **may** have the works that it adds lines of, and those of the commits of which git itself says
  that they became it.

What a commit was made of comes from git's own ``post-rewrite`` and from the walk's deed. If there is no
evidence, and so no link is due, the deed passes ``sure=False``, for one of these reasons:

1. a revert, and a revert of it, copies nothing (it is not reported as a source);
2. a person applied a patch by hand (``cherry-pick --no-commit``, then a commit of their own): that looks the
   same as work that was done twice;
3. a commit was split, and still exists elsewhere (except the piece that git names to a hook);
4. a squash without its message and without hooks, which may differ from the sum of its parts;
5. a rebase skipped a commit that became empty: git then names the commit below, which was there before. The
   lines of the work that are in that one got there independently.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

NAME = re.compile(r"\b(w\d+)x\d+\b")
_LINE = re.compile(r"\bw\d+x\d+\b")


@dataclass(frozen=True, slots=True)
class Source:
    """A commit that another was made of. ``sure``: there is evidence of it; ``reported``: git reported it."""

    commit: str
    sure: bool = True
    reported: bool = False


@dataclass(slots=True)
class Patch:
    """The works of which a commit adds lines that it does not also remove, and these lines."""

    works: frozenset[str]
    lines: frozenset[str] = frozenset()

    def of_work(self, work: str) -> frozenset[str]:
        return frozenset(line for line in self.lines if work in NAME.findall(line))

    @classmethod
    def of(cls, diff: str) -> Patch:
        """Parse a diff without context: a line that is removed and added again was moved, not added."""
        added: Counter[str] = Counter()
        lines: Counter[str] = Counter()
        for line in diff.splitlines():
            if line.startswith(("+", "-")) and (tokens := _LINE.findall(line)):
                for token in tokens:
                    added[token] += 1 if line[0] == "+" else -1
                lines[line[1:]] += 1 if line[0] == "+" else -1
        return cls(frozenset(token.partition("x")[0] for token in +added), frozenset(+lines))


@dataclass(slots=True)
class Model:
    """``diff`` returns plain git's diff of a commit against its first parent, empty for a merge."""

    diff: Callable[[str], str]
    born: dict[str, set[str]] = field(default_factory=dict)
    perhaps: set[tuple[str, str]] = field(default_factory=set)
    """Births (commit, work) that a recorder may miss."""
    sources: dict[str, list[Source]] = field(default_factory=dict)
    lines: set[str] = field(default_factory=set)
    """The works that wrote lines."""
    merged: dict[str, frozenset[str]] = field(default_factory=dict)
    """What merges brought in, by the merges' works: a commit of just that may replace the merge."""
    _patches: dict[str, Patch] = field(default_factory=dict)

    def bear(self, commit: str, work: str, *, sure: bool = True) -> None:
        """Record that ``commit`` resulted from ``work``."""
        self.born.setdefault(commit, set()).add(work)
        if not sure:
            self.perhaps.add((commit, work))

    def copy(
        self, old: str, new: str, *, sure: bool = True, reported: bool = False, heard: bool = True
    ) -> None:
        """Record that ``new`` was made of ``old``. If no hook ``heard`` of it, an unsure source stays so."""
        sources = self.sources.setdefault(new, [])
        doubted = any(source.commit == old and not source.sure for source in sources)
        source = Source(old, sure and (heard or not doubted), reported)
        if old != new and source not in sources:
            sources.append(source)

    def adds(self, commit: str) -> frozenset[str]:
        return self._patch(commit).works

    def _patch(self, commit: str) -> Patch:
        if commit not in self._patches:
            self._patches[commit] = Patch.of(self.diff(commit))
        return self._patches[commit]

    def due(self, commit: str) -> set[str]:
        return self._due(commit, frozenset())

    def own(self, commit: str) -> set[str]:
        """Return the works that were born in the commit, without those that a recorder may miss."""
        return {work for work in self.born.get(commit, ()) if (commit, work) not in self.perhaps}

    def _due(self, commit: str, above: frozenset[str]) -> set[str]:
        found = self.own(commit)
        for source in self.sources.get(commit, ()):
            if source.sure and source.commit not in above:
                brought = self._due(source.commit, above | {commit})
                found |= {work for work in brought if self._has(commit, work, source.commit)}
        return found

    def _has(self, commit: str, work: str, source: str) -> bool:
        """Whether a work came from this source: other lines of the work may have come from elsewhere."""
        if work in self.lines:
            theirs = self._patch(source).of_work(work)
            shared = not theirs or not theirs.isdisjoint(self._patch(commit).lines)
            return work in self.adds(commit) and shared
        return not self.diff(commit) or not self.adds(commit).isdisjoint(self.merged.get(work, ()))

    def may(self, commit: str) -> set[str]:
        return self._may(commit, frozenset())

    def _may(self, commit: str, above: frozenset[str]) -> set[str]:
        """A work that a source may have only by git's report, without a line, passes to its copies, too."""
        own = {*self.adds(commit), *self.born.get(commit, ())}
        own |= {work for work, brought in self.merged.items() if brought & self.adds(commit)}
        for source in self.sources.get(commit, ()):
            if source.commit not in above:
                may = self._may(source.commit, above | {commit})
                shown = {*self.adds(source.commit), *self.born.get(source.commit, ())}
                own |= may if source.reported else may - shown
        return own

    def lost(self, commit: str, carried: Iterable[str]) -> set[str]:
        return self.due(commit) - {*carried}

    def wrong(self, commit: str, carried: Iterable[str]) -> set[str]:
        return {*carried} - self.may(commit)

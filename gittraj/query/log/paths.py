"""Finds the commits that touched a path, by their diff to the first parent, following renames.

``git log --follow`` loses the name where branches meet, and its simplification of history drops a merge that
equals its second parent. This module passes a name on from each commit to each of its parents, and changes it
where that step renamed the file. It takes a handful of git processes, however long the history is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from pathlib import Path

from gittraj.errors import GitError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.query.notes import Change, IndexLookup, Step

# with git's default, 96 MB, trees are unpacked again and again: a quarter of the time for 20,000 commits
_DIFF = (
    *("-c", "core.deltaBaseCacheLimit=128m", "diff-tree", "--stdin", "-r", "--root", "-z", "--name-status"),
    "--ignore-submodules=none",
)
_WALK = ("rev-list", "--date-order", "--parents", "--end-of-options")
RENAMES = ("--find-renames=50%", "-l1000")


@dataclass(frozen=True, slots=True)
class Ancestry:
    """Commits, children first, with the parents that git knows: no parents at the edge of a shallow clone."""

    repository: Repository
    parents: Mapping[str, Sequence[str]]
    _edge: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def read(cls, repository: Repository, rev: str) -> Ancestry:
        """Read the commits that ``rev`` (``A``, ``A..B``) reaches, newest first. Raises GitError for an
        unknown revision."""
        listed = repository.run(*_WALK, rev, "--", check=False)
        if listed.code != 0 and rev == "HEAD" and repository.head() is None:
            return cls(repository, {})  # an unborn branch
        if listed.code != 0:
            raise GitError(
                f"'{rev}' is not a revision of this repository",
                hint="git log --all --oneline lists them; a path that is gone goes after --",
            )
        rows = (line.split() for line in listed.text.splitlines())
        return cls(repository, {commit: tuple(parents) for commit, *parents in rows})

    def diff(
        self, steps: Iterable[Step], *options: str, paths: Sequence[str] = (), cwd: Path | None = None
    ) -> dict[Step, list[Change]]:
        """Return the changes in each step, without steps whose content is missing here.

        Raises GitError for a path that git refuses.
        """
        asked: dict[int, list[str]] = {}
        for commit, number in steps:
            if not self.is_edge(commit):
                asked.setdefault(number, []).append(commit)
        answers: dict[Step, list[Change]] = {}
        for number, commits in asked.items():
            for answer in self.ask(commits, number, *options, "--", *paths, cwd=cwd):
                answers.update(((commit, number), changes) for commit, changes in read_changes(answer))
        return answers

    def ask(
        self, commits: Sequence[str], number: int, *arguments: str, cwd: Path | None = None
    ) -> Iterator[bytes]:
        """Diff each commit with the parent of that ``number``; the output is for ``read_changes``. Commits at
        the edge are not allowed.

        Raises GitError for a path that git refuses.
        """
        rows = (f"{c} {self.parents[c][number]}\n" if self.parents[c] else f"{c}\n" for c in commits)
        lines = "".join(rows).encode()
        done = self.repository.run(*_DIFF, *arguments, input=lines, check=False, cwd=cwd)
        if done.code == 0:
            yield done.out
        elif len(commits) > 1 and b"outside repository" not in done.err:
            half = len(commits) // 2  # one missing object stops git: find its commit, answer for the others
            yield from self.ask(commits[:half], number, *arguments, cwd=cwd)
            yield from self.ask(commits[half:], number, *arguments, cwd=cwd)
        elif b"pathspec" in done.err or b"outside repository" in done.err:
            raise GitError(done.complaint, hint="name paths of this repository, relative to this folder")

    def is_edge(self, commit: str) -> bool:
        """Whether a commit has parents that are cut off: what it changed is unknown."""
        if self.parents[commit]:
            return False
        if commit not in self._edge:
            self._edge[commit] = bool(self.repository.objects.commit(commit).parents)
        return self._edge[commit]


def touching(
    ancestry: Ancestry, candidates: Sequence[str], pathspecs: Sequence[str], *, cwd: Path | None = None
) -> set[str]:
    """Return those of ``candidates`` whose first-parent diff matches one of the pathspecs, read as in
    ``cwd``."""
    steps = [(commit, 0) for commit in candidates]
    return {commit for commit, _ in ancestry.diff(steps, "--no-renames", paths=pathspecs, cwd=cwd)}


def following(ancestry: Ancestry, paths: Collection[str], index: IndexLookup | None = None) -> set[str]:
    """Return the commits whose first-parent diff touches one of ``paths`` (from the top), under earlier names
    too. An ``index`` may make git's diffs unnecessary.

    A folder's path includes what is in it; folder renames are not followed.
    """
    changed: dict[Step, list[Change]] = {}
    renamed: dict[Step, dict[str, str]] = {}
    if index is None or not index.read_steps(ancestry.parents, paths, changed, renamed):
        _read_steps(ancestry, paths, changed, renamed)
    return set(_hand_down(ancestry, paths, changed, renamed))


def _read_steps(
    ancestry: Ancestry,
    paths: Collection[str],
    changed: dict[Step, list[Change]],
    renamed: dict[Step, dict[str, str]],
) -> None:
    """Add to ``changed`` and ``renamed`` how the paths, under earlier names too, changed in each step."""
    names: set[str] = set()
    fresh = set(paths)
    steps = [(c, n) for c, parents in ancestry.parents.items() for n in range(max(1, len(parents)))]
    while fresh:
        names |= fresh
        literal = list(map(":(top,literal){}".format, sorted(fresh)))
        touched = ancestry.diff(steps, "--no-renames", paths=literal)
        for step, changes in touched.items():
            changed.setdefault(step, []).extend(changes)
        added = [step for step, changes in touched.items() if _adds(changes, fresh)]
        for step, changes in ancestry.diff(added, *RENAMES, "--diff-filter=R").items():
            renamed.setdefault(step, {}).update({new: old for _, old, new in changes if new in fresh})
        fresh = set(chain.from_iterable(map(dict.values, renamed.values()))) - names


def _adds(changes: Iterable[Change], names: Collection[str]) -> bool:
    return any(kind == "A" and new in names for kind, _, new in changes)


def _hand_down(
    ancestry: Ancestry,
    paths: Collection[str],
    changed: Mapping[Step, Sequence[Change]],
    renamed: Mapping[Step, Mapping[str, str]],
) -> Iterator[str]:
    """Yield the commits that touched a name that one of the paths had there."""
    names: dict[str, set[str]] = {}
    for commit, parents in ancestry.parents.items():
        here = names.setdefault(commit, set(paths))
        if any(is_below(path, name) for _, _, path in changed.get((commit, 0), ()) for name in here):
            yield commit
        for number, parent in enumerate(parents):
            table = renamed.get((commit, number), {})
            names.setdefault(parent, set()).update(table.get(name, name) for name in here)


def read_changes(data: bytes) -> Iterator[tuple[str, list[Change]]]:
    """Parse ``diff-tree -z --name-status``: a commit's id, then letters, each with one path or two."""
    tokens = iter(data.decode("utf-8", "surrogateescape").split("\0")[:-1])
    commit, changes = "", list[Change]()
    for token in tokens:
        if token[:1].isupper():
            old = next(tokens)
            changes.append((token[0], old, next(tokens) if token[0] in "RC" else old))
            continue
        if commit:
            yield commit, changes
        commit, changes = token, []
    if commit:
        yield commit, changes


def is_below(file: str, path: str) -> bool:
    """Whether ``file`` is ``path``, or in that folder."""
    return path in (".", file) or file.startswith(f"{path}/")

"""Finds the last recorded change of lines, or of their path, before a commit without a record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from gittraj.errors import GitError
from gittraj.git import BlamedLine, Repository, start_blame
from gittraj.notes.store import NotesRef
from gittraj.query.log.paths import Ancestry, touching
from gittraj.query.records import Recorded

_FAR = 1000  # ancestors of a commit that are searched
_FEW = 3  # the most commits whose replaced lines are blamed, each separately
_SHORT = 200  # the most lines of one such commit
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
Read = Callable[[Collection[str]], Recorded]
"""Returns the records on the given commits."""


def find_all_previous(
    repository: Repository,
    silent: Mapping[str, Sequence[BlamedLine]],
    read: Read,
    find_noted: Callable[[Collection[str]], Collection[str] | None],
) -> dict[str, tuple[str, bool]]:
    """Find an earlier commit with a record for each of the ``silent`` commits, which have none: the one that
    wrote most of the lines that the silent commit's lines replaced, with True; or else the last one that
    touched the path of these lines, with False. ``find_noted`` returns the commits with a note that touched
    one of the given paths, and maybe others, or None if unknown."""
    of_lines = _find_replaced(repository, silent, read)
    asked = {c: {line.path for line in lines} for c, lines in silent.items() if c not in of_lines}
    known = find_noted(set().union(*asked.values())) if asked else None
    commits = find_previous(repository, asked, known) | of_lines
    return {commit: (previous, commit in of_lines) for commit, previous in commits.items()}


def _find_replaced(
    repository: Repository, asked: Mapping[str, Sequence[BlamedLine]], read: Read
) -> dict[str, str]:
    """Return for each commit the commit with a record that wrote most of the lines that were replaced there;
    many commits, or many lines, are not searched."""
    few = {c: lines for c, lines in asked.items() if len(asked) <= _FEW and len(lines) <= _SHORT}
    before = {c: _read_replaced(repository, lines) for c, lines in few.items()}
    recorded = read({*chain.from_iterable(before.values())})
    best = {
        c: _first_recorded(recorded, (each for each, _ in wrote.most_common())) for c, wrote in before.items()
    }
    return {commit: known for commit, known in best.items() if known}


def _read_replaced(repository: Repository, lines: Sequence[BlamedLine]) -> Counter[str]:
    """Count by commit the lines that these lines of one commit replaced."""
    one = lines[0]
    if one.parent is None or one.was is None:
        return Counter()
    sides = (f"{one.parent}:{one.was}", f"{one.commit}:{one.path}")
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--inter-hunk-context=0")
    diff = repository.run("diff", "-U0", "-w", *plain, *sides, check=False).out
    old = _place_before(diff, {line.first for line in lines if line.path == one.path})
    if not old:
        return Counter()
    try:
        blamed = start_blame(repository, one.was, span=(min(old), max(old)), rev=one.parent).read()
    except GitError:
        return Counter()
    return Counter(line.commit for line in blamed if line.commit and line.number in old)


def _place_before(diff: bytes, wanted: Set[int]) -> set[int]:
    """Return the old numbers of the lines that the ``wanted`` lines replaced: one for one if the hunk has as
    many old lines as new ones, or else all old lines of the hunk."""
    old: set[int] = set()
    for hunk in _HUNK.finditer(diff):
        at, gone, new, made = (int(number or 1) for number in hunk.groups())
        asked = wanted & {*range(new, new + made)}
        if gone == made:
            old |= {number - new + at for number in asked}
        elif asked:
            old |= {*range(at, at + gone)}
    return old


def find_previous(
    repository: Repository, asked: Mapping[str, Collection[str]], known: Collection[str] | None = None
) -> dict[str, str]:
    """Return for each commit its newest ancestor that touched one of its paths and has a record, if one is
    near enough. One walk covers all commits that it passes.

    ``known`` are the commits with a note that touched one of the paths, and maybe others; None if unknown.
    """
    previous_of: dict[str, str | None] = {}
    for commit in asked if known is None or known else ():
        if commit not in previous_of:
            previous_of |= _walk(repository, commit, asked, known)
    return {commit: previous for commit, previous in previous_of.items() if previous is not None}


def _walk(
    repository: Repository, start: str, asked: Mapping[str, Collection[str]], known: Collection[str] | None
) -> dict[str, str | None]:
    listing = ("rev-list", "--parents", f"-n{_FAR}", start)
    rows = repository.run(*listing).out.decode().splitlines()
    parents = {commit: tuple(above) for commit, *above in map(str.split, rows)}
    noted = NotesRef(repository).has([*parents]) if known is None else [*filter(known.__contains__, parents)]
    ancestry = Ancestry(repository, parents)
    paths = {commit: frozenset(asked[commit]) for commit in parents if commit in asked}
    specs = {some: [f":(top,literal){path}" for path in sorted(some)] for some in paths.values()}
    touched = {some: touching(ancestry, noted, specs[some]) for some in specs}
    recorded = Recorded(NotesRef(repository).pick(sorted(frozenset().union(*touched.values()))))
    return {
        commit: _first_recorded(
            recorded, filter(touched[some].__contains__, _list_ancestors(parents, commit))
        )
        for commit, some in paths.items()
    }


def _list_ancestors(parents: Mapping[str, Sequence[str]], commit: str) -> Iterator[str]:
    """Yield the ancestors of a commit among the commits of a walk, in the walk's order."""
    above = {*parents[commit]}
    for passed in parents:
        if passed in above:
            above.update(parents[passed])
            yield passed


def _first_recorded(recorded: Recorded, commits: Iterable[str]) -> str | None:
    known = (c for c in commits if c in recorded and any(folded.records(c) for folded in recorded.on(c)))
    return next(known, None)

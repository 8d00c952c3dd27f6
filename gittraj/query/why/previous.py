"""The last recorded change of lines, or of their path, before a commit without a record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from itertools import chain, islice

from gittraj.errors import GitError
from gittraj.git import BlamedLine, Repository, start_blame
from gittraj.notes.store import NotesRef
from gittraj.query.log.paths import Ancestry, touching
from gittraj.query.records import Recorded

_FAR = 1000  # first-parent ancestors of a commit that are searched
_FEW, _SHORT = 3, 200  # commits of whose lines git is asked, each by a blame of its own; lines of each
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
Read = Callable[[Collection[str]], Recorded]


def find_all_previous(
    repository: Repository,
    silent: Mapping[str, Sequence[BlamedLine]],
    read: Read,
    find_noted: Callable[[Collection[str]], Collection[str] | None],
) -> dict[str, tuple[str, bool]]:
    """For commits without a record the previous one of their lines that has one, else that of their file; and
    whether it is of the lines."""
    of_lines = _find_replaced(repository, silent, read)
    asked = {c: {line.path for line in lines} for c, lines in silent.items() if c not in of_lines}
    known = find_noted(set().union(*asked.values())) if asked else None
    found = find_previous(repository, asked, known) | of_lines
    return {commit: (previous, commit in of_lines) for commit, previous in found.items()}


def _find_replaced(
    repository: Repository, asked: Mapping[str, Sequence[BlamedLine]], read: Read
) -> dict[str, str]:
    """For each commit the one with a record that wrote most of what its lines replaced; of many commits it is
    not asked."""
    few = {c: lines for c, lines in asked.items() if len(asked) <= _FEW and len(lines) <= _SHORT}
    before = {c: _read_replaced(repository, lines) for c, lines in few.items()}
    recorded = read({*chain.from_iterable(before.values())})
    best = {
        c: _first_recorded(recorded, (each for each, _ in wrote.most_common())) for c, wrote in before.items()
    }
    return {commit: known for commit, known in best.items() if known}


def _read_replaced(repository: Repository, lines: Sequence[BlamedLine]) -> Counter[str]:
    """How many lines each commit had written of what stood where these lines of one commit are."""
    one = lines[0]
    if one.parent is None or one.was is None:
        return Counter()
    sides = (f"{one.parent}:{one.was}", f"{one.commit}:{one.path}")
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--inter-hunk-context=0")
    found = repository.run("diff", "-U0", "-w", *plain, *sides, check=False).out
    old = _place_before(found, {line.first for line in lines if line.path == one.path})
    if not old:
        return Counter()
    try:
        blamed = start_blame(repository, one.was, span=(min(old), max(old)), rev=one.parent).read()
    except GitError:
        return Counter()
    return Counter(line.commit for line in blamed if line.commit and line.number in old)


def _place_before(diff: bytes, wanted: Set[int]) -> set[int]:
    """The lines that these replaced: one for one, or all of their hunk."""
    old: set[int] = set()
    for hunk in _HUNK.finditer(diff):
        at, gone, place, made = (int(number or 1) for number in hunk.groups())
        asked = wanted & {*range(place, place + made)}
        if gone == made:
            old |= {number - place + at for number in asked}
        elif asked:
            old |= {*range(at, at + gone)}
    return old


def find_previous(
    repository: Repository, asked: Mapping[str, Collection[str]], known: Collection[str] | None = None
) -> dict[str, str]:
    """For each commit the newest earlier one, by first parents, that touched one of its paths and has a
    record; where there is one near enough. A walk answers for all commits that it meets.

    ``known``: where that is known, the commits with a note that touched one of the paths, and maybe others.
    """
    found: dict[str, str | None] = {}
    for commit in asked if known is None or known else ():
        if commit not in found:
            found |= _walk(repository, commit, asked, known)
    return {commit: previous for commit, previous in found.items() if previous is not None}


def _walk(
    repository: Repository, start: str, asked: Mapping[str, Collection[str]], known: Collection[str] | None
) -> dict[str, str | None]:
    listing = ("rev-list", "--first-parent", "--parents", f"-n{_FAR}", start)
    rows = [line.split() for line in repository.run(*listing).out.decode().splitlines()]
    parents = {commit: tuple(above) for commit, *above in rows}
    noted = NotesRef(repository).has([*parents]) if known is None else [*filter(known.__contains__, parents)]
    ancestry = Ancestry(repository, parents)
    paths = {commit: frozenset(asked[commit]) for commit in parents if commit in asked}
    touched = {some: _touching(ancestry, noted, some) for some in {*paths.values()}}
    recorded = Recorded(NotesRef(repository).pick(sorted(frozenset().union(*touched.values()))))
    below = {commit: islice(parents, number, None) for number, commit in enumerate(parents, 1)}
    return {
        commit: _first_recorded(recorded, filter(touched[some].__contains__, below[commit]))
        for commit, some in paths.items()
    }


def _first_recorded(recorded: Recorded, commits: Iterable[str]) -> str | None:
    known = (c for c in commits if c in recorded and any(folded.records(c) for folded in recorded.on(c)))
    return next(known, None)


def _touching(ancestry: Ancestry, commits: Sequence[str], paths: Iterable[str]) -> set[str]:
    """Those of the commits that touched one of the paths."""
    specs = [f":(top,literal){path}" for path in sorted(paths)]
    return touching(ancestry, commits, specs) if commits else set()

"""The last recorded change of a path before a commit without a record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from gittraj.git import Repository
from gittraj.notes.store import NotesRef
from gittraj.query.log.paths import Ancestry, touching
from gittraj.query.records import Recorded

_FAR = 1000  # first-parent ancestors of a commit that are searched


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
    order = {commit: number for number, commit in enumerate(parents)}
    noted = NotesRef(repository).has([*parents]) if known is None else [c for c in parents if c in known]
    ancestry = Ancestry(repository, parents)
    paths = {commit: frozenset(asked[commit]) for commit in asked if commit in order}
    touched = {some: _touching(ancestry, noted, some) for some in {*paths.values()}}
    recorded = Recorded(NotesRef(repository).pick(sorted(frozenset().union(*touched.values()))))
    found: dict[str, str | None] = {}
    for commit, some in paths.items():
        earlier = (c for c in islice(parents, order[commit] + 1, None) if c in touched[some])
        found[commit] = next((c for c in earlier if _is_recorded(recorded, c)), None)
    return found


def _is_recorded(recorded: Recorded, commit: str) -> bool:
    return commit in recorded and any(folded.records(commit) for folded in recorded.on(commit))


def _touching(ancestry: Ancestry, commits: Sequence[str], paths: Iterable[str]) -> set[str]:
    """Those of the commits that touched one of the paths."""
    specs = [f":(top,literal){path}" for path in sorted(paths)]
    return touching(ancestry, commits, specs) if commits else set()

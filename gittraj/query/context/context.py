"""Collects what the records say about paths and their neighbours, for their next author.

Only records are read, no segment. This module must not know how anything is printed.
"""

from __future__ import annotations

import os.path
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gittraj.frozen import dataclass
from gittraj.git import Repository, from_top
from gittraj.model.header import Header
from gittraj.query.change import choose_writers
from gittraj.query.context.neighbours import Near, find_near, touch
from gittraj.query.context.takeaways import Source, Takeaway, rank_takeaways
from gittraj.query.header import Folded
from gittraj.query.log.description import describe_all
from gittraj.query.log.listing import list_commits
from gittraj.query.log.paths import RENAMES, is_below
from gittraj.query.log.reverted import Reverts
from gittraj.query.notes import IndexLookup
from gittraj.query.records import Recorded

_NEWEST = 1_000
"""How many commits with records are read: the newest of all, and the newest that touched the paths. Most
statements of older records are about code that no longer exists."""
_MOST = 300_000  # bytes of a file that are searched for what it defines
_SHORTEST = 4  # letters, at least, of a name that identifies the file
_DEFINED = re.compile(
    rb"\b(?:class|const|def|enum|fn|fun|func|function|impl|interface|let|macro|message|mod|module|namespace|"
    rb"object|package|record|static|struct|table|trait|type|union|val|var)"
    rb"\s{1,9}(?:\([^)\n]{0,80}\)\s)?([A-Za-z_]\w+)"
)


@dataclass(frozen=True, slots=True)
class Briefing:
    """What the records say about ``paths`` (from the top); ``touched``: the paths themselves have records,
    and not only their neighbours."""

    paths: Sequence[str]
    touched: bool
    lessons: Sequence[Takeaway]


def brief(
    repository: Repository,
    recorded: Recorded,
    paths: Sequence[str],
    *,
    cwd: Path,
    index: IndexLookup | None = None,
) -> Briefing:
    """Collect what the records of HEAD's history say about ``paths`` (as typed in ``cwd``, or git's
    pathspecs). ``index``, which has only our own notes, makes it faster. Raises TrajError for an invalid
    path."""
    ancestry, touching = list_commits(
        repository, recorded, "HEAD", paths=paths, cwd=cwd, known=index, beside=recorded.has_remotes
    )
    from_top_paths = [path if path.startswith(":") else from_top(repository, path, cwd) for path in paths]
    with_records = _choose_newest(filter(recorded.__contains__, ancestry.parents), touching)
    steps = ancestry.diff([(commit, 0) for commit in with_records], *RENAMES)
    changed = {c: [path for _, _, path in steps.get((c, 0), ())] for c in with_records}
    tracked = _find_tracked(repository, from_top_paths)
    here = [p for p in from_top_paths if p in tracked or _lies_here(repository, p)]
    near = find_near(changed, set(touching), from_top_paths, here)
    near_headers = list(_find_near_headers(recorded, with_records, near, from_top_paths))
    names = {*_spell_names(from_top_paths), *_read_definitions(repository, tracked.values())}
    return Briefing(
        paths=from_top_paths,
        touched=any(not each.neighbour for each, _ in near_headers),
        lessons=rank_takeaways(_describe(repository, near_headers), names),
    )


def _choose_newest(recorded: Iterable[str], touching: Sequence[str]) -> list[str]:
    """Return those of the ``recorded`` commits that ``_NEWEST`` allows, in their order."""
    wanted = {*touching[:_NEWEST]}
    chosen = []
    for number, commit in enumerate(recorded):
        if number >= _NEWEST and not wanted:
            break
        if number < _NEWEST or commit in wanted:
            chosen.append(commit)
        wanted.discard(commit)
    return chosen


def _find_near_headers(
    recorded: Recorded, with_records: Iterable[str], found: Iterable[Near], paths: Sequence[str]
) -> Iterator[tuple[Near, Header]]:
    """Yield the headers of the commits ``found``, which touched one of the ``paths`` or a neighbour, and of
    explored work that wrote one of the ``paths``."""
    near, exploring = {each.commit: each for each in found}, set(recorded.with_explored())
    for commit in with_records:
        here = recorded.on(commit) if commit in near or commit in exploring else ()
        if commit in near:
            own = [folded.header(commit) for folded in here if folded.records(commit)]
            nearest = [near[commit].path] if near[commit].neighbour else near[commit].files
            writers = choose_writers(own, near[commit].paths or nearest)
            yield from ((near[commit], header) for header in writers)
        yield from _find_explored(here, commit, paths)


def _find_explored(
    here: Iterable[Folded], commit: str, paths: Sequence[str]
) -> Iterator[tuple[Near, Header]]:
    for folded in here:
        files = _explored_files(folded, commit)
        if any(is_below(file, path) for file in files for path in paths):
            yield touch(commit, files, paths), folded.header(commit, explored=True)


def _explored_files(folded: Folded, commit: str) -> set[str]:
    records = (r for r in folded.records(commit, explored=True) if r.role == "explored")
    return {file.path for record in records for file in record.figures.files}


def _describe(repository: Repository, near_headers: Sequence[tuple[Near, Header]]) -> Iterator[Source]:
    described = describe_all(repository, list(dict.fromkeys(near.commit for near, _ in near_headers)))
    Reverts(repository).mark(described.values())
    newer: dict[str, None] = {}
    for near, header in near_headers:
        commit = described[near.commit]
        newer_count = len(newer) - (near.commit in newer)
        about = {"short": commit["short"], "date": commit["date"], "reverted": commit["revertedBy"]}
        yield Source(near, newer=newer_count, header=header, **about)
        if not near.neighbour:
            newer[near.commit] = None


def _find_tracked(repository: Repository, paths: Iterable[str]) -> dict[str, str]:
    """Return those of ``paths`` that HEAD has, with their object ids."""
    asked = [path for path in paths if path != "." and not path.startswith(":")]
    listing = ("ls-tree", "-z", "--full-tree", "HEAD", "--", *asked)
    listed = repository.run(*listing, check=False).text if asked else ""
    rows = (row.partition("\t") for row in listed.split("\0")[:-1])
    return {path: about.split()[2] for about, _, path in rows}


def _lies_here(repository: Repository, path: str) -> bool:
    return repository.work_tree is not None and os.path.lexists(repository.work_tree / path)


def _spell_names(paths: Iterable[str]) -> Iterator[str]:
    """Yield the names by which texts refer to a path: its last name, with and without the extension."""
    for name in map(posixpath.basename, paths):
        yield from (spelt for spelt in (name, name.partition(".")[0]) if len(spelt) >= _SHORTEST)


def _read_definitions(repository: Repository, oids: Iterable[str]) -> Iterator[str]:
    for body in repository.objects.read_blobs(oids):
        names = _DEFINED.findall((body or b"")[:_MOST])
        yield from (name.decode() for name in names if len(name) >= _SHORTEST)

"""What the records say about paths and their neighbours, for the next one who changes them.

From records alone: no segment is read. It must not know how anything is printed.
"""

from __future__ import annotations

import os.path
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gittraj.git import Repository, from_top
from gittraj.query.context.neighbours import Near, find_near, is_below, touch
from gittraj.query.context.takeaways import Lesson, Source, rank_lessons
from gittraj.query.header import Header
from gittraj.query.log.description import describe_all
from gittraj.query.log.listing import list_commits
from gittraj.query.log.paths import RENAMES
from gittraj.query.records import Recorded

_MOST = 300_000  # bytes of a file that are searched for what it defines
_SHORTEST = 4  # letters of a name that speaks of the file
_DEFINED = re.compile(
    rb"\b(?:class|const|def|enum|fn|fun|func|function|impl|interface|let|macro|message|mod|module|namespace|"
    rb"object|package|record|static|struct|table|trait|type|union|val|var)"
    rb"\s{1,9}(?:\([^)\n]{0,80}\)\s)?([A-Za-z_]\w+)"
)


@dataclass(frozen=True, slots=True)
class Briefing:
    """``paths`` from the top; ``touched`` says whether any record tells of them, not only of neighbours."""

    paths: Sequence[str]
    touched: bool
    lessons: Sequence[Lesson]


def brief(repository: Repository, recorded: Recorded, paths: Sequence[str], *, cwd: Path) -> Briefing:
    """What the history of HEAD says about ``paths`` (as typed in ``cwd``, or git's pathspecs).

    Raises TrajError for a path that means nothing here.
    """
    ancestry, touching = list_commits(repository, recorded, "HEAD", paths=paths, cwd=cwd)
    places = [path if path.startswith(":") else from_top(repository, path, cwd) for path in paths]
    carrying = [commit for commit in ancestry.parents if commit in recorded]
    steps = ancestry.diff([(commit, 0) for commit in carrying], *RENAMES)
    changed = {c: [path for _, _, path in steps.get((c, 0), ())] for c in carrying}
    tracked = _find_tracked(repository, places)
    here = [place for place in places if place in tracked or _lies_here(repository, place)]
    near = {found.commit: found for found in find_near(changed, set(touching), places, here)}
    told = list(_tell(recorded, carrying, near, places))
    names = {*_name(places), *_read_definitions(repository, tracked.values())}
    return Briefing(
        paths=places,
        touched=any(not found.neighbour for found, _ in told),
        lessons=rank_lessons(_describe(repository, told), names),
    )


def _tell(
    recorded: Recorded, carrying: Iterable[str], near: Mapping[str, Near], paths: Sequence[str]
) -> Iterator[tuple[Near, Header]]:
    """The trajectories of near commits, and those that wrote one of the paths and led to no commit."""
    exploring = set(recorded.exploring())
    for commit in carrying:
        for folded in recorded.on(commit) if commit in near or commit in exploring else ():
            if commit in near and folded.records(commit):
                yield near[commit], folded.header(commit)
            records = (r for r in folded.records(commit, explored=True) if r.role == "explored")
            files = {file.path for record in records for file in record.figures.files}
            if any(is_below(file, path) for file in files for path in paths):
                yield touch(commit, files, paths), folded.header(commit, explored=True)


def _describe(repository: Repository, told: Sequence[tuple[Near, Header]]) -> Iterator[Source]:
    described = describe_all(repository, list(dict.fromkeys(near.commit for near, _ in told)))
    newer: dict[str, None] = {}
    for near, header in told:
        commit = described[near.commit]
        place = len(newer) - (near.commit in newer)
        yield Source(near, short=commit["short"], date=commit["date"], newer=place, header=header)
        if not near.neighbour:
            newer[near.commit] = None


def _find_tracked(repository: Repository, places: Iterable[str]) -> dict[str, str]:
    """Those of ``places`` that HEAD has, with the ids of what they are."""
    asked = [place for place in places if place != "." and not place.startswith(":")]
    listing = ("ls-tree", "-z", "--full-tree", "HEAD", "--", *asked)
    found = repository.run(*listing, check=False).out.decode("utf-8", "surrogateescape") if asked else ""
    rows = (row.partition("\t") for row in found.split("\0")[:-1])
    return {path: about.split()[2] for about, _, path in rows}


def _lies_here(repository: Repository, place: str) -> bool:
    return repository.work_tree is not None and os.path.lexists(repository.work_tree / place)


def _name(places: Iterable[str]) -> Iterator[str]:
    """What a text calls a path: its last name, also without the ending."""
    for name in map(posixpath.basename, places):
        yield from (spelt for spelt in (name, name.partition(".")[0]) if len(spelt) >= _SHORTEST)


def _read_definitions(repository: Repository, oids: Iterable[str]) -> Iterator[str]:
    for body in repository.objects.read_blobs(oids):
        names = _DEFINED.findall((body or b"")[:_MOST])
        yield from (name.decode() for name in names if len(name) >= _SHORTEST)

"""Updates the index to the tips of the notes and of a queried commit.

It finds changed notes by comparing trees, and new commits by walking from the tip to indexed tips. If that is
not possible, because a tip is gone or the clone was deepened, it reads everything again.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice

from gittraj.errors import GitError, TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.index import file, history, records
from gittraj.index.reach import Reach, build_reach, extend_reach
from gittraj.notes.store import NotesRef
from gittraj.query.log.paths import RENAMES, Ancestry, read_changes
from gittraj.query.notes import is_plain, may_explore, named_ids

Progress = Callable[[str, int, int], None]
"""A function that is called with the activity, the number of steps done, and the total."""

_STEPS = 20_000
"""The number of commits that one process diffs; its output is kept in memory. Each process starts with cold
packs, which takes as long as 1,000 diffs."""
_AHEAD = 3
"""The number of such outputs that may be in memory."""
_FEW = 1_000
"""No thread is started for up to this many commits."""
_WALK = ("rev-list", "--date-order", "--parents", "--timestamp")


def refresh(repository: Repository, commit: str | None, *, tell: Progress | None = None) -> None:
    """Index the notes, and all commits that ``commit`` reaches (None: an unborn branch). Raises UnusableError
    if no index can be kept, or if git fails."""
    if repository.is_partial():
        raise file.UnusableError("a partial clone: renames would be fetched one by one")
    edges = file.read_edges(repository.common_dir)
    try:
        with file.writing(repository.common_dir) as connection:
            known = file.read_source(connection).get("edges")
            if known not in (None, edges):
                raise _OutdatedError
            # a new index reads everything, and libgit2 would keep the packs in memory
            with replace(repository, backend="plumbing") if known is None else nullcontext(repository) as git:
                fresh = _find_fresh(connection, git, commit) if commit else None
                _update_notes(connection, git)
                if fresh:
                    _update_history(connection, git, fresh, tell or (lambda *_: None))
            file.write_source(connection, edges=edges)
    except _OutdatedError:
        file.drop(repository.common_dir)
        refresh(repository, commit, tell=tell)
    except TrajError as error:
        raise file.UnusableError(error.message) from error


class _OutdatedError(Exception):
    """The whole index must be built again."""


# ---------------------------------------------------------------- notes


def _update_notes(connection: sqlite3.Connection, repository: Repository) -> None:
    notes = NotesRef(repository)
    tip = notes.tip() or ""
    before = file.read_source(connection).get("notes")
    if before == tip:
        return
    if before is not None:
        _replace_changed(connection, notes, before, tip)
    elif tip:
        large: list[str] = []
        records.fill_notes(connection, ((c, _noted(body)) for c, body in notes.items(tip, over=large)))
        records.replace_over(connection, (), large)
    file.write_source(connection, notes=tip)


def _replace_changed(connection: sqlite3.Connection, notes: NotesRef, before: str, tip: str) -> None:
    try:
        changed = list(notes.changed(before or None, tip or None))
    except GitError:  # the old tip is gone: it was purged, or git collected it
        raise _OutdatedError from None
    large: list[str] = []
    bodies = ((commit, _read(notes, commit, tip, large)) for commit in changed)
    records.replace_notes(connection, ((c, _noted(body) if body is not None else None) for c, body in bodies))
    records.replace_over(connection, changed, large)


def _read(notes: NotesRef, commit: str, tip: str, large: list[str]) -> bytes | None:
    """Read a note; None if there is none, or it is too large: then its commit is added to ``large``."""
    try:
        return notes.read(commit, tip)
    except GitError:
        if not notes.is_large(commit, tip):
            raise
        large.append(commit)
        return None


def _noted(body: bytes) -> records.Noted:
    ids = named_ids(body)
    return records.Noted(tuple(ids), explored=may_explore(body), plain=is_plain(body, ids))


# ---------------------------------------------------------------- history


_Listed = tuple[str, int, Sequence[str]]
"""A commit, its committer's time, and its parents."""


_Compared = tuple[int, Iterable[bytes]]
"""The number of a parent, and git's diffs of many commits to the parent of that number."""


@dataclass(frozen=True, slots=True)
class _Fresh:
    """The commits to index for ``commit``: as git lists them, with the number of each and its changes.
    ``tips`` are the indexed tips, with their committer's times."""

    commit: str
    listed: Sequence[_Listed]
    parents: Mapping[str, Sequence[str]]
    numbers: dict[str, int]
    changes: Iterator[_Compared]
    tips: Sequence[tuple[str, int]]


def _find_fresh(connection: sqlite3.Connection, repository: Repository, commit: str) -> _Fresh | None:
    """Find the commits that ``commit`` reaches and that are not indexed. Comparing them starts here."""
    if connection.execute("SELECT 1 FROM tips WHERE oid = ?", (bytes.fromhex(commit),)).fetchone():
        return None
    tips = [(tip, time) for tip, time in history.newest_tips(connection) if repository.objects.exists(tip)]
    listed = _list(repository, [commit, "--not", *(tip for tip, _ in tips)] if tips else [commit])
    parents = {oid: above for oid, _, above in listed}
    known = history.numbers_of(connection, parents)
    numbers = history.add_commits(
        connection, [(oid, time) for oid, time, _ in reversed(listed) if oid not in known]
    )
    changes = _compare(Ancestry(repository, parents), [*reversed(numbers)])
    return _Fresh(commit, listed, parents, known | numbers if known else numbers, changes, tips)


def _compare(ancestry: Ancestry, commits: Sequence[str]) -> Iterator[_Compared]:
    """Compare each commit with its parents, in batches; with many commits, threads read batches ahead."""
    batches = _split_into_batches(ancestry, commits)

    def compare(batch: tuple[int, list[str]]) -> _Compared:
        number, some = batch
        return number, [*ancestry.ask(some, number, *RENAMES)]

    if len(commits) <= _FEW:
        return map(compare, batches)
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(2)
    remaining = iter(batches)
    ahead = deque(pool.submit(compare, batch) for batch in islice(remaining, _AHEAD))

    def results() -> Iterator[_Compared]:
        with pool:
            while ahead:
                yield ahead.popleft().result()
                ahead.extend(pool.submit(compare, batch) for batch in islice(remaining, 1))

    return results()


def _split_into_batches(ancestry: Ancestry, commits: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return batches of commits, each with the number of the parent to which they are to be compared."""
    batches: list[tuple[int, list[str]]] = []
    some = [commit for commit in commits if not ancestry.is_edge(commit)]
    for number in range(max((len(ancestry.parents[commit]) for commit in some), default=0) or 1):
        batches += [(number, some[at : at + _STEPS]) for at in range(0, len(some), _STEPS)]
        some = [commit for commit in some if len(ancestry.parents[commit]) > number + 1]
    return batches


def _update_history(
    connection: sqlite3.Connection, repository: Repository, fresh: _Fresh, tell: Progress
) -> None:
    writer = history.Writer(connection)
    done = 0
    for parent, diffs in fresh.changes:
        for diff in diffs:
            for commit, changed in read_changes(diff):
                writer.add(fresh.numbers[commit], parent, changed)
        done += _STEPS
        tell("reading history", min(done, len(fresh.listed)), len(fresh.listed))
    writer.close()
    history.write_tip(connection, fresh.commit, _make_reach(connection, repository, fresh))


def _make_reach(connection: sqlite3.Connection, repository: Repository, fresh: _Fresh) -> Reach:
    """Make the Reach of the commit, if possible on top of an indexed one."""
    if not fresh.tips:
        return build_reach(fresh.parents, fresh.numbers)
    if (extended := _extend_indexed(connection, fresh)) is not None:
        return extended
    parents = {oid: own for oid, _, own in _list(repository, [fresh.commit])}
    return build_reach(parents, history.numbers_of(connection, parents))


def _extend_indexed(connection: sqlite3.Connection, fresh: _Fresh) -> Reach | None:
    """Extend the Reach of an indexed tip by the new commits. That is possible if all of them are later than
    the tip: then git lists them before the tip, and all others in the same order as before."""
    outer = {parent for own in fresh.parents.values() for parent in own} - fresh.parents.keys()
    for tip, time in fresh.tips:
        below = history.read_tip(connection, tip) if tip in outer else None
        if below and all(when > time for _, when, _ in fresh.listed):
            numbers = history.numbers_of(connection, outer)
            heights = {oid: below.height(numbers[oid]) for oid in outer}
            if all(heights.values()):
                return extend_reach(below, fresh.parents, fresh.numbers, heights)
    return None


def _list(repository: Repository, revs: Sequence[str]) -> list[_Listed]:
    listed = repository.run(*_WALK, *revs, "--").out
    shared: dict[str, str] = {}  # one string for each id, however many commits name it
    share = shared.setdefault
    rows = (line.split(" ") for line in listed.decode().splitlines())
    return [
        (share(oid, oid), int(time), tuple([share(p, p) for p in parents])) for time, oid, *parents in rows
    ]

"""Updates the index to the tips of the notes and of a queried commit.

Changes are found by comparing trees (the notes) and by walking from the tip to indexed tips (history). If
that is not possible, because a tip is gone or the clone was deepened, everything is read again.
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
from gittraj.index.fast_open import read_edges
from gittraj.index.reach import Reach, raised, reach_of
from gittraj.notes.store import NotesRef
from gittraj.query.log.paths import RENAMES, Ancestry, read_changes
from gittraj.query.notes import is_plain, may_explore, named_ids

Progress = Callable[[str, int, int], None]
"""Called with the activity, the number of steps done, and the total."""

_STEPS = 20_000
"""How many commits one process diffs; its output is kept in memory. Each process starts with cold packs,
which costs as much as 1,000 diffs; and the newest commits are the cheapest to read first."""
_AHEAD = 3
"""How many such outputs may be in memory."""
_FEW = 1_000
"""Up to so many commits no thread is started."""
_WALK = ("rev-list", "--date-order", "--parents", "--timestamp")


def refresh(repository: Repository, commit: str | None, *, tell: Progress | None = None) -> None:
    """Index the notes, and all that ``commit`` reaches (None: an unborn branch).

    Raises UnusableError if no index can be kept, and if git fails.
    """
    if repository.is_partial():
        raise file.UnusableError("a partial clone: renames would be fetched one by one")
    edges = read_edges(str(repository.common_dir))
    try:
        with file.writing(repository.common_dir) as connection:
            known = file.read_source(connection).get("edges")
            if known not in (None, edges):
                raise _OutdatedError
            # everything is read: libgit2 would keep the packs in memory
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
        try:
            changed = list(notes.changed(before or None, tip or None))
        except GitError:  # the old tip is gone: it was purged, or git collected it
            raise _OutdatedError from None
        large: list[str] = []
        read = ((commit, _read(notes, commit, tip, large)) for commit in changed)
        records.replace_notes(
            connection, ((c, _noted(body) if body is not None else None) for c, body in read)
        )
        records.replace_over(connection, changed, large)
    elif tip:
        large = []
        records.fill_notes(connection, ((c, _noted(body)) for c, body in notes.items(tip, over=large)))
        records.replace_over(connection, (), large)
    file.write_source(connection, notes=tip)


def _read(notes: NotesRef, commit: str, tip: str, large: list[str]) -> bytes | None:
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
"""A commit, its committer's time, its parents."""


_Compared = tuple[int, Iterable[bytes]]
"""The number of the parent, and git's diffs of the commits against it."""


@dataclass(frozen=True, slots=True)
class _Fresh:
    """Commits to index: as git lists them, and the number of each."""

    commit: str
    listed: Sequence[_Listed]
    parents: Mapping[str, Sequence[str]]
    numbers: dict[str, int]
    changes: Iterator[_Compared]
    tips: Sequence[tuple[str, int]]


def _find_fresh(connection: sqlite3.Connection, repository: Repository, commit: str) -> _Fresh | None:
    """The commits that ``commit`` reaches and that are not indexed; git starts comparing at once."""
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
    """The changes of each commit, in batches; with many commits, threads read batches ahead."""
    jobs: list[tuple[int, list[str]]] = []
    asked = [commit for commit in commits if not ancestry.is_edge(commit)]
    for number in range(max((len(ancestry.parents[commit]) for commit in asked), default=0) or 1):
        jobs += [(number, asked[at : at + _STEPS]) for at in range(0, len(asked), _STEPS)]
        asked = [commit for commit in asked if len(ancestry.parents[commit]) > number + 1]

    def answer(job: tuple[int, list[str]]) -> _Compared:
        return job[0], [*ancestry.ask(job[1], job[0], *RENAMES)]

    if len(commits) <= _FEW:
        return map(answer, jobs)
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(2)
    rest = iter(jobs)
    ahead = deque(pool.submit(answer, job) for job in islice(rest, _AHEAD))

    def answers() -> Iterator[_Compared]:
        with pool:
            while ahead:
                yield ahead.popleft().result()
                ahead.extend(pool.submit(answer, job) for job in islice(rest, 1))

    return answers()


def _update_history(
    connection: sqlite3.Connection, repository: Repository, fresh: _Fresh, tell: Progress
) -> None:
    writer = history.Writer(connection)
    done = 0
    for parent, answers in fresh.changes:
        for answer in answers:
            for commit, changed in read_changes(answer):
                writer.take(fresh.numbers[commit], parent, changed)
        done += _STEPS
        tell("reading history", min(done, len(fresh.listed)), len(fresh.listed))
    writer.close()
    history.write_tip(connection, fresh.commit, _raise(connection, repository, fresh))


def _raise(connection: sqlite3.Connection, repository: Repository, fresh: _Fresh) -> Reach:
    """The Reach of the commit.

    If all new commits are later than the indexed tip below them, git lists them before that tip, and the
    rest in the same order as before.
    """
    parents = fresh.parents
    outer = {parent for above in parents.values() for parent in above} - parents.keys()
    for tip, time in fresh.tips:
        below = history.read_tip(connection, tip) if tip in outer else None
        if below and all(when > time for _, when, _ in fresh.listed):
            numbers = history.numbers_of(connection, outer)
            heights = {oid: below.height(numbers[oid]) for oid in outer}
            if all(heights.values()):
                return raised(below, parents, fresh.numbers, heights)
    if not fresh.tips:
        return reach_of(parents, fresh.numbers)
    parents = {oid: above for oid, _, above in _list(repository, [fresh.commit])}
    return reach_of(parents, history.numbers_of(connection, parents))


def _list(repository: Repository, revs: Sequence[str]) -> list[_Listed]:
    listed = repository.run(*_WALK, *revs, "--").out
    same: dict[str, str] = {}  # one string for each id, however many commits name it
    share = same.setdefault
    rows = (line.split(" ") for line in listed.decode().splitlines())
    return [
        (share(oid, oid), int(time), tuple([share(p, p) for p in parents])) for time, oid, *parents in rows
    ]

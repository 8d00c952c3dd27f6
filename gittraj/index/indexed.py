"""Notes whose commits are listed in the index and whose text is read on demand, and the commits that another
commit reaches.

If the index is damaged, that is reported (``give_up``), and the notes themselves are read instead.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial, wraps
from typing import ParamSpec, TypeVar

from gittraj.errors import GitError
from gittraj.git import Repository
from gittraj.index import history, records
from gittraj.index.reach import Reach
from gittraj.model.header import Header
from gittraj.query.notes import IndexFailedError, Notes, NotesInMemory, Reachable

P = ParamSpec("P")
T = TypeVar("T")


class IndexedNotes(Notes):
    """The notes at ``tip``, which the index has; ``learn`` caches folded headers and tallies."""

    def __init__(
        self,
        repository: Repository,
        connection: sqlite3.Connection,
        tip: str,
        *,
        learn: Callable[[str, Sequence[Header], Header], None],
        give_up: Callable[[], None],
    ) -> None:
        self._repository = repository
        self._connection = connection
        self._tip = tip
        self._learn = learn
        self._give_up = give_up

    def _ask(self, query: Callable[[sqlite3.Connection], T], otherwise: Callable[[], T]) -> T:
        """Query the index; ``otherwise`` returns the same without it."""
        try:
            return query(self._connection)
        except (sqlite3.Error, ValueError):
            self._give_up()
            return otherwise()

    @cached_property
    def _commits(self) -> dict[str, None]:
        return self._ask(records.noted_commits, lambda: dict.fromkeys(self._all))

    @cached_property
    def _all(self) -> Notes:
        """All notes, read without the index."""
        from gittraj.notes.store import NotesRef

        over: list[str] = []
        return NotesInMemory(NotesRef(self._repository).items(self._tip, over=over), over)

    @property
    def over(self) -> Sequence[str]:
        return self._ask(records.over, lambda: [*self._all.over])

    def __contains__(self, commit: object) -> bool:
        return commit in self._commits

    def __len__(self) -> int:
        return self._ask(records.count, lambda: len(self._all))

    def __iter__(self) -> Iterator[str]:
        return iter(self._commits)

    def read(self, commit: str) -> bytes:
        try:
            return self._read(commit) or b""
        except GitError:  # the note was damaged since it was indexed: it is skipped, as without an index
            return b""

    @cached_property
    def _read(self) -> Callable[[str], bytes | None]:
        from gittraj.notes.store import NotesRef

        return NotesRef(self._repository).reader(self._tip)

    def with_explored(self) -> Iterator[str]:
        return iter(self._ask(records.with_explored, lambda: [*self._all.with_explored()]))

    def with_deletions(self) -> Sequence[str]:
        return self._ask(records.with_deletions, lambda: [*self._all.with_deletions()])

    def ids(self) -> Iterator[str]:
        return iter(self._ask(records.named, lambda: [*self._all.ids()]))

    def naming(self, identity: str) -> Sequence[str]:
        return self._ask(
            partial(records.commits_naming, trajectory=identity), lambda: [*self._all.naming(identity)]
        )

    @cached_property
    def _places(self) -> tuple[Mapping[str, str | None], Sequence[str]]:
        """The keys of the notes for runs without a commit, as ``records.notes_of_runs`` returns them."""
        return self._ask(records.notes_of_runs, lambda: ({}, Notes.places(self)))

    def places(self) -> list[str]:
        return [*self._places[0], *self._places[1]]

    def rows_of_runs(self, words: Sequence[str], limit: int | None) -> list[Header] | None:
        cached, uncached = self._places
        if uncached or None in cached.values():
            return None
        return self._ask(partial(records.rows_of_runs, words=words, limit=limit), lambda: None)

    def cached_headers(self, commits: Sequence[str]) -> Mapping[str, Sequence[Header]]:
        return self._ask(partial(records.headers_of, commits=commits), dict)

    def cached_tallies(self, commits: Sequence[str]) -> Mapping[str, Header]:
        return self._ask(partial(records.tallies_of, commits=commits), dict)

    def cache(self, commit: str, headers: Sequence[Header], tallies: Header) -> None:
        self._learn(commit, headers, tallies)


def or_failed(query: Callable[P, T]) -> Callable[P, T]:
    """Turn the errors that any query of a damaged index may raise into IndexFailedError."""

    @wraps(query)
    def checked(*args: P.args, **named: P.kwargs) -> T:
        try:
            return query(*args, **named)
        except (sqlite3.Error, IndexError, KeyError, TypeError, ValueError) as error:
            raise IndexFailedError(str(error)) from error

    return checked


class IndexedReachable(Reachable):
    def __init__(self, repository: Repository, connection: sqlite3.Connection, tip: Reach) -> None:
        self._repository = repository
        self._connection = connection
        self._tip = tip

    @or_failed
    def noted(self, paths: Collection[str] | None) -> list[str]:
        heights = self._tip.heights
        if paths is None:
            numbers = {n for n in records.noted_numbers(self._connection) if self._tip.height(n)}
        else:
            touched = history.follow_paths(self._connection, self._tip, paths)
            numbers = records.noted_among(self._connection, touched.values())
        return self._ids(sorted(numbers, key=heights.__getitem__, reverse=True))

    @or_failed
    def count_noted(self) -> int:
        return sum(1 for number in records.noted_numbers(self._connection) if self._tip.height(number))

    @or_failed
    def touching(self, paths: Collection[str]) -> list[str]:
        touched = history.follow_paths(self._connection, self._tip, paths)
        return self._ids([touched[height] for height in sorted(touched, reverse=True)])

    def _ids(self, numbers: Sequence[int]) -> list[str]:
        commits = history.commits_of(self._connection, numbers)
        return [commits[number] for number in numbers]

    def __getitem__(self, commit: str) -> Sequence[str]:
        try:
            return self._parents(commit)
        except sqlite3.Error:
            return self._repository.objects.commit(commit).parents

    def _parents(self, commit: str) -> Sequence[str]:
        number = history.numbers_of(self._connection, [commit]).get(commit)
        height = self._tip.height(number) if number is not None else 0
        if not height:
            raise KeyError(commit)
        above = [self._tip.numbers[parent] for parent in self._tip.parents(height)]
        commits = history.commits_of(self._connection, above)
        return tuple(commits[number] for number in above)

    def __iter__(self) -> Iterator[str]:
        newest = list(self._tip.numbers)[:0:-1]
        commits = history.commits_of(self._connection, newest)
        return (commits[number] for number in newest)

    def __len__(self) -> int:
        return len(self._tip.numbers) - 1

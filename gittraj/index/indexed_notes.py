"""Notes whose commits are in the index, and whose bodies are read on demand.

A damaged index is reported (``give_up``), and the notes themselves answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from gittraj.errors import GitError
from gittraj.git import Repository
from gittraj.index import records
from gittraj.query.notes import Header, Notes, NotesInMemory

T = TypeVar("T")


class IndexedNotes(Notes):
    """``tip`` is that of the notes in the index; ``learn`` keeps what was folded."""

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

    def _ask(self, ask: Callable[[], T], otherwise: Callable[[], T]) -> T:
        try:
            return ask()
        except (sqlite3.Error, ValueError):
            self._give_up()
            return otherwise()

    @cached_property
    def _commits(self) -> dict[str, None]:
        return self._ask(lambda: records.noted_commits(self._connection), lambda: dict.fromkeys(self._all))

    @cached_property
    def _all(self) -> Notes:
        """All notes, read without the index."""
        from gittraj.notes.store import NotesRef

        return NotesInMemory(NotesRef(self._repository).items(self._tip))

    def __contains__(self, commit: object) -> bool:
        return commit in self._commits

    def __len__(self) -> int:
        return self._ask(lambda: records.count(self._connection), lambda: len(self._all))

    def __iter__(self) -> Iterator[str]:
        return iter(self._commits)

    def read(self, commit: str) -> bytes:
        try:
            return self._read(commit) or b""
        except GitError:  # damaged since it was indexed: skipped, as without an index
            return b""

    @cached_property
    def _read(self) -> Callable[[str], bytes | None]:
        from gittraj.notes.store import NotesRef

        return NotesRef(self._repository).reader(self._tip)

    def with_explored(self) -> Iterator[str]:
        return self._ask(
            lambda: iter(records.with_explored(self._connection)),
            lambda: self._all.with_explored(),  # noqa: PLW0108 - _all reads every note
        )

    def with_deletions(self) -> Sequence[str]:
        return self._ask(
            lambda: records.with_deletions(self._connection),
            lambda: self._all.with_deletions(),  # noqa: PLW0108 - _all reads every note
        )

    def ids(self) -> Iterator[str]:
        return self._ask(
            lambda: iter(records.named(self._connection)),
            lambda: self._all.ids(),  # noqa: PLW0108 - _all reads every note
        )

    def naming(self, identity: str) -> Sequence[str]:
        return self._ask(
            lambda: records.carrying(self._connection, identity), lambda: self._all.naming(identity)
        )

    def cached_headers(self, commits: Sequence[str]) -> Mapping[str, Sequence[Header]]:
        return self._ask(lambda: records.headers_of(self._connection, commits), dict)

    def cached_tallies(self, commits: Sequence[str]) -> Mapping[str, Header]:
        return self._ask(lambda: records.tallies_of(self._connection, commits), dict)

    def cache(self, commit: str, headers: Sequence[Header], tallies: Header) -> None:
        self._learn(commit, headers, tallies)

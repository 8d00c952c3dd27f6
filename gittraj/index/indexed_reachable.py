"""The commits that one commit reaches, answered from the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

from gittraj.git import Repository
from gittraj.index import history, records
from gittraj.index.reach import Reach
from gittraj.query.index_lookup import IndexFailedError, Reachable

P = ParamSpec("P")
T = TypeVar("T")


def or_failed(ask: Callable[P, T]) -> Callable[P, T]:
    """Damage may show in any query."""

    @wraps(ask)
    def asked(*args: P.args, **named: P.kwargs) -> T:
        try:
            return ask(*args, **named)
        except (sqlite3.Error, IndexError, KeyError, TypeError, ValueError) as error:
            raise IndexFailedError(str(error)) from error

    return asked


class IndexedReachable(Reachable):
    def __init__(self, repository: Repository, connection: sqlite3.Connection, tip: Reach) -> None:
        self._repository = repository
        self._connection = connection
        self._tip = tip

    @or_failed
    def noted(self, paths: Collection[str] | None) -> list[str]:
        heights = self._tip.heights
        if paths is None:
            found = {number for number in records.noted_numbers(self._connection) if self._tip.height(number)}
        else:
            touched = history.following(self._connection, self._tip, paths)
            found = records.noted_among(self._connection, touched.values())
        return self._named(sorted(found, key=heights.__getitem__, reverse=True))

    @or_failed
    def count_noted(self) -> int:
        return sum(1 for number in records.noted_numbers(self._connection) if self._tip.height(number))

    @or_failed
    def touching(self, paths: Collection[str]) -> list[str]:
        touched = history.following(self._connection, self._tip, paths)
        return self._named([touched[height] for height in sorted(touched, reverse=True)])

    def _named(self, numbers: Sequence[int]) -> list[str]:
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

"""Defines the sources of notes for queries: all notes in memory, or an index that reads them on demand; and
the other lookups in an index, which give git's answers (if one returns None or false, git is called instead).

This module decodes nothing and must import next to nothing: a listing whose text is cached loads only this.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from gittraj import limits
from gittraj.errors import TrajError
from gittraj.model.header import Header

# Matches too much (ids of parents and tasks), never too little: matches are decoded before use
_IDS = re.compile(rb'"id"\s*:\s*"([A-Za-z0-9][A-Za-z0-9_-]{0,63})"')


def named_ids(body: bytes) -> frozenset[str]:
    """Return the ids in a note: those of its trajectories, and some others."""
    return frozenset(identity.decode() for identity in _IDS.findall(body))


def may_explore(body: bytes) -> bool:
    """Whether a note may have records that explain no commit."""
    return b"explored" in body or b'"incomplete"' in body


def is_plain(body: bytes, ids: Collection[str]) -> bool:
    """Whether a note has no deletions; one with deletions must be decoded to know its trajectories."""
    return bool(ids) and b'"deleted"' not in body


def name_over(commits: Sequence[str]) -> str:
    """Return the message about commits whose notes are not read because they are too large."""
    more = f" and of {len(commits) - 1} more commits" if len(commits) > 1 else ""
    each, most, least = limits.NOTE >> 20, limits.NOTES >> 20, limits.NOTES_EACH >> 10
    may = f"a note may have {each} MB, all together {most} MB and {least} kB for each"
    return f"not read, being too large: the note of {commits[0][:12]}{more} ({may})"


class Notes(ABC):
    """A source of notes. Iteration yields the commits with a note that can be read; ``over`` are the commits
    whose notes are too large."""

    @property
    def over(self) -> Sequence[str]:
        return ()

    @abstractmethod
    def __contains__(self, commit: object) -> bool: ...
    @abstractmethod
    def __len__(self) -> int: ...
    @abstractmethod
    def __iter__(self) -> Iterator[str]: ...

    @abstractmethod
    def read(self, commit: str) -> bytes:
        """Return the commit's note; ``b""`` if it has no note."""

    @abstractmethod
    def with_explored(self) -> Iterator[str]:
        """Yield the commits whose notes may have records that explain no commit: explored work, link
        stubs."""

    @abstractmethod
    def with_deletions(self) -> Sequence[str]:
        """Return the commits whose notes are not plain (``is_plain``)."""

    @abstractmethod
    def ids(self) -> Iterator[str]:
        """Yield the ``named_ids`` of all notes, sorted."""

    @abstractmethod
    def naming(self, identity: str) -> Sequence[str]:
        """Return the commits whose notes name that id, sorted."""

    def cached_headers(self, commits: Sequence[str]) -> Mapping[str, Sequence[Header]]:
        """Return earlier results of ``Recorded.headers``, for those commits that are cached."""
        return {}

    def places(self) -> list[str]:
        """Return the keys of the notes that contain runs without a commit."""
        from gittraj.notes.run_keys import find_run_keys  # noqa: PLC0415 - a listing of commits needs none

        return [*find_run_keys(self.with_explored())]

    def rows_of_runs(self, words: Sequence[str], limit: int | None) -> Sequence[Header] | None:
        """Return the rows of ``log --trajectories`` for runs without a commit, the newest first: all that may
        have these values, or the first ``limit`` of them. None if some runs are not cached."""
        return None

    def cached_tallies(self, commits: Sequence[str]) -> Mapping[str, Header]:
        """Return earlier results of ``Recorded.tallies``, as JSON, for those commits that are cached."""
        return {}

    def cache(  # noqa: B027 - most have no cache
        self, commit: str, headers: Sequence[Header], tallies: Header
    ) -> None:
        """Cache the current results."""


class NotesInMemory(Notes):
    """All notes in memory."""

    def __init__(self, notes: Iterable[tuple[str, bytes]], over: Sequence[str] = ()) -> None:
        self._bodies = dict(notes)
        self._over = over

    def __contains__(self, commit: object) -> bool:
        return commit in self._bodies

    def __len__(self) -> int:
        return len(self._bodies)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bodies)

    @property
    def over(self) -> Sequence[str]:
        return self._over

    def read(self, commit: str) -> bytes:
        return self._bodies.get(commit, b"")

    def with_explored(self) -> Iterator[str]:
        return (commit for commit, body in self._bodies.items() if may_explore(body))

    def with_deletions(self) -> Sequence[str]:
        return [commit for commit, body in self._bodies.items() if not is_plain(body, named_ids(body))]

    def ids(self) -> Iterator[str]:
        return iter(sorted(self._where))

    def naming(self, identity: str) -> Sequence[str]:
        return sorted(self._where.get(identity, ()))

    @cached_property
    def _where(self) -> Mapping[str, list[str]]:
        """The commits whose notes name each id."""
        commits: dict[str, list[str]] = {}
        for commit, body in self._bodies.items():
            for identity in named_ids(body):
                commits.setdefault(identity, []).append(commit)
        return commits


Step = tuple[str, int]
"""A commit, and the number of the parent that it is compared with."""
Change = tuple[str, str, str]
"""Git's letter, the path before and the path after (the same unless it was renamed)."""


class IndexFailedError(TrajError):
    """The index cannot answer after all; raised by any method below."""


class Reachable(Mapping[str, Sequence[str]]):
    """The commits that one commit reaches, with their parents, in git's order."""

    @abstractmethod
    def noted(self, paths: Collection[str] | None) -> list[str]:
        """Return the commits with a note, newest first: all, or those that touched one of ``paths`` (from the
        top), also under its earlier names."""

    @abstractmethod
    def count_noted(self) -> int:
        """Return the number of commits with a note."""

    @abstractmethod
    def touching(self, paths: Collection[str]) -> list[str]:
        """Return the commits that touched one of ``paths``, with and without a note."""


class IndexLookup(Protocol):
    def below(self, rev: str) -> Reachable | None:
        """Return the commits that ``rev`` reaches; None if it is not one commit, or the commit is not
        indexed."""

    def read_steps(
        self,
        parents: Mapping[str, Sequence[str]],
        paths: Collection[str],
        changed: dict[Step, list[Change]],
        renamed: dict[Step, dict[str, str]],
    ) -> bool:
        """Add how ``paths``, under their earlier names too, changed in the steps of these commits to
        ``changed`` and ``renamed``. False when not all of the commits are indexed."""

    def give_up(self) -> None:
        """Stop using the index; called after IndexFailedError."""

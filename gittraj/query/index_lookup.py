"""What a query may ask an index, if there is one. The answers are the same as git's.

Where there is no answer (None, false), git is asked.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from gittraj.errors import TrajError

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
        """Those with a note, newest first: all, or those that touched one of ``paths`` (from the top),
        also under its earlier names."""

    @abstractmethod
    def count_noted(self) -> int:
        """How many have a note."""

    @abstractmethod
    def touching(self, paths: Collection[str]) -> list[str]:
        """Those that touched one of ``paths``, with and without a note."""


class IndexLookup(Protocol):
    def below(self, rev: str) -> Reachable | None:
        """None where ``rev`` is not one commit, or the commit is not indexed."""

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
        """Called after IndexFailedError: it is not asked again."""

"""What a query may ask an index, if there is one. The answers are those that git would give.

Whatever has no answer here (None, false) is asked of git.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from gittraj.errors import TrajError

Step = tuple[str, int]
"""A commit, and which of its parents it is compared with."""
Change = tuple[str, str, str]
"""Git's letter, the path before and the path after (the same unless it was renamed)."""


class UnfitError(TrajError):
    """The index cannot answer after all; raised by any of the questions below."""


class Below(Mapping[str, Sequence[str]]):
    """All that one commit reaches, with parents, in the order in which git lists it."""

    @abstractmethod
    def noted(self, paths: Collection[str] | None) -> list[str]:
        """Those that have a note, newest first: all, or those that touched one of ``paths`` (from the top)
        or what it was called there."""

    @abstractmethod
    def touching(self, paths: Collection[str]) -> list[str]:
        """The same of commits with and without a note."""


class Known(Protocol):
    def below(self, rev: str) -> Below | None:
        """None where ``rev`` is not one commit, or the commit is not known."""

    def read_steps(
        self,
        parents: Mapping[str, Sequence[str]],
        paths: Collection[str],
        changed: dict[Step, list[Change]],
        renamed: dict[Step, dict[str, str]],
    ) -> bool:
        """How ``paths``, and what they were called before, changed in the steps of these commits, added to
        the last two. False when not all of the commits are known."""

    def give_up(self) -> None:
        """It raised UnfitError, and is not asked any more."""

"""Keeps the index warm after a drain, in the background: the first to ask waits for nothing either."""

from __future__ import annotations

from collections.abc import Sequence

from gittraj.git import Repository
from gittraj.index.answers import open_index
from gittraj.index.fast_open import FOLDER
from gittraj.index.search import keep_text
from gittraj.index.text import TEXTS
from gittraj.index.update import Tell

_SECONDS = 2.0
"""Of one drain; the next one goes on."""
_FOR_TEXT = 5.0
"""The same, of the text of events: nobody who lists commits waits for it."""
AT_ONCE = 1_000
"""Commits whose records are in memory at the same time."""


def keep_index(repository: Repository, *, seconds: float = _SECONDS) -> None:
    """Bring the index up to HEAD and the notes, and fold what nobody has looked at yet, for so long; then
    read what was said.

    Where no index can be kept nothing happens.
    """
    with open_index(repository) as index:
        if index is not None:
            index.fill(seconds)
    keep_text(repository, seconds=_FOR_TEXT)


def take_out(repository: Repository) -> None:
    """What was taken off leaves the index that there is now, not at the next question."""
    if (repository.common_dir / FOLDER / TEXTS.name).exists():
        keep_text(repository, seconds=_FOR_TEXT)
    elif (repository.common_dir / FOLDER).is_dir():
        with open_index(repository):
            pass


def fold_all(repository: Repository, rev: str, commits: Sequence[str], *, tell: Tell) -> None:
    """Fold all of ``commits``, for somebody who will ask for all of them: some at a time, and what is done
    is kept also when he loses patience. ``rev`` as for ``open_index``."""
    for at in range(0, len(commits), AT_ONCE):
        tell("reading records", at, len(commits))
        with open_index(repository, rev) as index:
            if index is None:
                return
            index.fold(commits[at : at + AT_ONCE])

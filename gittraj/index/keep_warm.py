"""Keeps the index current after a drain, in the background, so that the first query does not wait."""

from __future__ import annotations

from gittraj.git import Repository
from gittraj.index.answers import open_index
from gittraj.index.schema import FOLDER
from gittraj.index.search import keep_text
from gittraj.index.text import TEXTS

_SECONDS = 2.0
"""Seconds for which one drain folds commits; the next drain continues."""
_FOR_TEXT = 5.0
"""Seconds for which one drain indexes the text of events, for which listings do not wait."""


def keep_index(repository: Repository) -> None:
    """Update the index to HEAD and the notes, fold commits that are not cached, then index text, each for a
    limited time. Does nothing if no index can be kept."""
    with open_index(repository) as index:
        if index is not None:
            index.fill(_SECONDS)
    keep_text(repository, seconds=_FOR_TEXT)


def remove_deleted(repository: Repository) -> None:
    """Remove deleted records from an existing index now, and not only at the next query."""
    if (repository.common_dir / FOLDER / TEXTS.name).exists():
        keep_text(repository, seconds=_FOR_TEXT)
    elif (repository.common_dir / FOLDER).is_dir():
        with open_index(repository):
            pass

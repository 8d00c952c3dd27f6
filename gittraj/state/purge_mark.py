"""A mark that stands while refs are moved for a purge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gittraj.git import Repository
from gittraj.state.folder import LocalState

_MARK = "purging.json"


def is_unfinished(repository: Repository) -> bool:
    return (LocalState.of(repository).folder / _MARK).exists()


@contextmanager
def unfinished(repository: Repository) -> Iterator[None]:
    """While refs are moved for a purge: who is killed meanwhile leaves a mark, and the next fetch or purge
    clears the traces."""
    local = LocalState.of(repository)
    local.create()
    local.write(_MARK, True)
    yield
    (local.folder / _MARK).unlink(missing_ok=True)

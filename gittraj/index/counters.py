"""Computes statistics over many commits, whose counts are cached in the index. Without an index the result is
the same, but slower."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gittraj.git import Repository
from gittraj.index.answers import Answers, open_index
from gittraj.index.remote_records import read_records
from gittraj.model.header import Header
from gittraj.query.log.listing import list_commits, plain_paths
from gittraj.query.log.paths import Ancestry
from gittraj.query.records import Recorded
from gittraj.query.remote_records import RecordedBeside
from gittraj.query.stats.statistics import (
    count,
    describe_commits,
    overview,
    read_disk_size,
)
from gittraj.query.stats.tables import read_touched, table

if TYPE_CHECKING:
    from gittraj.index.update import Progress


AT_ONCE = 1_000
"""The number of commits whose records may be in memory at the same time."""


def compute_stats(
    repository: Repository,
    rev: str,
    paths: Sequence[str],
    *,
    by: str,
    cwd: Path,
    tell: Progress,
    say: Callable[[str], object],
    **limits: Any,
) -> tuple[Header, list[Header]]:
    """Return ``total`` and ``rows`` of ``git traj stats --json`` for the commits that ``list_commits`` finds.
    ``say`` gets messages about records that are left out. Raises the TrajErrors of ``list_commits``."""

    def find(index: Answers | None) -> tuple[Recorded, Ancestry, list[str]]:
        recorded = read_records(repository, index.notes if index else None, tell=say)
        listed = list_commits(
            repository, recorded, rev, paths=paths, cwd=cwd, known=index, every=True, **limits
        )
        return recorded, *listed

    limited = any(limits.get(name) for name in ("author", "since", "until"))
    everything = rev == "HEAD" and not paths and not limited
    plain = plain_paths(repository, paths, cwd=cwd)
    finish = partial(_count, repository, paths=plain, by=by, everything=everything)
    with open_index(repository, rev, tell=tell) as index:
        recorded, ancestry, commits = find(index)
        uncached = index.uncached([commit for commit in commits if commit in recorded]) if index else []
        if len(uncached) <= AT_ONCE:
            return finish(recorded, ancestry, commits, index=index)
    _fold_all(repository, rev, uncached, tell=tell)
    with open_index(repository, rev) as index:
        return finish(*find(index), index=index)


def _count(
    repository: Repository,
    recorded: Recorded,
    ancestry: Ancestry,
    commits: Sequence[str],
    *,
    paths: Collection[str],
    by: str,
    index: Answers | None,
    everything: bool,
) -> tuple[Header, list[Header]]:
    noted = [commit for commit in commits if commit in recorded]
    noted += recorded.places() if everything else ()  # the notes for runs without a commit
    with _without_gc():
        tallies = dict(zip(noted, recorded.tallies(noted), strict=True))
    counted = count(describe_commits(repository, commits), tallies)
    rows = table(counted, by, lambda: read_touched(ancestry, commits, paths, index))
    total = overview(counted)
    total["bytes"]["disk"] = read_disk_size(repository)
    if isinstance(recorded, RecordedBeside):
        total["remotes"] = recorded.count_commits(noted)
    return total, rows


def _fold_all(repository: Repository, rev: str, commits: Sequence[str], *, tell: Progress) -> None:
    """Fold all of ``commits`` in batches, so that an interrupted run keeps the batches that are done. ``rev``
    is the one for ``open_index``."""
    for at in range(0, len(commits), AT_ONCE):
        tell("reading records", at, len(commits))
        with open_index(repository, rev) as index:
            if index is None:
                return
            index.fold(commits[at : at + AT_ONCE])


@contextmanager
def _without_gc() -> Iterator[None]:
    """Switch garbage collection off. It took 40 % of the time, because hundreds of thousands of objects are
    made meanwhile, and all of them stay alive."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()

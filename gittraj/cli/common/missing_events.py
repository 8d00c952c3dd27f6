"""Fetches events that a command needs and this clone lacks: a plain fetch leaves them on the remote.

Only a command that the user runs may use the network; no hook and no drain does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from typing import TypeVar

from gittraj.git import Repository
from gittraj.query.show.chapters import Segments
from gittraj.seal.events import Opener

T = TypeVar("T")


def read_events(
    repository: Repository,
    read: Callable[[Segments], T],
    *,
    command: str,
    fetch: bool,
    opener: Opener | None = None,
) -> T:
    """What ``read`` returns for the recorded events; called again after a fetch. Reports what is missing."""
    segments = Segments(repository, opener)
    result = read(segments)
    why: str | None = f"git traj {command} without --no-fetch asks the remotes"
    if segments.months and fetch:
        why = fetch_missing(repository, segments.months)
        segments = Segments(repository, opener)
        result = read(segments)
    if segments.missing:
        from gittraj.cli.common.no_match import say_missing

        say_missing(segments.missing, why)
    return result


def fetch_missing(repository: Repository, months: Collection[str]) -> str | None:
    """Fetch the segments of these months. Returns why that failed, on one line."""
    from gittraj.sync import fetch_segments

    if sys.stderr.isatty():
        sys.stderr.write(f"fetching the events of {len(months)} month{'s' * (len(months) > 1)} …\n")
    return "; ".join(fetch_segments(repository, months)) or None

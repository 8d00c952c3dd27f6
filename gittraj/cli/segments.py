"""Events that a command asks for and this clone does not have: what a plain fetch leaves on the remote.

Only a command that somebody calls asks the network; no hook and no drain does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from typing import TypeVar

from gittraj.cli.nothing import say_missing
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
    """What ``read`` makes of recorded events: once more if some had to be fetched. Says which are missing."""
    segments = Segments(repository, opener)
    found = read(segments)
    why: str | None = f"git traj {command} without --no-fetch asks the remotes"
    if segments.months and fetch:
        why = fetch_missing(repository, segments.months)
        segments = Segments(repository, opener)
        found = read(segments)
    if segments.missing:
        say_missing(segments.missing, why)
    return found


def fetch_missing(repository: Repository, months: Collection[str]) -> str | None:
    """Fetch the segments of these months; why it could not be done, on one line."""
    from gittraj.sync import fetch_segments

    if sys.stderr.isatty():
        sys.stderr.write(f"fetching the events of {len(months)} month{'s' * (len(months) > 1)} …\n")
    return "; ".join(fetch_segments(repository, months)) or None

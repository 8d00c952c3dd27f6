"""The records and events that a command reads: ours and remotes', and those that are fetched first.

Only a command that the user runs may use the network; no hook and no drain does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, TypeVar

from gittraj.cli.common.output import say
from gittraj.git import Repository
from gittraj.query.notes import Notes

if TYPE_CHECKING:
    from gittraj.query.records import Recorded
    from gittraj.query.show.chapters import Segments
    from gittraj.seal.events import Opener

T = TypeVar("T")


def read_records(
    repository: Repository,
    notes: Notes | None = None,
    *,
    commits: Collection[str] | None = None,
    unjoined: Mapping[str, str] | None = None,
) -> Recorded:
    """As ``gittraj.index.beside.read_records``; says on stderr what is left out."""
    from gittraj.index.beside import read_records as read

    return read(repository, notes, commits=commits, unjoined=unjoined, tell=say)


def read_events(
    repository: Repository,
    read: Callable[[Segments], T],
    *,
    command: str,
    fetch: bool,
    opener: Opener | None = None,
) -> T:
    """What ``read`` returns for the recorded events; called again after a fetch. Reports what is missing."""
    from gittraj.query.show.chapters import Segments

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
    from gittraj.model.words import count
    from gittraj.sync import fetch_segments

    shown = sys.stderr.isatty()
    if shown:
        sys.stderr.write(f"fetching the events of {count(len(months), 'month')} …")
        sys.stderr.flush()
    try:
        return "; ".join(fetch_segments(repository, months)) or None
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

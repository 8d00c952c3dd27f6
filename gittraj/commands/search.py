"""Reads the conditions of ``git traj search``, and returns its results as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gittraj.git import Repository
from gittraj.index.answers import Answers, open_index
from gittraj.index.remote_records import read_records
from gittraj.index.search import Conditions, Found, Hit
from gittraj.index.words import sound
from gittraj.notes.store import NotesRef
from gittraj.query.header import Folded
from gittraj.query.log.description import describe_places
from gittraj.query.log.listing import list_commits, read_date
from gittraj.query.records import Recorded
from gittraj.query.remote_records import RecordedBeside

_UNKNOWN = dict.fromkeys(("commit", "short", "subject", "author", "date", "revertedBy"))


@contextmanager
def open_with_remotes(
    repository: Repository, unjoined: Mapping[str, str], report: Callable[[str], object]
) -> Iterator[RecordedBeside | None]:
    """Yield the records of this clone with those of remotes that are not joined yet (``unjoined``); None if
    there are no records of remotes to show. ``report`` is called with what is left out."""
    with open_index(repository) as index:
        notes = index.notes if index else None
        recorded = read_records(repository, notes, unjoined=unjoined, tell=report)
        yield recorded if isinstance(recorded, RecordedBeside) else None


def read_conditions(
    repository: Repository,
    with_remotes: RecordedBeside | None,
    *,
    since: str | None,
    until: str | None,
    rev: str | None,
    author: str | None,
    paths: Sequence[str],
    agent: str | None,
    cwd: Path,
    **others: Any,
) -> Conditions:
    """Return the command's options as conditions. Paths are relative to ``cwd``; ``with_remotes`` are the
    records that ``open_with_remotes`` yields. Raises TrajError."""
    return Conditions(
        since=None if since is None else read_date(repository, "since", since),
        until=None if until is None else read_date(repository, "until", until),
        commits=_list(repository, rev or "HEAD", author, paths, cwd=cwd, with_remotes=with_remotes)
        if rev or author or paths
        else None,
        agent=agent and sound(agent),  # without lone surrogates
        **others,
    )


def _list(
    repository: Repository,
    rev: str,
    author: str | None,
    paths: Sequence[str],
    *,
    cwd: Path,
    with_remotes: RecordedBeside | None,
) -> frozenset[str]:
    with open_index(repository, rev) as index:
        recorded = with_remotes or _read_records(repository, index)
        _, commits = list_commits(
            repository,
            recorded,
            rev,
            author=author,
            paths=paths,
            cwd=cwd,
            known=index,
            beside=with_remotes is not None,
        )
        return frozenset(commits)


def _read_records(repository: Repository, index: Answers | None) -> Recorded:
    return Recorded(index.notes if index else NotesRef(repository).items())


def search_to_json(
    repository: Repository, query: str, found: Found, with_remotes: RecordedBeside | None = None
) -> dict[str, Any]:
    """Return the document that ``git traj search --json`` prints."""
    descriptions = describe_places(repository, [hit.commits for hit in found.hits])
    with open_index(repository) as index:
        recorded = with_remotes or _read_records(repository, index)
        results = [
            hit_to_json(recorded.folded(hit.trajectory), hit, commit)
            for hit, commit in zip(found.hits, descriptions, strict=True)
        ]
    return {
        "version": 1,
        "query": query,
        "results": results,
        "waiting": found.waiting,
        "away": found.away,
        "beside": with_remotes.count_commits() if with_remotes else {},
    }


def hit_to_json(trajectory: Folded | None, hit: Hit, commit: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return one result of the document: a trajectory, on its commit."""
    commits = ((commit or {}).get("commit"), *hit.commits)
    on = next((c for c in commits if trajectory and c in trajectory.parts), None)
    return {
        "score": hit.score,
        **(commit or _UNKNOWN),
        "commits": hit.commits,
        "trajectory": trajectory.header(on, explored=True) if trajectory and on else None,
        "matches": [
            {"in": e.kind, "event": e.event, "text": e.text, "marked": e.marked, "rejected": e.rejected}
            for e in hit.excerpts
        ],
    }

"""What ``git traj search`` looks for, and what it found, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gittraj.git import Repository
from gittraj.index.answers import Answers, open_index
from gittraj.index.search import Conditions, Found, Hit
from gittraj.index.words import sound
from gittraj.notes.store import NotesRef
from gittraj.query.account import Header
from gittraj.query.locate import describe_places
from gittraj.query.log.listing import list_commits, read_date
from gittraj.query.records import Recorded

_UNKNOWN = dict.fromkeys(("commit", "short", "subject", "author", "date"))


def read_conditions(
    repository: Repository,
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
    """The command's options as conditions; paths are relative to ``cwd``. Raises TrajError."""
    return Conditions(
        since=_read_date(repository, "since", since),
        until=_read_date(repository, "until", until),
        commits=_list(repository, rev or "HEAD", author, paths, cwd) if rev or author or paths else None,
        agent=agent and sound(agent),
        **others,
    )


def _read_date(repository: Repository, name: str, date: str | None) -> int | None:
    return None if date is None else read_date(repository, name, date)


def _list(
    repository: Repository, rev: str, author: str | None, paths: Sequence[str], cwd: Path
) -> frozenset[str]:
    with open_index(repository, rev) as index:
        recorded = _read_records(repository, index)
        _, commits = list_commits(repository, recorded, rev, author=author, paths=paths, cwd=cwd, known=index)
        return frozenset(commits)


def _read_records(repository: Repository, index: Answers | None) -> Recorded:
    return Recorded(index.notes if index else NotesRef(repository).items())


def search_to_json(repository: Repository, query: str, found: Found) -> dict[str, Any]:
    """The document of ``git traj search --json``."""
    places = describe_places(repository, [hit.commits for hit in found.hits])
    with open_index(repository) as index:
        recorded = _read_records(repository, index)
        results = [
            _hit_to_json(recorded, hit, commit) for hit, commit in zip(found.hits, places, strict=True)
        ]
    return {
        "version": 1,
        "query": query,
        "results": results,
        "waiting": found.waiting,
        "away": found.away,
    }


def _hit_to_json(recorded: Recorded, hit: Hit, commit: Mapping[str, Any] | None) -> dict[str, Any]:
    folded = recorded.folded(hit.trajectory)
    on = next((c for c in ((commit or {}).get("commit"), *hit.commits) if folded and c in folded.parts), None)
    return spell_hit(hit, commit, folded.header(on, explored=True) if folded and on else None)


def spell_hit(hit: Hit, commit: Mapping[str, Any] | None, header: Header | None) -> dict[str, Any]:
    """A result of the document; ``header``: of its trajectory on the commit."""
    return {
        "score": hit.score,
        **(commit or _UNKNOWN),
        "commits": hit.commits,
        "trajectory": header,
        "matches": [
            {"in": e.kind, "event": e.event, "text": e.text, "marked": e.marked} for e in hit.excerpts
        ],
    }

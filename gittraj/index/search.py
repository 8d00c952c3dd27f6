"""Answers ``git traj search``: the matching parts of trajectories, with excerpts."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Set
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from gittraj.frozen import dataclass
from gittraj.index import file, text
from gittraj.index.excerpts import Excerpt, find_excerpts
from gittraj.index.file import UnusableError
from gittraj.index.language import ParsedQuery
from gittraj.index.ref_tips import is_current, read_refs
from gittraj.index.text import TEXTS
from gittraj.query.log.filters import Labels

if TYPE_CHECKING:
    from gittraj.git import Repository
    from gittraj.index.update import Progress

PATIENCE = 10.0
"""Seconds for which a query waits for text to be indexed; then it searches what is indexed."""
_AHEAD = 10
"""How many parts are fetched for each wanted hit, because one trajectory may have several of the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions(Labels):
    """Conditions that a hit must all meet; None or empty sets no condition. ``since`` and ``until`` are in
    seconds since 1970. ``commits``: the part is recorded on one of them. ``event``: one event of this type
    has all the words."""

    kinds: Collection[str] = ()
    event: str | None = None
    since: int | None = None
    until: int | None = None
    commits: Collection[str] | None = None

    def accepts(self, about: Mapping[str, Any]) -> bool:
        return self.fit(models=about["models"], tasks=about["task"], tags=about["tags"])

    @property
    def needs_python(self) -> bool:
        """Whether SQLite alone cannot check the conditions."""
        return any(value is not None for value in (self.model, self.task, self.tag, self.commits, self.event))


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching trajectory. All other fields are those of its best part; a higher ``score`` is better."""

    trajectory: str
    commits: tuple[str, ...]
    score: float
    agent: str | None
    about: Mapping[str, Any]
    excerpts: list[Excerpt]


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: ``waiting`` is the number of trajectories that are not indexed yet, ``parts``
    the number of indexed parts; ``away`` are the months whose events are not in this clone."""

    hits: list[Hit]
    waiting: int
    parts: int
    away: list[str]


def search(
    repository: Repository,
    asked: ParsedQuery | str,
    conditions: Conditions,
    *,
    limit: int,
    tell: Progress | None = None,
    seconds: float = PATIENCE,
) -> Found:
    """Find the best ``limit`` trajectories for a query or, if ``asked`` is a text, the most similar ones."""

    def ask(connection: sqlite3.Connection) -> Found:
        parts, waiting = text.count(connection)
        away = text.months_away(connection)
        return Found(find_hits(connection, asked, conditions, limit=limit), waiting, parts, away)

    try:
        with file.reading(repository.common_dir, TEXTS) as connection:
            if is_current(connection, read_refs(repository)):
                return ask(connection)
    except UnusableError:
        pass
    except (sqlite3.Error, ValueError, TypeError):  # any query may find damage
        with suppress(UnusableError):
            file.drop(repository.common_dir, TEXTS)
    from gittraj.index.update_text import ask_updated

    return ask_updated(repository, ask, seconds=seconds, tell=tell)


def find_hits(
    connection: sqlite3.Connection, asked: ParsedQuery | str, conditions: Conditions, *, limit: int
) -> list[Hit]:
    """Find the hits of ``search`` in an index that is already open."""
    ranked = partial(
        text.ranked,
        connection,
        kinds=conditions.kinds,
        agent=conditions.agent,
        since=conditions.since,
        until=conditions.until,
        among=-1 if conditions.needs_python else text.RANKED,
    )
    if isinstance(asked, str):
        from gittraj.index.likeness import rank_like

        rows, sought = rank_like(connection, asked, lambda match, most: ranked(match, limit=most))
        return _best(connection, rows, sought, conditions, limit)
    hits: list[Hit] = []
    for most in (-1,) if conditions.needs_python else (_AHEAD * limit, -1):
        best = list(ranked(asked.match, limit=most))
        hits = _best(connection, best, asked.sought, conditions, limit)
        if len(hits) == limit or len(best) < most:
            break
    return hits


def keep_text(repository: Repository, *, seconds: float) -> None:
    """Index new text for about ``seconds``. Does nothing if no index can be kept."""
    from gittraj.index.update_text import on_disk, update_text

    for _ in range(2 if read_refs(repository) and not repository.is_partial() else 0):
        with suppress(UnusableError):  # the first attempt drops an index made by other code
            update_text(repository, on_disk(repository.common_dir), seconds=seconds)
            return


def _best(
    connection: sqlite3.Connection,
    rows: Iterable[tuple[int, float]],
    sought: str,
    conditions: Conditions,
    limit: int,
) -> list[Hit]:
    """Return the first part of each of the first ``limit`` trajectories, with excerpts."""
    most = limit if conditions.event is None else _AHEAD * limit
    chosen = _first_parts(connection, rows, conditions, most)
    parts = {doc: text.read_part(connection, doc) for doc, _ in chosen.values()}
    excerpts = find_excerpts(parts, sought, conditions.kinds, conditions.event)
    hits = [
        Hit(trajectory, tuple(parts[doc].commits), score, parts[doc].agent, parts[doc].about, excerpts[doc])
        for trajectory, (doc, score) in chosen.items()
    ]
    if conditions.event is not None:
        hits = [hit for hit in hits if any(len(each.marked) > 1 for each in hit.excerpts)]
    return hits[:limit]


def _first_parts(
    connection: sqlite3.Connection, rows: Iterable[tuple[int, float]], conditions: Conditions, most: int
) -> dict[str, tuple[int, float]]:
    """Map the first ``most`` trajectories that meet the conditions to their first part and its score."""
    wanted = None if conditions.commits is None else {*conditions.commits}
    chosen: dict[str, tuple[int, float]] = {}
    for doc, score in rows:
        trajectory, about = text.about(connection, doc)
        if trajectory not in chosen and conditions.accepts(about) and _is_on(connection, doc, wanted):
            chosen[trajectory] = doc, score
            if len(chosen) == most:
                break
    return chosen


def _is_on(connection: sqlite3.Connection, doc: int, wanted: Set[str] | None) -> bool:
    """Whether a part is on one of the ``wanted`` commits, or all commits are wanted (None)."""
    return wanted is None or not wanted.isdisjoint(text.commits_of(connection, doc))

"""Reads records of many repositories in the form that the code for one repository uses: folded, by commit."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gittraj.errors import UsageError
from gittraj.frozen import dataclass
from gittraj.gather.remotes import show_names
from gittraj.gather.schema import to_time
from gittraj.gather.store import Session
from gittraj.model.codec import from_json
from gittraj.model.header import Header
from gittraj.model.values import Link, Record
from gittraj.notes.merge import order
from gittraj.query.header import Folded, fold
from gittraj.query.log.filters import Labels

Id = tuple[str, str]
"""A project, and something's id in it."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """A query's conditions: texts to be joined by AND, and their parameters."""

    texts: Sequence[str]
    parameters: Sequence[Any]

    @classmethod
    def of(cls, *given: tuple[str, Any] | None) -> Conditions:
        """Join the pairs (text, parameter) that are not None; a list is several parameters."""
        kept = [pair for pair in given if pair is not None]
        values = [v for _, value in kept for v in (value if isinstance(value, list) else [value])]
        return cls([text for text, _ in kept], values)

    def __str__(self) -> str:
        return " AND ".join(f"({text})" for text in self.texts) or "TRUE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which commits to show: ``author`` is a regular expression, or (in ``stats``) a part of a name; times
    are in seconds since 1970."""

    author: str | None = None
    since: int | None = None
    until: int | None = None
    paths: Sequence[str] = ()
    explored: bool = False

    def committed(self) -> list[tuple[str, Any] | None]:
        """Conditions on rows of ``commits``."""
        return [
            ("c.committed_at >= ?", to_time(self.since)) if self.since is not None else None,
            ("c.committed_at <= ?", to_time(self.until)) if self.until is not None else None,
        ]

    def is_by(self, name: str | None, email: str | None) -> bool:
        """Whether ``author`` matches. Raises UsageError."""
        try:
            return self.author is None or re.search(self.author, f"{name or ''} <{email or ''}>") is not None
        except re.error as error:
            raise UsageError(f"--author: {error}", "it is a regular expression") from None


def on_trajectories(labels: Labels) -> list[tuple[str, Any] | None]:
    """Conditions on rows of ``trajectories``, which may match too much: ``labels`` filter again."""
    model, task, tag = labels.model, labels.task, labels.tag
    return [
        ("t.agent = ?", labels.agent) if labels.agent else None,
        ("lower(t.models) LIKE ? ESCAPE '!'", f"%{_escape(model.lower())}%") if model else None,
        ("t.task LIKE ? ESCAPE '!'", f"%{_escape(task)}%") if task else None,
        ("t.tags LIKE ? ESCAPE '!'", f"%{_escape(tag)}%") if tag else None,
    ]


def below(paths: Sequence[str], column: str) -> tuple[str, list[Any]] | None:
    """The condition that a path is one of ``paths``, from the repository's top, or below one."""
    if not paths:
        return None
    plain = [path.strip("/") for path in paths]
    texts = [f"{column} = ? OR {column} LIKE ? ESCAPE '!'" for _ in plain]
    return " OR ".join(texts), [value for path in plain for value in (path, f"{_escape(path)}/%")]


def _escape(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def read_folded(session: Session, trajectories: Iterable[Id]) -> dict[Id, Folded]:
    """Read trajectories with all their parts, on every commit that has them."""
    parts: dict[Id, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    ids = dict.fromkeys(trajectories)
    linked, values = session.among(ids, "l.project_id", "l.trajectory_id")
    inside, _ = session.among(ids, "p.project_id", "p.trajectory_id")  # else DuckDB reads all records
    rows = session.ask(
        "SELECT l.project_id, l.trajectory_id, l.commit_id, l.role, l.link, p.record FROM links l"
        " JOIN parts p USING (project_id, trajectory_id, part_id)"
        f" WHERE {linked} AND {inside} ORDER BY l.commit_id",
        [*values, *values],
    )
    for project, trajectory, commit, role, link, record in rows:
        part = from_json(Record, json.loads(record))
        part = replace(part, role=role, link=from_json(Link, json.loads(link)))
        parts[project, trajectory][commit].append(part)
    return {key: fold({c: sorted(some, key=order) for c, some in on.items()}) for key, on in parts.items()}


def read_headers(
    session: Session, commits: Sequence[Id], *, explored: bool
) -> Iterator[tuple[Id, list[tuple[Folded, Header]]]]:
    """Yield each of ``commits`` with its trajectories, and with the HEADER of each for this commit."""
    on: dict[Id, dict[Id, None]] = defaultdict(dict)
    inside, values = session.among(commits, "project_id", "commit_id")
    question = f"SELECT DISTINCT project_id, commit_id, trajectory_id FROM links WHERE {inside}"
    for project, commit, trajectory in session.ask(question, values):
        on[project, commit][project, trajectory] = None
    folded = read_folded(session, (each for found in on.values() for each in found))
    for project, commit in commits:
        found = [folded[each] for each in on[project, commit] if each in folded]
        found.sort(key=lambda f: (_start(f, commit), f.whole["id"]))
        shown = [f for f in found if f.records(commit, explored=explored)]
        yield (project, commit), [(f, f.header(commit, explored=explored)) for f in shown]


def _start(folded: Folded, commit: str) -> str:
    records: Iterable[Record] = folded.parts.get(commit, ())
    return min((record.figures.started_at or "" for record in records), default="")


def read_names(session: Session) -> Mapping[str, str]:
    """The repositories' names, by id; all are different."""
    rows = session.ask("SELECT project_id, name, remote FROM repositories")
    return show_names({project: (name, remote) for project, name, remote in rows})

"""``git traj search`` over many repositories: the engine finds parts by their stems, SQLite ranks them.

The query language, the ranking and the excerpts are those of one repository's index (``gittraj.index``),
which is built in memory from the parts that the engine found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from gittraj.errors import UsageError
from gittraj.frozen import dataclass
from gittraj.gather.ask import Choice, Conditions, Id, below, chunks, moment, on_trajectories
from gittraj.gather.ask_log import describe_commits
from gittraj.gather.store import Session
from gittraj.gather.terms import BETWEEN, stem
from gittraj.index import search as index
from gittraj.index import text
from gittraj.index.language import Asked
from gittraj.index.text import Part, TextField
from gittraj.index.update_text import InMemory
from gittraj.model.header import Header

CANDIDATES = 1_000
"""Parts that are ranked: those that ended last."""
_TERM = re.compile(r'"([^"]*)"( \*)?')
_NOT = re.compile(r"\bNOT\b")


@dataclass(frozen=True, slots=True)
class TeamHit:
    """``hit.trajectory`` is the id in its repository; ``commit``: the one to show, None if it is unknown."""

    hit: index.Hit
    project_id: str
    commit: Header | None


def search_team(
    session: Session,
    asked: Asked,
    conditions: index.Conditions,
    *,
    limit: int,
    choice: Choice,
) -> list[TeamHit]:
    """The best ``limit`` trajectories of all repositories. Raises TrajError."""
    found = _find_parts(session, asked, conditions, choice.paths)
    parts = _read_parts(session, found)
    commits = {part.trajectory.partition("/")[0] + "/" + c: None for part in parts for c in part.commits}
    described = describe_commits(session, [(key[:16], key[17:]) for key in commits])
    if choice.author is not None:
        parts = [part for part in parts if _is_by(part, described, choice)]
    store = InMemory()
    with store.writing() as connection, closing(connection):
        by_trajectory: dict[str, list[Part]] = defaultdict(list)
        for part in parts:
            by_trajectory[part.trajectory].append(part)
        text.replace_parts(connection, by_trajectory)
        hits = index.find_hits(connection, asked, conditions, limit=limit)
    return [_place(hit, described) for hit in hits]


def _place(hit: index.Hit, described: Mapping[Id, Header]) -> TeamHit:
    project, _, trajectory = hit.trajectory.partition("/")
    known = [described[project, commit] for commit in hit.commits if (project, commit) in described]
    commit = min(known, key=lambda entry: (not entry["date"], entry["date"]), default=None)
    return TeamHit(replace(hit, trajectory=trajectory), project, commit)


def _is_by(part: Part, described: Mapping[Id, Header], choice: Choice) -> bool:
    project = part.trajectory.partition("/")[0]
    entries = (described.get((project, commit)) for commit in part.commits)
    return any(choice.is_by(e["author"]["name"], e["author"]["email"]) for e in entries if e)


def _find_parts(
    session: Session, asked: Asked, conditions: index.Conditions, paths: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Parts that may match, the newest first: the engine knows nothing of phrases."""
    match, parameters, likely, likely_parameters = _translate(session, asked.match)
    labels = {name: getattr(conditions, name) for name in ("agent", "model", "task", "tag")}
    on = on_trajectories(**labels)
    if found := below(paths, "f.path"):
        on.append((_IN_FILES.format(found[0]), found[1]))
    chosen = Conditions.of(*on)
    labelled = f" AND EXISTS ({_OF_TRAJECTORY} AND {chosen})" if chosen.texts else ""
    where = Conditions.of(
        (f"x.kind IN ({', '.join('?' * len(conditions.kinds))})", [*conditions.kinds])
        if conditions.kinds
        else None,
        ("x.ended_at >= ?", moment(conditions.since)) if conditions.since is not None else None,
        (likely, likely_parameters),
    )
    rows = session.ask(
        "SELECT x.project_id, x.trajectory_id, x.part_id FROM texts x"
        f" WHERE {where}{labelled} GROUP BY 1, 2, 3 HAVING {match}"
        f" ORDER BY max(coalesce(x.ended_at, ?)) DESC, 1, 2, 3 LIMIT {CANDIDATES}",
        [*where.parameters, *chosen.parameters, *parameters, datetime(1970, 1, 1)],
    )
    return [(project, trajectory, part) for project, trajectory, part in rows]


_OF_TRAJECTORY = (
    "SELECT 1 FROM trajectories t WHERE t.project_id = x.project_id AND t.trajectory_id = x.trajectory_id"
)
_IN_FILES = (
    "EXISTS (SELECT 1 FROM files f WHERE f.project_id = x.project_id AND f.trajectory_id = x.trajectory_id"
    " AND f.part_id = x.part_id AND ({}))"
)


def _translate(session: Session, match: str) -> tuple[str, list[Any], str, list[Any]]:
    """SQLite's query as a condition on all texts of a part, and one on a single text; both may match too
    much."""
    terms = list(_TERM.finditer(match))
    stems = stem(found[1] for found in terms)
    spelt = [
        session.has_stems("x.terms", words, prefix=bool(found[2])) if words else ("TRUE", [])
        for found, words in zip(terms, stems, strict=True)
    ]
    if any(condition == "TRUE" for condition, _ in spelt):
        raise UsageError("invalid query: a word has no letter or digit")
    each = iter(spelt)
    # NOT excludes nothing here: of an excluded phrase, the engine knows only the words
    having = _NOT.sub("AND TRUE OR FALSE AND", _TERM.sub(lambda _: f"bool_or({next(each)[0]})", match))
    parameters = [value for _, values in spelt for value in values]
    likely = " OR ".join(f"({condition})" for condition, _ in spelt)
    return having, parameters, likely, parameters


def _read_parts(session: Session, keys: Sequence[tuple[str, str, str]]) -> list[Part]:
    wanted = {(p, t, part) for p, t, part in keys}
    fields: dict[tuple[str, str, str], list[TextField]] = defaultdict(list)
    commits: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    parts: list[Part] = []
    for marks, values in chunks(dict.fromkeys((p, t) for p, t, _ in keys)):
        inside = f"(x.project_id, x.trajectory_id) IN ({marks})"
        columns = "x.project_id, x.trajectory_id, x.part_id"
        question = f"SELECT {columns}, x.kind, x.text FROM texts x WHERE {inside}"
        for project, trajectory, part, kind, said in session.ask(question, values):
            fields[project, trajectory, part] += [TextField(kind, None, each) for each in said.split(BETWEEN)]
        question = f"SELECT {columns}, x.commit_id FROM links x WHERE {inside}"
        for project, trajectory, part, commit in session.ask(question, values):
            commits[project, trajectory, part].append(commit)
        rows = session.ask(
            f"SELECT {columns}, x.agent, x.started_at, x.ended_at, x.models, x.role, t.title, t.tags, t.task"
            f" FROM parts x JOIN trajectories t USING (project_id, trajectory_id) WHERE {inside}",
            values,
        )
        for project, trajectory, part, agent, began, ended, models, role, title, tags, task in rows:
            if (project, trajectory, part) in wanted:
                about = {"title": title, "role": role, "models": models.split(", ") if models else []}
                about |= {"tags": (tags or "").split("\n"), "task": (task or "").split("\n")}
                times = (_seconds(began), _seconds(ended))
                key = project, trajectory, part
                shown = sorted(set(commits[key]))
                parts.append(Part(f"{project}/{trajectory}", part, agent, *times, about, shown, fields[key]))
    return parts


def _seconds(time: datetime | None) -> int | None:
    return int(time.replace(tzinfo=UTC).timestamp()) if time else None

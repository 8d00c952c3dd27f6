"""``git traj search`` over many repositories: the engine finds parts by their stems, SQLite ranks them.

The query language, the ranking and the excerpts are those of one repository's index (``gittraj.index``),
which is built in memory from the parts that the engine found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from gittraj.errors import UsageError
from gittraj.frozen import dataclass
from gittraj.gather.ask import Choice, Conditions, Id, below, on_trajectories
from gittraj.gather.ask_log import describe_commits
from gittraj.gather.schema import to_time
from gittraj.gather.store import LIST, Row, Session
from gittraj.gather.terms import BETWEEN, stem
from gittraj.index import search as index
from gittraj.index import text
from gittraj.index.language import ParsedQuery
from gittraj.index.text import Part, TextField
from gittraj.index.update_text import open_in_memory
from gittraj.model.header import Header

CANDIDATES = 1_000
"""Parts that are ranked: those that ended last."""
_FEW = 500
"""If at most this many repositories have the words, only their texts are read; else the newest texts of all
repositories are searched first, …"""
_NEWEST = 15_000
"""… and this is the number of those texts."""
PartId = tuple[str, str, str]
Condition = tuple[str, Any]
"""The SQL of a condition, and its parameters."""
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
    asked: ParsedQuery,
    conditions: index.Conditions,
    *,
    limit: int,
    choice: Choice,
) -> list[TeamHit]:
    """The best ``limit`` trajectories of all repositories. Raises TrajError."""
    parts = [*_read_parts(session, _find_parts(session, asked, conditions, choice.paths))]
    if choice.author is not None:
        described = _describe(session, ((part.trajectory, part.commits) for part in parts))
        parts = [part for part in parts if _is_by(part, described, choice)]
    with closing(open_in_memory()) as connection:
        by_trajectory: dict[str, list[Part]] = defaultdict(list)
        for part in parts:
            by_trajectory[part.trajectory].append(part)
        text.replace_parts(connection, by_trajectory)
        hits = index.find_hits(connection, asked, conditions, limit=limit)
    described = _describe(session, ((hit.trajectory, hit.commits) for hit in hits))
    return [_place(hit, described) for hit in hits]


def _describe(session: Session, shown: Iterable[tuple[str, Collection[str]]]) -> dict[Id, Header]:
    """The commits of trajectories."""
    ids = {(trajectory.partition("/")[0], commit) for trajectory, commits in shown for commit in commits}
    return describe_commits(session, sorted(ids))


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
    session: Session, asked: ParsedQuery, conditions: index.Conditions, paths: Sequence[str]
) -> list[PartId]:
    """Parts that may match, the newest first: the engine knows nothing of phrases."""
    match, likely = _translate(session, asked.match)
    on = on_trajectories(conditions)
    if found := below(paths, "f.path"):
        on.append((_IN_FILES.format(found[0]), found[1]))
    chosen = Conditions.of(*on)
    kinds, since = conditions.kinds, conditions.since
    given = [
        (f"x.kind IN ({', '.join('?' * len(kinds))})", [*kinds]) if kinds else None,
        ("x.ended_at >= ?", to_time(since)) if since is not None else None,
        (f"EXISTS ({_OF_TRAJECTORY} AND {chosen})", [*chosen.parameters]) if chosen.texts else None,
    ]
    rows: list[Row] = []
    for narrow in _narrow(session, match, likely, given[0]):
        where = Conditions.of(*given, narrow)
        rows = session.ask(
            f"SELECT x.project_id, x.trajectory_id, x.part_id FROM texts x WHERE {where}"
            f" GROUP BY 1, 2, 3 HAVING {match[0]}"
            f" ORDER BY max(coalesce(x.ended_at, ?)) DESC, 1, 2, 3 LIMIT {CANDIDATES}",
            [*where.parameters, *match[1], datetime(1970, 1, 1)],
        )
        if len(rows) == CANDIDATES:
            break
    return [(project, trajectory, part) for project, trajectory, part in rows]


def _narrow(
    session: Session, match: Condition, likely: Condition, kinds: Condition | None
) -> Iterator[Condition]:
    """Yield which texts to read, the fewest first: those of the repositories that have the words, if these
    are few; else the newest texts, and then all that are likely to match."""
    if not session.has_text_index:
        where = Conditions.of(kinds)
        rows = session.ask(
            f"SELECT x.project_id FROM words x WHERE {where} GROUP BY 1 HAVING {match[0]}",
            [*where.parameters, *match[1]],
        )
        if len(rows) <= _FEW:
            yield f"x.project_id = ANY({LIST})", [[project for (project,) in rows]]
            return
    newest = f"SELECT ended_at FROM texts WHERE ended_at IS NOT NULL ORDER BY 1 DESC LIMIT {_NEWEST}"
    ((least,),) = session.ask(f"SELECT min(ended_at) FROM ({newest}) n")
    if least is not None:
        yield "x.ended_at >= ?", least
    yield likely


_OF_TRAJECTORY = (
    "SELECT 1 FROM trajectories t WHERE t.project_id = x.project_id AND t.trajectory_id = x.trajectory_id"
)
_IN_FILES = (
    "EXISTS (SELECT 1 FROM files f WHERE f.project_id = x.project_id AND f.trajectory_id = x.trajectory_id"
    " AND f.part_id = x.part_id AND ({}))"
)


def _translate(session: Session, match: str) -> tuple[Condition, Condition]:
    """SQLite's query as a condition on all texts of a part, and one on a single text; both may match too
    much."""
    terms = list(_TERM.finditer(match))
    stems = stem(found[1] for found in terms)
    if not all(stems):
        raise UsageError("invalid query: a word has no letter or digit")
    spelt = [
        session.has_stems("x.terms", words, prefix=bool(found[2]))
        for found, words in zip(terms, stems, strict=True)
    ]
    each = iter(spelt)
    # NOT excludes nothing here: of an excluded phrase, the engine knows only the words
    having = _NOT.sub("AND TRUE OR FALSE AND", _TERM.sub(lambda _: f"bool_or({next(each)[0]})", match))
    parameters = [value for _, values in spelt for value in values]
    return (having, parameters), (" OR ".join(f"({condition})" for condition, _ in spelt), parameters)


def _read_parts(session: Session, keys: Sequence[PartId]) -> Iterator[Part]:
    fields: dict[PartId, list[TextField]] = defaultdict(list)
    commits: dict[PartId, set[str]] = defaultdict(set)
    columns = ("x.project_id", "x.trajectory_id", "x.part_id")
    inside, values = session.among(keys, *columns)
    select = f"SELECT {', '.join(columns)}"
    question = f"{select}, x.kind, x.text FROM texts x WHERE {inside}"
    for project, trajectory, part, kind, said in session.ask(question, values):
        fields[project, trajectory, part] += [TextField(kind, None, each) for each in said.split(BETWEEN)]
    for project, trajectory, part, commit in session.ask(
        f"{select}, x.commit_id FROM links x WHERE {inside}", values
    ):
        commits[project, trajectory, part].add(commit)
    rows = session.ask(
        f"{select}, x.agent, x.started_at, x.ended_at, x.models, x.role, t.title, t.tags, t.task"
        f" FROM parts x JOIN trajectories t USING (project_id, trajectory_id) WHERE {inside}",
        values,
    )
    for project, trajectory, part, agent, began, ended, models, role, title, tags, task in rows:
        about = {"title": title, "role": role, "models": models.split(", ") if models else []}
        about |= {"tags": (tags or "").split("\n"), "task": (task or "").split("\n")}
        times = (_seconds(began), _seconds(ended))
        key = project, trajectory, part
        yield Part(f"{project}/{trajectory}", part, agent, *times, about, sorted(commits[key]), fields[key])


def _seconds(time: datetime | None) -> int | None:
    return int(time.replace(tzinfo=UTC).timestamp()) if time else None

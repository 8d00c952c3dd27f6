"""``git traj stats`` over many repositories: sums of the numbers that were computed during the gather."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from gittraj.errors import UsageError
from gittraj.gather.ask import Choice, Conditions, read_names
from gittraj.gather.store import Session
from gittraj.model.header import Header
from gittraj.model.values import Usage
from gittraj.query.account import PARTS, keys_of
from gittraj.query.compare.metrics import UNKNOWN, rate
from gittraj.query.stats.counts import OTHER_COUNTS
from gittraj.query.stats.statistics import month_of

_USAGE = {key: name for name, key in keys_of(Usage) or ()}
_PERSON = "coalesce(t.agent, CASE WHEN t.session IS NULL AND t.models IS NULL THEN 'a person' END)"
BY = {
    "month": ("CASE WHEN c.reached THEN c.month END", "h.month"),
    "author": ("c.author", "h.author"),
    "repository": ("c.project_id", "h.project_id"),
    "agent": (_PERSON, None),
    "model": ("t.models", None),
}
"""The SQL of a row's name in a table: for commits with records, and for all commits (None: not possible)."""
_NOBODY = "CAST(NULL AS varchar)"
_OF_COMPLETE = "CASE WHEN NOT l.incomplete THEN l.note_bytes END"
_OF_COMMITS = " JOIN commits c USING (project_id, commit_id)"
_OF_TRAJECTORIES = " JOIN trajectories t USING (project_id, trajectory_id)"
_COMPLETE = "count(DISTINCT CASE WHEN NOT l.incomplete THEN l.project_id || l.trajectory_id END)"


def compute_team_stats(session: Session, by: str, choice: Choice) -> tuple[Header, list[Header]]:
    """``total`` and ``rows`` of ``git traj stats --json``. Commits without a record are counted only by month
    and author, so for them dates select whole months. Raises TrajError."""
    if by not in BY:
        raise UsageError(f"--by {by} cannot be combined with --team", f"with --team: {', '.join(BY)}")
    commits, history = _limit(choice)
    (total,) = _figures(session, commits, history, None)
    total |= _overview(session, commits)
    total["bytes"] = {**total["bytes"], "disk": None}
    rows = _figures(session, commits, history, by)
    if BY[by][1] is None:
        rows = [{**row, "commits": total["commits"]} for row in rows if row["trajectories"]]
    if by == "repository":
        names = read_names(session)
        rows = [{**row, "name": names[row["name"]], "projectId": row["name"]} for row in rows]
    if by == "month":
        return total, sorted(rows, key=lambda row: row["name"] or "", reverse=True)
    return total, sorted(rows, key=lambda row: (-row["recorded"], -row["commits"], row["name"] or ""))


def _limit(choice: Choice) -> tuple[Conditions, Conditions]:
    """Conditions on ``commits``, and on ``history``, which counts all commits."""
    since, until = choice.since, choice.until
    named = f"%{choice.author.lower()}%" if choice.author else None
    commits = Conditions.of(
        ("c.reached IS NOT FALSE", []),  # NULL for runs without a commit
        *choice.committed(),
        ("lower(c.author) LIKE ? OR lower(c.author_email) LIKE ?", [named, named]) if named else None,
    )
    history = Conditions.of(
        ("h.month >= ?", month_of(since)) if since is not None else None,
        ("h.month <= ?", month_of(until)) if until is not None else None,
        ("lower(h.author) LIKE ?", named) if named else None,
    )
    return commits, history


def _figures(session: Session, commits: Conditions, history: Conditions, by: str | None) -> list[Header]:
    """Compute the FIGURES of docs/json.md, with ``name`` and ``bytes``, for each group."""
    name, all_name = BY[by] if by else (_NOBODY, _NOBODY)
    joined = _OF_COMMITS + (_OF_TRAJECTORIES if "t." in name else "")
    every = _group(session, all_name or _NOBODY, "sum(h.commits)", "history h", history)
    linked = _group(
        session,
        name,
        "count(DISTINCT CASE WHEN l.role = 'produced' AND NOT l.incomplete THEN l.project_id || l.commit_id"
        f" END), {_COMPLETE}, count(DISTINCT CASE WHEN c.reached THEN l.project_id || l.commit_id END)",
        f"links l{joined}",
        commits,
    )
    noted, size = ("commits c", "c.note_bytes") if all_name else (f"links l{joined}", _OF_COMPLETE)
    sizes = _group(session, name, f"sum({size})", noted, commits)
    usage = ", ".join(f"sum(CASE WHEN p.counted THEN p.{column} END)" for column in _USAGE.values())
    sessions_with = "count(DISTINCT CASE WHEN p.counted AND {} THEN p.project_id || p.trajectory_id END)"
    spent = _group(
        session,
        name,
        "sum(CASE WHEN p.counted THEN p.cost_usd END),"
        " max(CASE WHEN p.counted AND p.cost_usd IS NOT NULL THEN"
        " CASE p.cost_source WHEN 'estimated' THEN 2 WHEN 'reported' THEN 1 ELSE 0 END ELSE 0 END),"
        f" {sessions_with.format('p.has_usage')}, {sessions_with.format('p.cost_usd IS NOT NULL')},"
        f" sum(p.segment_bytes), {usage}",
        f"parts p{joined}",
        commits,
    )
    groups = dict.fromkeys(
        [*linked, *(every if all_name else ()), *(() if by else (None,))]
    )  # a row without data, too
    statuses = _count_statuses(session, name, commits)
    return [{**_spell(g, every, linked, spent, sizes), **_outcomes(statuses[g])} for g in groups]


def _count_statuses(session: Session, name: str, where: Conditions) -> Mapping[str | None, dict[str, int]]:
    found: dict[str | None, dict[str, int]] = defaultdict(dict)
    question = (
        f"SELECT {name}, coalesce(t.status, '{UNKNOWN}'), {_COMPLETE} FROM links l{_OF_COMMITS}"
        f"{_OF_TRAJECTORIES} WHERE NOT l.incomplete AND {where} GROUP BY 1, 2 ORDER BY 2"
    )
    for group, status, number in session.ask(question, where.parameters):
        found[group][status] = number
    return found


def _outcomes(statuses: Mapping[str, int]) -> Header:
    """The outcomes; the last two cannot be computed by sums over many repositories."""
    share = rate([*Counter(statuses).elements()])
    return {"statuses": statuses, "successRate": share, "medianSeconds": None, "parseFailures": None}


def _group(
    session: Session, name: str, sums: str, rows: str, where: Conditions
) -> dict[str | None, Sequence[Any]]:
    """The sums over these rows, by name; all but the conditions is SQL."""
    question = f"SELECT {name}, {sums} FROM {rows} WHERE {where} GROUP BY 1"
    return {row[0]: row[1:] for row in session.ask(question, where.parameters)}


def _spell(
    name: str | None,
    every: Mapping[str | None, Sequence[Any]],
    linked: Mapping[str | None, Sequence[Any]],
    spent: Mapping[str | None, Sequence[Any]],
    sizes: Mapping[str | None, Sequence[Any]],
) -> Header:
    recorded, trajectories, noted = linked.get(name, (0, 0, 0))
    cost, source, telling_usage, telling_cost, size, *tokens = spent.get(name, (None, 0, 0, 0, 0))
    return {
        "name": name,
        "commits": max(int(every.get(name, (0,))[0] or 0), noted),
        "recorded": recorded,
        "trajectories": trajectories,
        "usage": {key: int(n or 0) for key, n in zip(_USAGE, tokens, strict=True)}
        if telling_usage
        else dict.fromkeys(_USAGE),
        "costUsd": None if cost is None else float(cost),
        "costSource": ("unknown", "reported", "estimated")[source or 0],
        "tellingUsage": telling_usage,
        "tellingCost": telling_cost,
        "bytes": {"records": int(sizes.get(name, (0,))[0] or 0), "events": int(size or 0)},
    }


def _overview(session: Session, commits: Conditions) -> Header:
    shown = (
        f"SELECT t.* FROM trajectories t WHERE EXISTS (SELECT 1 FROM links l{_OF_COMMITS}"
        " WHERE l.project_id = t.project_id AND l.trajectory_id = t.trajectory_id"
        f" AND NOT l.incomplete AND {commits})"
    )
    present = ", ".join(f"bool_or(has_{part}) AS {part}" for part in PARTS)
    counted = ", ".join(f"count(CASE WHEN {part} THEN 1 END)" for part in PARTS)
    ((sessions, *telling),) = session.ask(
        f"SELECT count(*), {counted} FROM (SELECT {present} FROM ({shown}) t"
        " GROUP BY t.project_id, t.agent, coalesce(t.session, t.trajectory_id)) s",
        commits.parameters,
    )
    beside = ", ".join(f"sum(p.{name})" for name in OTHER_COUNTS)
    ((without,),) = session.ask(f"SELECT count(*) FROM ({shown}) t WHERE NOT t.produced", commits.parameters)
    (others,) = session.ask(
        f"SELECT {beside} FROM parts p{_OF_COMMITS} WHERE p.counted AND {commits}", commits.parameters
    )
    return {
        "mergesLeftOut": None,
        "withoutCommit": without,
        "agents": _rank(session, f"SELECT {_PERSON}, count(*) FROM ({shown}) t GROUP BY 1", commits),
        "models": _rank(session, f"SELECT t.models, count(*) FROM ({shown}) t GROUP BY 1", commits),
        "sessions": sessions,
        "telling": dict(zip(PARTS, telling, strict=True)),
        "beside": {name: int(n or 0) for name, n in zip(OTHER_COUNTS, others, strict=True)},
    }


def _rank(session: Session, question: str, where: Conditions) -> list[Header]:
    """Rank names by their trajectories; a trajectory with several models counts once for each."""
    found: dict[str | None, int] = {}
    for names, number in session.ask(question, where.parameters):
        for name in names.split(", ") if names else (None,):
            found[name] = found.get(name, 0) + number
    ordered = sorted(found.items(), key=lambda pair: -pair[1])
    return [{"name": name, "trajectories": number} for name, number in ordered]

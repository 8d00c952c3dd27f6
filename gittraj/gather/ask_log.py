"""``git traj log`` and ``context`` over many repositories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from gittraj.gather.ask import (
    Choice,
    Conditions,
    Id,
    below,
    on_trajectories,
    read_headers,
    read_names,
)
from gittraj.gather.store import LIST, Row, Session
from gittraj.model.header import Header
from gittraj.query.context.neighbours import Near, find_near
from gittraj.query.context.takeaways import Source, Takeaway, rank_takeaways
from gittraj.query.header import Folded
from gittraj.query.log.filters import Wanted
from gittraj.query.log.listing import choose_runs
from gittraj.query.log.paths import is_below

_PAGE = 100
"""Commits whose records are folded at once."""
_PROJECTS = 100
"""Repositories that are examined for a path: those that changed it last."""
_NEAR = 300
"""Commits whose records are read for a path: the nearest."""
_NAMES = "project_id commit_id short subject author author_email date reached committed_at"
_COLUMNS = ", ".join(f"c.{name}" for name in _NAMES.split())


def list_entries(session: Session, choice: Choice, wanted: Wanted) -> Iterator[Header]:
    """Yield commits in the form of ``log --json``, newest first, each with its ``repository``, and then the
    runs without a commit; ``files`` are those that sessions wrote. Raises TrajError."""
    names = read_names(session)
    for page in _read_pages(session, choice, wanted):
        rows = {(row[0], row[1]): row for row in page if choice.is_by(row[4], row[5])}
        for commit, found in read_headers(session, [*rows], explored=choice.explored):
            entry = _describe(rows[commit], names[commit[0]])
            accepted = [header for _, header in found if wanted.accepts(header, entry["subject"])]
            if accepted:
                yield {**entry, **_describe_trajectories(accepted, found)}
    if choice == Choice(explored=True):
        yield from choose_runs(_read_runs(session, names), wanted)


def _describe_trajectories(accepted: Sequence[Header], found: Sequence[tuple[Folded, Header]]) -> Header:
    files = {file["path"] for header in accepted for file in header["filesChanged"]}
    wholes = {folded.whole["id"]: folded.header(None) for folded, _ in found}
    return {"files": sorted(files), "trajectories": accepted, "wholes": wholes}


def _read_runs(session: Session, names: Mapping[str, str]) -> Iterator[Header]:
    """The runs without a commit: their notes have keys that are not commits."""
    places = session.ask("SELECT project_id, commit_id FROM commits WHERE reached IS NULL")
    runs = {
        (project, folded.whole["id"]): folded
        for (project, _), found in read_headers(session, [(p, c) for p, c in places], explored=True)
        for folded, _ in found
    }
    return ({"repository": names[key[0]], **folded.header(None)} for key, folded in runs.items())


def _describe(row: Row, name: str) -> Header:
    project, commit, short, subject, author, email, date, reached, _ = row
    return {
        "repository": name,
        "projectId": project,
        "commit": None if reached is None else commit,
        "short": None if reached is None else short,
        "subject": subject or "",
        "author": {"name": author or "", "email": email or ""},
        "date": date or "",
    }


def describe_commits(session: Session, commits: Sequence[Id]) -> dict[Id, Header]:
    """Commits as ``log --json`` has them, without files and trajectories; ``commit`` is None for a note with
    runs that made no commit."""
    names = read_names(session)
    inside, values = session.among(commits, "c.project_id", "c.commit_id")
    rows = session.ask(f"SELECT {_COLUMNS} FROM commits c WHERE {inside}", values)
    return {(row[0], row[1]): _describe(row, names[row[0]]) for row in rows}


def list_trajectories(entries: Iterator[Header]) -> Iterator[Header]:
    """Yield each trajectory of ``entries`` once, whole, with the ``commits`` that show it."""
    shown: dict[tuple[str, str], Header] = {}
    for entry in entries:
        for header in entry["trajectories"]:
            if entry["commit"] is None:
                shown.setdefault((header["repository"], header["id"]), {**header, "commits": []})
                continue
            whole = {"repository": entry["repository"], **entry["wholes"][header["id"]], "commits": []}
            shown.setdefault((entry["repository"], header["id"]), whole)["commits"].append(entry["commit"])
    yield from shown.values()


def _read_pages(session: Session, choice: Choice, wanted: Wanted) -> Iterator[list[Row]]:
    chosen = [*choice.committed(), *_on_linked(choice, wanted)]
    last: tuple[str, list[Any]] | None = None
    while True:
        where = Conditions.of(("c.reached", []), *chosen, last)
        page = session.ask(
            f"SELECT {_COLUMNS} FROM commits c WHERE {where}"
            f" ORDER BY coalesce(c.committed_at, ?) DESC, c.project_id DESC, c.commit_id DESC LIMIT {_PAGE}",
            [*where.parameters, _EPOCH],
        )
        yield page
        if len(page) < _PAGE:
            return
        project, commit, *_, time = page[-1]
        after = "(coalesce(c.committed_at, ?), c.project_id, c.commit_id) < (?, ?, ?)"
        last = after, [_EPOCH, time or _EPOCH, project, commit]


_EPOCH = datetime(1970, 1, 1)
_ON = (
    "EXISTS (SELECT 1 FROM links l JOIN {} WHERE l.project_id = c.project_id AND l.commit_id = c.commit_id"
    " AND ({}))"
)
_OF_TRAJECTORY = "trajectories t USING (project_id, trajectory_id)"
_OF_PART = "{} f USING (project_id, trajectory_id, part_id)"


def _on_linked(choice: Choice, wanted: Wanted) -> Iterator[tuple[str, Any]]:
    """Conditions on what a commit's records are about."""
    labels = Conditions.of(*on_trajectories(wanted))
    if labels.texts:
        yield _ON.format(_OF_TRAJECTORY, labels), [*labels.parameters]
    if wanted.decisions:
        yield _ON.format(_OF_PART.format("decisions"), "TRUE"), []
    if found := below(choice.paths, "f.path"):
        yield _ON.format(_OF_PART.format("files"), found[0]), found[1]


# ---------------------------------------------------------------- context


_TOUCHED = (
    "SELECT project_id, trajectory_id, part_id, month, path, TRUE AS wrote FROM files UNION ALL"
    " SELECT project_id, trajectory_id, part_id, month, path, FALSE FROM decisions"
    " WHERE path IS NOT NULL AND decided_by IN ('agent', 'human')"
)
"""The files that a session ``wrote``, and those that a stated decision is about: a command may have written
them."""


def brief_team(session: Session, paths: Sequence[str]) -> tuple[bool, list[Takeaway]]:
    """Read what sessions in all repositories said about paths, relative to the top. Returns whether any
    session wrote them or decided about them, and takeaways, in which ``short`` contains the repository's
    name."""
    found = below(paths, "path") or ("TRUE", [])
    projects = session.ask(
        f"SELECT project_id FROM ({_TOUCHED}) f WHERE {found[0]} GROUP BY project_id"
        f" ORDER BY max(month) DESC, project_id LIMIT {_PROJECTS}",
        found[1],
    )
    names = read_names(session)
    near = [*_read_near(session, [project for (project,) in projects], paths)]
    nearest = sorted(range(len(near)), key=lambda at: -near[at][1].weight)[:_NEAR]
    near = [near[at] for at in sorted(nearest)]
    commits = [(project, each.commit) for project, each, _ in near]
    rows, headers = describe_commits(session, commits), dict(read_headers(session, commits, explored=True))
    newer: Counter[str] = Counter()
    sources: list[Source] = []
    for project, each, wrote in near:
        entry = rows[project, each.commit]
        short = f"{names[project]}@{entry['short']}"
        for _, header in headers[project, each.commit]:
            about = {"date": entry["date"], "newer": newer[project], "header": header}
            sources.append(Source(each, short=short, **about))
        newer[project] += wrote
    touched = any(not each.neighbour for _, each, _ in near)
    return touched, rank_takeaways(sources, [path.rpartition("/")[2] for path in paths])


def _read_near(
    session: Session, projects: Sequence[str], paths: Sequence[str]
) -> Iterator[tuple[str, Near, bool]]:
    """Yield the near commits of each repository, and whether their sessions wrote one of the paths."""
    rows = session.ask(
        "SELECT l.project_id, l.commit_id, f.path, f.wrote FROM links l"
        f" JOIN ({_TOUCHED}) f USING (project_id, trajectory_id, part_id)"
        f" JOIN commits c USING (project_id, commit_id) WHERE c.reached AND c.project_id = ANY({LIST})"
        " ORDER BY c.committed_at DESC, l.commit_id",
        [projects],
    )
    changed: dict[str, dict[str, set[str]]] = {project: defaultdict(set) for project in projects}
    plain = [path.strip("/") for path in paths]
    written: set[Id] = set()
    for project, commit, file, wrote in rows:
        changed[project][commit].add(file)
        if wrote and any(is_below(file, path) for path in plain):
            written.add((project, commit))
    for project, commits in changed.items():
        touching = {
            commit
            for commit, files in commits.items()
            if any(is_below(file, path) for file in files for path in plain)
        }
        for near in find_near(commits, touching, plain, plain):
            yield project, near, (project, near.commit) in written

"""The report: which session was linked to which commit by which evidence, which was not linked, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gittraj.agents import SessionFile
from gittraj.capture.commit_command import can_commit
from gittraj.capture.link import Links
from gittraj.commands.backfill.log_task import DraftRequest
from gittraj.git import Repository
from gittraj.notes.merge import iter_records
from gittraj.notes.store import NotesRef
from gittraj.record.drain.reading import Reading

_NAMED = 3
"""The most commits that a line names; the rest are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A commit and a session. ``carried``: the session made an earlier form of it."""

    commit: str
    agent: str
    session: str
    trajectory: str
    evidence: str
    carried: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """A session that could not be linked, and why."""

    agent: str
    session: str
    path: str
    why: str


def unlinked(file: SessionFile, why: str) -> Unlinked:
    return Unlinked(agent=file.agent, session=file.session, path=str(file.path), why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogResult:
    """A log that was read: the parts written now; ``damage``: how many records were unreadable; ``why``:
    the reason if nothing was imported."""

    file: SessionFile
    parts: int = 0
    explored: int = 0
    damage: int = 0
    why: str | None = None


@dataclass(slots=True, kw_only=True)
class Report:
    """``read``: bytes of the logs; ``parts`` written now; ``explored``: sessions without a commit, stored on
    the commit that they started from; ``remark`` for the user on how thinking was sealed; ``gone``: linked
    commits that are unreachable; ``before``: those that had their records already, with the trajectory."""

    sessions: int = 0
    read: int = 0
    parts: int = 0
    linked: list[Linked] = field(default_factory=list)
    unlinked: list[Unlinked] = field(default_factory=list)
    explored: list[Linked] = field(default_factory=list)
    parked: list[str] = field(default_factory=list)
    damaged: list[Unlinked] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    before: set[tuple[str, str]] = field(default_factory=set)
    remark: str | None = None
    taken: dict[str, LogResult] = field(default_factory=dict)


def report_stored(reports: Sequence[Report], notes: NotesRef) -> None:
    """Add what the notes already have of the sessions that were read, except what is planned."""
    planned = {(id(report), row.trajectory, row.commit) for report in reports for row in report.linked}
    of: dict[str, list[Report]] = {}
    for report in reports:
        for trajectory in report.taken:
            of.setdefault(trajectory, []).append(report)
    known: set[tuple[Linked, int]] = set()
    for commit, record in iter_records(notes.items()):
        for report in of.get(record.id, ()):
            rows = report.linked if record.role == "produced" else report.explored
            file, carried = report.taken[record.id].file, bool(record.link.carried_from)
            row = _linked(file, commit, record.link.evidence, carried=carried)
            if (row, id(rows)) not in known and (id(report), record.id, commit) not in planned:
                known.add((row, id(rows)))
                rows.append(row)


def report_planned(report: Report, requests: Sequence[DraftRequest]) -> None:
    """Add the links that would be written."""
    for request in requests:
        anchors = (*request.anchors, *request.known.anchors, *([request.owner] if request.owner else ()))
        pairs = [(commit, anchor.evidence) for anchor in anchors for commit in anchor.commits]
        for commit, evidence in (*pairs, *((commit, "content") for commit, _ in request.aliases)):
            row = _linked(request.source.file, commit, evidence)
            if request.commits[commit].stored and row not in report.linked:
                report.linked.append(row)


def report_unlinked(report: Report, readings: Sequence[Reading], links: Links) -> None:
    """Add the calls whose commits were not found, and the sessions without a commit."""
    linked = {row.trajectory for row in report.linked}
    for reading in readings:
        trajectory = reading.log.trajectory
        file = report.taken[trajectory].file
        made = {anchor.call for anchor in (*links.anchors.get(trajectory, ()), *reading.anchors)}
        reasons = list(_reasons(reading, made))
        if not reasons and trajectory not in linked and file.subagent is None:
            reasons = ["it made no commit here, and no commit contains what it wrote"]
        for why in reasons:
            report.unlinked.append(unlinked(file, why))


def unreachable(repository: Repository, commits: set[str]) -> set[str]:
    """Return the commits that no branch, tag or HEAD reaches, or that are no longer here: their rewritten
    forms have the records, too."""
    here = {commit for commit in commits if repository.objects.exists(commit)}
    asked = "".join(f"{commit}\n" for commit in sorted(here))
    tips = ("--not", "--branches", "--tags", "--remotes", "HEAD")
    found = repository.run("rev-list", "--stdin", *tips, input=asked.encode(), check=False)
    return (commits - here) | (commits & set(found.text.split()))


def _reasons(reading: Reading, made: set[int]) -> Iterator[str]:
    log = reading.log
    gone: list[str] = []
    silent = open_calls = 0
    for index, entry in enumerate(log.entries):
        here = log.places[index] != "elsewhere" and not log.failed(index)
        if index in made or not here or not entry.command or not can_commit(entry.command):
            continue
        result = log.result_of(index)
        if result is None:
            open_calls += 1
        elif log.entries[result].commits:
            gone += log.entries[result].commits
        else:
            silent += 1
    if gone:
        more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
        yield f"it made {', '.join(gone[:_NAMED])}{more}, not here any more"
    if silent:
        calls, whose = ("a call", "it") if silent == 1 else (f"{silent} calls", "them")
        yield f"{calls} that may have committed printed no id, and no commit could be matched to {whose}"
    if open_calls:
        yield "a call that may have committed has no result in the log"


def _linked(file: SessionFile, commit: str, evidence: str, *, carried: bool = False) -> Linked:
    about = {"agent": file.agent, "session": file.session, "trajectory": file.trajectory}
    return Linked(commit=commit, evidence=evidence, carried=carried, **about)


# ---------------------------------------------------------------- as JSON


def report_to_json(report: Report) -> dict[str, Any]:
    """The document of ``git traj backfill --json``."""
    return {
        "sessions": report.sessions,
        "bytes": report.read,
        "parts": report.parts,
        "linked": [{**asdict(row), "reachable": row.commit not in report.gone} for row in report.linked],
        "explored": [asdict(row) for row in report.explored],
        "unlinked": [asdict(row) for row in report.unlinked],
        "damaged": [asdict(row) for row in report.damaged],
        "parked": list(report.parked),
    }


def taken_to_json(report: Report, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row for each session read. ``names`` are the files' original names, by path."""
    linked, explored = _by_trajectory(report.linked), _by_trajectory(report.explored)
    return [
        {
            "path": names.get(path := str(taken.file.path), path),
            "format": taken.file.format,
            "agent": taken.file.agent,
            "session": taken.file.session,
            "trajectory": trajectory,
            "parts": taken.parts + taken.explored,
            "commits": [
                {"commit": row.commit, "evidence": row.evidence, "carried": row.carried}
                for row in linked.get(trajectory, ())
            ],
            "explored": [row.commit for row in explored.get(trajectory, ())],
            "damage": taken.damage,
            "why": taken.why,
        }
        for trajectory, taken in report.taken.items()
    ]


def _by_trajectory(rows: Iterable[Linked]) -> dict[str, list[Linked]]:
    found: dict[str, list[Linked]] = {}
    for row in rows:
        found.setdefault(row.trajectory, []).append(row)
    return found

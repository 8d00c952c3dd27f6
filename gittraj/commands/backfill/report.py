"""Reports which session was linked to which commit on what evidence, which was not linked, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gittraj.agents import SessionFile
from gittraj.capture.link import Links
from gittraj.commands.backfill.log_digest import find_commit_calls
from gittraj.commands.backfill.log_task import DraftRequest
from gittraj.notes.merge import iter_records
from gittraj.notes.store import NotesRef
from gittraj.record.drain.reading import Reading

_MAX_NAMED = 3
"""The maximum number of commits that a line names; further ones are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A session linked to a commit. ``carried``: it made another commit, which was rewritten to this one."""

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
    """The result of one log: ``parts`` and ``explored`` count the parts written in this run, with and without
    a commit; ``damage`` counts unreadable records; ``why`` is the reason if nothing was imported."""

    file: SessionFile
    parts: int = 0
    explored: int = 0
    damage: int = 0
    why: str | None = None


@dataclass(slots=True, kw_only=True)
class Report:
    """The result of a backfill or of an import.

    ``sessions`` counts the logs, ``read`` their bytes, ``parts`` the parts written in this run; ``explored``
    are sessions without a commit, stored on the commit that they started from; ``parked`` says which text was
    not stored, and why; ``gone`` are linked commits that are unreachable; ``before`` are the pairs of a
    trajectory and a commit that had a record before; ``remark`` is a message for the user on how thinking was
    sealed; ``taken`` are the results of the logs, by trajectory."""

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
    """Add to each report the records of its sessions that are in ``notes``, except the planned ones."""
    planned = {(id(report), row.trajectory, row.commit) for report in reports for row in report.linked}
    reports_of: dict[str, list[Report]] = {}
    for report in reports:
        for trajectory in report.taken:
            reports_of.setdefault(trajectory, []).append(report)
    known: set[tuple[Linked, int]] = set()
    for commit, record in iter_records(notes.items()):
        for report in reports_of.get(record.id, ()):
            rows = report.linked if record.role == "produced" else report.explored
            file, carried = report.taken[record.id].file, bool(record.link.carried_from)
            row = _linked(file, commit, record.link.evidence, carried=carried)
            if (row, id(rows)) not in known and (id(report), record.id, commit) not in planned:
                known.add((row, id(rows)))
                rows.append(row)


def report_planned(report: Report, requests: Sequence[DraftRequest]) -> None:
    """Add the links that ``requests`` would write."""
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
        anchored = {anchor.call for anchor in (*links.anchors.get(trajectory, ()), *reading.anchors)}
        reasons = list(_reasons(reading, anchored))
        if not reasons and trajectory not in linked and file.subagent is None:
            reasons = ["it made no commit here, and no commit contains what it wrote"]
        for why in reasons:
            report.unlinked.append(unlinked(file, why))


def _reasons(reading: Reading, anchored: set[int]) -> Iterator[str]:
    """Yield why calls that may have committed are linked to no commit. ``anchored`` are the linked calls."""
    log = reading.log
    gone: list[str] = []
    silent = open_calls = 0
    for result in (log.result_of(call) for call in find_commit_calls(log) if call not in anchored):
        if result is None:
            open_calls += 1
        elif log.entries[result].commits:
            gone += log.entries[result].commits
        else:
            silent += 1
    if gone:
        yield f"it made {_name_commits(gone)}, not here any more"
    if silent:
        calls, whose = ("a call", "it") if silent == 1 else (f"{silent} calls", "them")
        yield f"{calls} that may have committed printed no id, and no commit could be matched to {whose}"
    if open_calls:
        yield "a call that may have committed has no result in the log"


def _name_commits(commits: Sequence[str]) -> str:
    more = f" and {len(commits) - _MAX_NAMED} more" if len(commits) > _MAX_NAMED else ""
    return f"{', '.join(commits[:_MAX_NAMED])}{more}"


def _linked(file: SessionFile, commit: str, evidence: str, *, carried: bool = False) -> Linked:
    session = {"agent": file.agent, "session": file.session, "trajectory": file.trajectory}
    return Linked(commit=commit, evidence=evidence, carried=carried, **session)


# ---------------------------------------------------------------- as JSON


def report_to_json(report: Report) -> dict[str, Any]:
    """Return the document that ``git traj backfill --json`` prints."""
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
    """Return one row for each session read. ``names`` are the files' original names, by path."""
    linked, explored = _by_trajectory(report.linked), _by_trajectory(report.explored)
    return [
        {
            "path": names.get(path := str(log.file.path), path),
            "format": log.file.format,
            "agent": log.file.agent,
            "session": log.file.session,
            "trajectory": trajectory,
            "parts": log.parts + log.explored,
            "commits": [
                {"commit": row.commit, "evidence": row.evidence, "carried": row.carried}
                for row in linked.get(trajectory, ())
            ],
            "explored": [row.commit for row in explored.get(trajectory, ())],
            "damage": log.damage,
            "why": log.why,
        }
        for trajectory, log in report.taken.items()
    ]


def _by_trajectory(rows: Iterable[Linked]) -> dict[str, list[Linked]]:
    groups: dict[str, list[Linked]] = {}
    for row in rows:
        groups.setdefault(row.trajectory, []).append(row)
    return groups

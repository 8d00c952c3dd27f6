"""Fills the report: which sessions are linked to which commits by which evidence, and why others are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.agents import SessionFile
from gittraj.capture.commit_command import can_commit
from gittraj.capture.link import Links
from gittraj.commands.backfill.log_task import DraftRequest
from gittraj.commands.backfill.report import Linked, Report, Unlinked
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.record.drain.plan import Reading

_NAMED = 3
"""Commits that a line names; the rest are counted."""


def report_stored(report: Report, notes: NotesRef) -> None:
    """Add what the notes contain of the sessions that were read."""
    files = {trajectory: taken.file for trajectory, taken in report.taken.items()}
    known = {*report.linked, *report.explored}
    for commit, body in notes.items():
        for record in standing(commit, decode_note(body)):
            if record.id in files:
                rows = report.linked if record.role == "produced" else report.explored
                carried = bool(record.link.carried_from)
                row = _linked(files[record.id], commit, record.link.evidence, carried=carried)
                if row not in known:
                    known.add(row)
                    rows.append(row)


def report_planned(report: Report, requests: Sequence[DraftRequest]) -> None:
    """Add what would be written."""
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
            report.unlinked.append(
                Unlinked(agent=file.agent, session=file.session, path=str(file.path), why=why)
            )


def unreachable(repository: Repository, commits: set[str]) -> set[str]:
    """Return the commits that no branch, tag or HEAD reaches: their rewritten forms have the records, too."""
    asked = "".join(f"{commit}\n" for commit in sorted(commits))
    tips = ("--not", "--branches", "--tags", "--remotes", "HEAD")
    found = repository.run("rev-list", "--stdin", *tips, input=asked.encode(), check=False)
    return commits & set(found.out.decode().split())


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
        calls = "a call" if silent == 1 else f"{silent} calls"
        yield f"{calls} that may have committed printed no id, and no commit has its message and its time"
    if open_calls:
        yield "a call that may have committed has no result in the log"


def _linked(file: SessionFile, commit: str, evidence: str, *, carried: bool = False) -> Linked:
    return Linked(
        commit=commit,
        agent=file.agent,
        session=file.session,
        trajectory=file.trajectory,
        evidence=evidence,
        carried=carried,
    )

"""Finds links made by earlier rules that today's rules refute: by times (a call that wrote lines after the
commit was made does not explain it, and one that was not running then did not make it), and by the session's
log, if it is still here.

Commits whose committer date was chosen by hand cannot be checked, and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from time import time as now

from gittraj.capture.session import CLOCK
from gittraj.commands.doctor.finding import Finding
from gittraj.config import Environ, read_config
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.times import seconds
from gittraj.model.values import Line, Record, Tombstone, ToolCall, ToolResult
from gittraj.notes.merge import standing
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import NotesRef
from gittraj.state.folder import LocalState

_FOUND = ("agent", "output", "order", "content")
"""The kinds of evidence that come from a call."""
_CHOSEN = 7 * 24 * 3600.0
"""A commit dated this many seconds before a session or after a call is taken to be dated by hand."""
_READ = 1_000
"""The most commits that are compared with logs."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The records that link a trajectory to a commit, made at ``time``. ``first``: when the first part began
    (seconds since 1970); ``alone``: the note names no other trajectory, not even a withdrawn one."""

    commit: str
    records: Sequence[Record]
    time: int
    first: float
    alone: bool


def check_refuted(repository: Repository) -> Iterator[Finding]:
    """Report refuted links. Raises GitError."""
    by_times: list[Linked] = []
    by_content: list[Linked] = []
    for each in _find_linked(repository):
        if _refutes(repository, each):
            by_times.append(each)
        elif len(by_content) < _READ and all(r.link.evidence == "content" for r in each.records):
            by_content.append(each)
    yield from _finding(repository, by_times, "their calls ran at other times")
    if by_content:
        from gittraj.commands.doctor.refuted_by_log import find_refuted_by_log  # noqa: PLC0415 - reads logs

        by_logs = list(find_refuted_by_log(repository, by_content))
        yield from _finding(repository, by_logs, "their sessions wrote something else")


def _finding(repository: Repository, found: Sequence[Linked], why: str) -> Iterator[Finding]:
    if found:
        commits = [*dict.fromkeys(each.commit for each in found)]
        yield Finding(
            "refuted",
            f"records on {len(commits)} of the commits cannot explain them, {commits[-1][:12]} last: {why}",
            "git traj doctor --fix marks them as work that made no commit",
            fix=partial(_demote, repository, found),
        )


def _find_linked(repository: Repository) -> Iterator[Linked]:
    for commit, body in NotesRef(repository).items():
        lines = decode_note(body)
        ours = [r for r in standing(commit, lines) if _is_own(commit, r)]
        if ours and repository.objects.exists(commit):
            time = repository.objects.commit(commit).time
            named = {line.id for line in lines if isinstance(line, Record | Tombstone)}
            for trajectory in {record.id for record in ours}:
                records = [record for record in ours if record.id == trajectory]
                starts = [at for r in records if (at := seconds(r.figures.started_at)) is not None]
                if starts and time >= min(starts) - _CHOSEN:
                    yield Linked(commit, records, time, min(starts), alone=len(named) == 1)


def _is_own(commit: str, record: Record) -> bool:
    made = record.origin is not None and record.origin.commit == commit
    return made and record.role == "produced" and record.link.evidence in _FOUND and record.range is not None


def _refutes(repository: Repository, linked: Linked) -> bool:
    """Whether every call that gave the evidence for a commit is refuted."""
    begun, over = _times(repository, linked.records)
    links = {(r.link.evidence, r.link.call) for r in linked.records}
    return all(_refuted(linked, e == "content", begun.get(c), over.get(c)) for e, c in links)


def _refuted(linked: Linked, content: bool, begun: float | None, over: float | None) -> bool:
    time = linked.time
    if begun is None or (not content and time < linked.first - CLOCK):
        return False  # unknown, or the date was chosen by hand
    late = over is not None and over + CLOCK < time < min(now(), over + _CHOSEN)
    return begun > time + CLOCK or (late and not content)


def _times(
    repository: Repository, records: Sequence[Record]
) -> tuple[dict[str | None, float | None], dict[str | None, float | None]]:
    """When each call began and ended, by its own id and its event's."""
    begun: dict[str | None, float | None] = {}
    over: dict[str | None, float | None] = {}
    refs = [ref for record in records for ref in (*record.segments, *record.also)]
    for _, events in read_segments(repository, records[0].id, refs):
        for event in events:
            if isinstance(event, ToolCall):
                begun[event.id] = begun[event.call_id] = seconds(event.ts)
            elif isinstance(event, ToolResult):
                over[event.call_id] = seconds(event.ts)
    return begun, over


def _demote(repository: Repository, found: Sequence[Linked]) -> None:
    from gittraj.record.drain.composition import make_pipeline  # noqa: PLC0415 - loads the redactor

    lines: list[tuple[str, Line]] = [
        (each.commit, replace(record, role="explored", rev=record.rev + 1))
        for each in found
        for record in each.records
    ]
    with LocalState.of(repository).writing():
        pipeline = make_pipeline(repository, read_config(repository), Environ.of(repository.environ), live={})
        pipeline.write([], lines=lines)

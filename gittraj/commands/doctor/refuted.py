"""Links that were stored by earlier rules and that times refute: a call that wrote its lines after the commit
was made explains nothing of it, and one that was not running then did not make it.

Only what is stored is looked at. Commits whose committer's date was chosen cannot be judged, and are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from gittraj.capture.order import CLOCK
from gittraj.commands.doctor.finding import Finding
from gittraj.config import Environ, read_config
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.times import seconds
from gittraj.model.values import Line, Record, ToolCall, ToolResult
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.rewrite_segments import read_segments
from gittraj.state.folder import LocalState

_FOUND = ("agent", "output", "order", "content")
"""Evidence that a call gave."""
_CHOSEN = 7 * 24 * 3600.0
"""Seconds before a session from which a commit's date is taken for a chosen one."""


def check_refuted(repository: Repository) -> Iterator[Finding]:
    """Raises GitError."""
    found = list(_find(repository))
    if found:
        commits = [*dict.fromkeys(commit for commit, _ in found)]
        last = commits[-1]
        yield Finding(
            code="refuted",
            text=f"records on {len(commits)} of the commits cannot explain them, {last[:12]} last: when their"
            " calls ran is against it",
            remedy="git traj doctor --fix takes them for work that made no commit",
            fix=partial(_demote, repository, found),
        )


def _find(repository: Repository) -> Iterator[tuple[str, Record]]:
    for commit, body in NotesRef(repository).items():
        ours = [r for r in standing(commit, decode_note(body)) if _is_own(commit, r)]
        if ours and repository.objects.exists(commit):
            time = repository.objects.commit(commit).time
            for trajectory in {record.id for record in ours}:
                records = [record for record in ours if record.id == trajectory]
                if _refutes(repository, records, time):
                    yield from ((commit, record) for record in records)


def _is_own(commit: str, record: Record) -> bool:
    made = record.origin is not None and record.origin.commit == commit
    return made and record.role == "produced" and record.link.evidence in _FOUND and record.range is not None


def _refutes(repository: Repository, records: Sequence[Record], time: int) -> bool:
    """Whether every call that gave the evidence for a commit of that time (seconds since 1970) is refuted."""
    starts = [at for record in records if (at := seconds(record.figures.started_at)) is not None]
    if not starts or time < min(starts) - _CHOSEN:
        return False
    begun, over = _times(repository, records)
    links = {(r.link.evidence, r.link.call) for r in records}
    return all(_refuted(time, e == "content", min(starts), begun.get(c), over.get(c)) for e, c in links)


def _refuted(time: int, content: bool, first: float, begun: float | None, over: float | None) -> bool:
    if begun is None or (not content and time < first - CLOCK):
        return False  # nobody knows, or the date was chosen
    return begun > time + CLOCK or (not content and over is not None and over < time - CLOCK)


def _times(
    repository: Repository, records: Sequence[Record]
) -> tuple[dict[str | None, float | None], dict[str | None, float | None]]:
    """When each call began and was over, by its id and its event's."""
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


def _demote(repository: Repository, found: Sequence[tuple[str, Record]]) -> None:
    lines: list[tuple[str, Line]] = [
        (commit, replace(record, role="explored", rev=record.rev + 1)) for commit, record in found
    ]
    with LocalState.of(repository).writing():
        pipeline = make_pipeline(repository, read_config(repository), Environ.of(repository.environ), live={})
        pipeline.write([], lines=lines)

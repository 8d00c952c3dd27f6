"""Finds links made by earlier rules that the present rules refute: by times (a call that wrote lines after
the commit was made does not explain the commit, and a call that was not running then did not make it), and by
the session's log, if it still exists.

Commits whose committer date was chosen by hand cannot be checked, and are not reported.
"""

from __future__ import annotations

from collections import defaultdict
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
from gittraj.model.words import count
from gittraj.notes.merge import standing
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import NotesRef
from gittraj.state.folder import LocalState

_BY_CALL = ("agent", "output", "order", "content")
"""The kinds of evidence that come from a call."""
_CHOSEN = 7 * 24 * 3600.0
"""A commit dated this many seconds before a session or after a call is taken to be dated by hand."""
_MOST = 1_000
"""The maximum number of commits that are compared with logs."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The records that link a trajectory to a commit. The commit was made at ``time``, the first part in
    the records began at ``first`` (both in seconds since 1970). ``alone``: the note never had another
    trajectory."""

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
        elif len(by_content) < _MOST and all(r.link.evidence == "content" for r in each.records):
            by_content.append(each)
    yield from _finding(repository, by_times, "their calls ran at other times")
    if by_content:
        from gittraj.commands.doctor.refuted_by_log import find_refuted_by_log  # noqa: PLC0415 - reads logs

        by_logs = list(find_refuted_by_log(repository, by_content))
        yield from _finding(repository, by_logs, "their sessions wrote something else")


def _finding(repository: Repository, refuted: Sequence[Linked], why: str) -> Iterator[Finding]:
    if refuted:
        commits = [*dict.fromkeys(each.commit for each in refuted)]
        listed = f"{count(len(commits), 'commit')}, such as {commits[-1][:12]}"
        yield Finding(
            "refuted",
            f"records cannot explain their commits ({listed}): {why}",
            "git traj doctor --fix marks them as work that made no commit",
            fix=partial(_demote, repository, refuted),
        )


def _find_linked(repository: Repository) -> Iterator[Linked]:
    """Yield the links that can be checked, except those to commits dated by hand."""
    for commit, body in NotesRef(repository).items():
        lines = decode_note(body)
        linked = defaultdict[str, list[Record]](list)
        for record in standing(commit, lines):  # those that were not withdrawn
            if _is_made_by_call(commit, record):
                linked[record.id].append(record)
        if not linked or not repository.objects.exists(commit):
            continue
        time = repository.objects.commit(commit).time
        alone = len({line.id for line in lines if isinstance(line, Record | Tombstone)}) == 1
        for records in linked.values():
            first = _find_start(records)
            if first is not None and time >= first - _CHOSEN:
                yield Linked(commit, records, time, first, alone)


def _is_made_by_call(commit: str, record: Record) -> bool:
    """Return whether a record was first written on this commit, and the evidence for it comes from a call."""
    made = record.origin is not None and record.origin.commit == commit
    by_call = record.role == "produced" and record.link.evidence in _BY_CALL
    return made and by_call and record.range is not None


def _find_start(records: Sequence[Record]) -> float | None:
    starts = (seconds(record.figures.started_at) for record in records)
    return min((start for start in starts if start is not None), default=None)


def _refutes(repository: Repository, linked: Linked) -> bool:
    """Return whether every call that is evidence for the link is refuted."""
    links = {(r.link.evidence, r.link.call) for r in linked.records}
    calls = [call for _, call in links if call]
    if len(calls) < len(links):
        return False  # a link does not name its call
    begun, ended = _times(repository, linked.records, calls)
    return all(_refutes_call(linked, e == "content", begun.get(c), ended.get(c)) for e, c in links)


def _refutes_call(linked: Linked, content: bool, begun: float | None, ended: float | None) -> bool:
    """Return whether a call's times prove that it did not make the commit (``content``: write its lines)."""
    time = linked.time
    if begun is None or (not content and time < linked.first - CLOCK):
        return False  # unknown, or the date was chosen by hand
    late = ended is not None and ended + CLOCK < time < min(now(), ended + _CHOSEN)
    return begun > time + CLOCK or (late and not content)


def _times(
    repository: Repository, records: Sequence[Record], calls: Sequence[str]
) -> tuple[dict[str | None, float | None], dict[str | None, float | None]]:
    """Return when these calls began and when they ended, by the call's own id and by its event's id."""
    begun: dict[str | None, float | None] = {}
    ended: dict[str | None, float | None] = {}
    refs = [ref for record in records for ref in (*record.segments, *record.also)]
    for _, events in read_segments(repository, records[0].id, refs, naming=calls):
        for event in events:
            if isinstance(event, ToolCall):
                begun[event.id] = begun[event.call_id] = seconds(event.ts)
            elif isinstance(event, ToolResult):
                ended[event.call_id] = seconds(event.ts)
    return begun, ended


def _demote(repository: Repository, refuted: Sequence[Linked]) -> None:
    """Mark the refuted records as work that made no commit."""
    from gittraj.record.drain.composition import make_pipeline  # noqa: PLC0415 - loads the redactor

    lines: list[tuple[str, Line]] = [
        (each.commit, replace(record, role="explored", rev=record.rev + 1))
        for each in refuted
        for record in each.records
    ]
    with LocalState.of(repository).writing():
        pipeline = make_pipeline(repository, read_config(repository), Environ.of(repository.environ), live={})
        pipeline.write([], lines=lines)

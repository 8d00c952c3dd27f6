"""By which rules a record was redacted: those of older ones are scanned again before they are shared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from gittraj.git import Repository
from gittraj.model.values import Key, Record
from gittraj.notes.read_segments import read_segments
from gittraj.notes.unstamped import unstamped
from gittraj.record.draft import Written
from gittraj.record.pipeline import Pipeline
from gittraj.state.cursors import load_state, save
from gittraj.state.folder import LocalState


def restamp(repository: Repository, pipeline: Pipeline, *, commits: Iterable[str] | None = None) -> Written:
    """Scan these again and write what came of it. To be called with the drain's lock held. A part whose
    events are not all here keeps its old stamp. Raises RedactionError, StoreError."""
    by_trajectory: dict[str, dict[Key, Record]] = defaultdict(dict)
    for _, record in unstamped(repository, pipeline.ruleset, commits=commits):
        by_trajectory[record.id][record.key] = record
    prepared = []
    for trajectory, found in by_trajectory.items():
        records = [record for record in found.values() if _is_here(repository, record)]
        if records:
            prepared.append(pipeline.rescan(trajectory, records))
    written = pipeline.store(prepared)
    remember_segments(repository, written)
    return written


def _is_here(repository: Repository, record: Record) -> bool:
    return len(list(read_segments(repository, record.id, record.segments))) == len(set(record.segments))


def remember_segments(repository: Repository, written: Written) -> None:
    """The cursors name a part's segments too."""
    folder = LocalState.of(repository).folder
    state = load_state(folder)
    if state is None:
        return
    sessions = {
        name: replace(
            known,
            parts=tuple(
                replace(part, segments=written.segments.get((name, part.range.first), part.segments))
                for part in known.parts
            ),
        )
        for name, known in state.sessions.items()
    }
    save(folder, replace(state, sessions=sessions))

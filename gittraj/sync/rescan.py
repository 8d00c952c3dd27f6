"""Before a push, scans the parts again that were redacted by older rules than today's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gittraj.config import Environ, read_config, stamp
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.values import Key, Record
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import RECORDS_REF, NotesRef
from gittraj.notes.unstamped import unstamped
from gittraj.record.draft import Written
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.pipeline import Pipeline
from gittraj.state.cursors import load_state, save
from gittraj.state.folder import LocalState
from gittraj.sync.remote import Remote


def vet(repository: Repository, remote: Remote, *, environ: Environ, live: Mapping[str, str]) -> None:
    """Scan again the parts that ``remote`` would get and that older rules redacted. ``live`` is the
    environment whose values are secrets.

    Raises TrajError if a part must not be pushed: it cannot be scanned, because its events are not here.
    """
    objects, notes = repository.objects, NotesRef(repository)
    changed = list(notes.changed(objects.resolve(remote.tracking(RECORDS_REF)), notes.tip()))
    config = read_config(repository)
    ruleset = stamp(config)
    if not any(unstamped(repository, ruleset, commits=changed)):
        return
    with LocalState.of(repository).writing():
        restamp(repository, make_pipeline(repository, config, environ, live=live), commits=changed)
    left = {record.id for _, record in unstamped(repository, ruleset, commits=changed)}
    if left:
        raise TrajError(
            "nothing was pushed: redacted by older rules, and the events are not here: "
            + ", ".join(sorted(left)[:3]),
            "git traj fetch downloads the events; git traj forget deletes the trajectories",
        )


def restamp(repository: Repository, pipeline: Pipeline, *, commits: Iterable[str] | None = None) -> None:
    """Scan the parts of older rulesets again and write the results. The caller must have the drain's lock. A
    part keeps its old ruleset if some of its events are not here. Raises RedactionError, StoreError."""
    by_trajectory: dict[str, dict[Key, Record]] = defaultdict(dict)
    for _, record in unstamped(repository, pipeline.ruleset, commits=commits):
        by_trajectory[record.id][record.key] = record
    prepared = []
    for trajectory, each in by_trajectory.items():
        records = [record for record in each.values() if _is_here(repository, record)]
        if records:
            prepared.append(pipeline.rescan(trajectory, records))
    remember_segments(repository, pipeline.store(prepared))


def _is_here(repository: Repository, record: Record) -> bool:
    return len(list(read_segments(repository, record.id, record.segments))) == len(set(record.segments))


def remember_segments(repository: Repository, written: Written) -> None:
    """Update each part's segments in the cursors, which name them, too."""
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

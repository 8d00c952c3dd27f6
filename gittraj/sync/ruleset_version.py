"""By which rules a record was redacted: those of older ones are scanned again before they are shared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import Key, Record
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Written
from gittraj.record.pipeline import Pipeline
from gittraj.record.rewrite_segments import read_segments
from gittraj.state.cursors import load_state, save
from gittraj.state.folder import LocalState

_STAMP = re.compile(rb'"ruleset":"([^"]*)"')


def unstamped(
    repository: Repository, ruleset: str, *, commits: Iterable[str] | None = None
) -> Iterator[tuple[str, Record]]:
    """The records on ``commits`` (None: all) that stand, that no remote has as far as is known here, and that
    other rules than ``ruleset`` made, each with its commit."""
    theirs = [NotesRef(repository, ref) for ref in _remote_refs(repository)]
    mark = ruleset.encode()
    for commit, body in _notes(NotesRef(repository), commits):
        stamps = _STAMP.findall(body)
        if len(stamps) == body.count(b"\n") and set(stamps) == {mark}:
            continue
        old = [r for r in standing(commit, decode_note(body)) if r.range and r.figures.ruleset != ruleset]
        pushed = _keys(commit, theirs) if old else frozenset[tuple[Key, int]]()
        yield from ((commit, record) for record in old if (record.key, record.rev) not in pushed)


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


def _notes(notes: NotesRef, commits: Iterable[str] | None) -> Iterator[tuple[str, bytes]]:
    if commits is None:
        yield from notes.items()
        return
    for commit in commits:
        if body := notes.read(commit):
            yield commit, body


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


def _remote_refs(repository: Repository) -> list[str]:
    listed = repository.run("for-each-ref", "--format=%(refname)", "refs/notes-remote/").out.decode()
    return [ref for ref in listed.splitlines() if ref.endswith("/traj")]


def _keys(commit: str, refs: Collection[NotesRef]) -> frozenset[tuple[Key, int]]:
    lines = (line for ref in refs for line in decode_note(ref.read(commit) or b""))
    return frozenset((line.key, line.rev) for line in lines if isinstance(line, Record))

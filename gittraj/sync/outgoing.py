"""Finds what a push would send, and so make readable to others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gittraj.errors import GitError
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import Record
from gittraj.notes.refs import refuse_broken
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.sync.remote import Remote


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """``tips``: our refs that differ from what the remote is known to have, with their commits. Numbers of
    what is new there: ``notes`` that are new or changed, ``records``, ``segments``, their ``size`` in bytes,
    ``thinking``: records whose segments contain it in clear."""

    tips: Mapping[str, str] = field(default_factory=dict)
    notes: int = 0
    records: int = 0
    trajectories: int = 0
    segments: int = 0
    size: int = 0
    thinking: int = 0

    @property
    def refs(self) -> tuple[str, ...]:
        return tuple(self.tips)

    @property
    def months(self) -> tuple[str, ...]:
        return tuple(ref.removeprefix(DATA_PREFIX) for ref in self.tips if ref != RECORDS_REF)


def find_tips(repository: Repository, remote: Remote, *, records_only: bool) -> dict[str, str]:
    """Our refs that the remote is not known to have as they are. The records' tip is read before the months':
    a process that writes meanwhile writes segments before the record that names them."""
    resolve = repository.objects.resolve
    records = resolve(RECORDS_REF)
    months = () if records_only else DataRefs(repository).months()
    tips = {RECORDS_REF: records, **{ref: resolve(ref) for ref in (DATA_PREFIX + m for m in months)}}
    return {ref: tip for ref, tip in tips.items() if tip and tip != resolve(remote.tracking(ref))}


def find_outgoing(repository: Repository, remote: Remote, *, records_only: bool) -> Outgoing:
    """Count what a push would send. Raises GitError, StoreError."""
    refuse_broken(repository, RECORDS_REF)
    tips = find_tips(repository, remote, records_only=records_only)
    here, there = NotesRef(repository), NotesRef(repository, remote.tracking(RECORDS_REF))
    notes = 0
    records: list[Record] = []
    for commit in there.changed(there.tip(), here.tip()):
        known = set(_read(there, commit).splitlines())
        fresh = [line for line in _read(here, commit).splitlines() if line not in known]
        notes += bool(fresh)
        records += [line for line in decode_note(b"\n".join(fresh)) if isinstance(line, Record)]
    refs = () if records_only else [(r.id, segment) for r in records for segment in r.segments]
    segments = dict.fromkeys(refs)
    clear = 0 if records_only else sum(record.figures.thinking == "clear" for record in records)
    return Outgoing(
        tips=tips,
        notes=notes,
        records=len(records),
        trajectories=len({record.id for record in records}),
        segments=len(segments),
        size=sum(segment.bytes for _, segment in segments),
        thinking=clear,
    )


def _read(notes: NotesRef, commit: str) -> bytes:
    try:
        return notes.read(commit) or b""
    except GitError:  # a partial clone: what is not here counts as unknown
        return b""

"""Finds what a push would send, and so disclose to others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from gittraj.errors import GitError
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import Record
from gittraj.notes.refs import refuse_broken
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.sync.remote import Remote


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """The content of a push. ``tips`` are our refs that differ from what the remote is known to have, with
    their commits. The numbers count what the remote lacks: changed ``notes``, ``records``, ``segments`` and
    their ``size`` in bytes, records with ``thinking`` in clear."""

    tips: Mapping[str, str] = field(default_factory=dict)
    notes: int = 0
    records: int = 0
    trajectories: int = 0
    segments: int = 0
    size: int = 0
    thinking: int = 0

    @property
    def months(self) -> tuple[str, ...]:
        return tuple(ref.removeprefix(DATA_PREFIX) for ref in self.tips if ref != RECORDS_REF)


def find_tips(repository: Repository, remote: Remote, *, records_only: bool) -> dict[str, str]:
    """Our refs that the remote, as far as we know, does not have in this state. The records' tip is read
    before the months': a process that writes meanwhile writes segments before the record that names them."""
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
    changed = there.changed(there.tip(), here.tip())
    fresh = [*filter(None, (_new_lines(here, there, commit) for commit in changed))]
    lines = chain.from_iterable(decode_note(b"\n".join(each)) for each in fresh)
    records = [line for line in lines if isinstance(line, Record)]
    refs = () if records_only else [(r.id, segment) for r in records for segment in r.segments]
    segments = dict.fromkeys(refs)
    clear = 0 if records_only else sum(record.figures.thinking == "clear" for record in records)
    return Outgoing(
        tips=tips,
        notes=len(fresh),
        records=len(records),
        trajectories=len({record.id for record in records}),
        segments=len(segments),
        size=sum(segment.bytes for _, segment in segments),
        thinking=clear,
    )


def _new_lines(here: NotesRef, there: NotesRef, commit: str) -> list[bytes]:
    known = set(_read(there, commit).splitlines())
    return [line for line in _read(here, commit).splitlines() if line not in known]


def _read(notes: NotesRef, commit: str) -> bytes:
    try:
        return notes.read(commit) or b""
    except GitError:  # in a partial clone: a missing note counts as unknown
        return b""

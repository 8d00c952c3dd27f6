"""Writes one batch of prepared parts: segments into the data refs first, then the notes that name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TypeGuard

from gittraj.git import Repository, patch_ids, read_present
from gittraj.model.codec import decode_note, encode_note
from gittraj.model.values import STUB_REV, Line, Origin, Record, Tombstone
from gittraj.notes.carry import add_copies, carry_note
from gittraj.notes.merge import is_redundant_stub, merge_lines
from gittraj.notes.refs import refuse_broken
from gittraj.notes.split_commits import SplitCommits
from gittraj.notes.store import RECORDS_REF, DataRefs, NotesRef
from gittraj.record.draft import Prepared, Written
from gittraj.record.rewrite_segments import Renewal, find_pushed, notes_of, rewrite_note

Pairs = Sequence[tuple[str, str]]
Rewrites = Mapping[str, tuple[str, ...]]


def write_batch(
    repository: Repository,
    prepared: Sequence[Prepared],
    *,
    carry: Pairs,
    became: Pairs,
    rewrites: Rewrites,
    gathered: Rewrites,
) -> Written:
    """Add prepared parts to the refs. ``carry`` are pairs (old, new) of commits: the old one's records are
    copied to the new one. ``became`` are further known rewrites, of commits that were split. ``rewrites``
    maps old commits to those that they became, ``gathered`` only those that went into squashes. Renewals
    replace stored parts: those with a secret, of older rules, or with other seals. Raises StoreError; then no
    record was written."""
    notes = NotesRef(repository)
    batch = _gather_lines(prepared)
    _fill_origins(repository, batch)
    renewals = [renewal for each in prepared for renewal in each.renewals]
    _carry(notes, batch, renewals, carry=carry, became=became, rewrites=rewrites, gathered=gathered)
    if any(batch.values()):
        refuse_broken(repository, RECORDS_REF)  # before segments are written that nothing would name
    _name_blobs(repository, prepared)
    pushed = find_pushed(repository, renewals)
    unpushed = [renewal for renewal in renewals if renewal not in pushed]
    written = _combine(prepared)
    _write_notes(notes, batch, unpushed, written)
    _forget(repository, unpushed)
    # a remote may keep these trajectories' old segments: a caller that removed a secret says to rotate it
    written.exposed |= {trajectory for r in pushed if r.gone for trajectory, _ in r.records}
    return written


def _write_notes(
    notes: NotesRef, batch: Mapping[str, Sequence[Line]], unpushed: Iterable[Renewal], written: Written
) -> None:
    """Add the lines to the notes; names of old segments that no remote has are removed from their history."""
    changes = {commit: partial(_add_lines, commit, tuple(new)) for commit, new in batch.items() if new}
    if changes:
        old_names = {path.rpartition("/")[2].encode() for r in unpushed for _, path in r.gone}
        notes.write(changes, forget=old_names)
        written.commits |= changes.keys()


def _gather_lines(prepared: Iterable[Prepared]) -> dict[str, list[Line]]:
    """The new lines of each commit's note."""
    lines: dict[str, list[Line]] = {}
    for each in prepared:
        for commit, line in each.lines:
            lines.setdefault(commit, []).append(line)
    return lines


def _combine(prepared: Sequence[Prepared]) -> Written:
    written = Written(searched=min((each.written.searched for each in prepared), default=0))
    for each in prepared:
        written.segments.update(each.written.segments)
        written.parked.extend(each.written.parked)
        written.remark = written.remark or each.written.remark
    return written


def _name_blobs(repository: Repository, prepared: Sequence[Prepared]) -> None:
    """Add the blobs with the parts' events to the data refs."""
    blobs: dict[str, dict[str, str]] = {}
    for each in prepared:
        blobs.setdefault(each.month, {}).update(each.blobs)
    for month, named in blobs.items():
        if named:
            DataRefs(repository).add(month, named)


def _carry(
    notes: NotesRef,
    batch: dict[str, list[Line]],
    renewals: Sequence[Renewal],
    *,
    carry: Pairs,
    became: Pairs,
    rewrites: Rewrites,
    gathered: Rewrites,
) -> None:
    """Add to the batch the records that rewritten commits get, and apply the ``renewals`` to all of it."""

    @cache
    def stored(commit: str) -> list[Line]:
        return decode_note(notes.read(commit) or b"")

    def note(commit: str) -> list[Line]:
        return [*batch.get(commit, ()), *stored(commit)]

    known = ((old, new) for old, news in rewrites.items() for new in news)
    read = partial(read_present, notes.repository)
    split = SplitCommits([*carry, *became, *known], read=read, note=note, squashed=gathered)
    for old, new in carry:
        batch.setdefault(new, []).extend(split.select(old, new, carry_note(old, stored(old))))
    _apply(notes, batch, renewals)
    add_copies(batch, rewrites, select=split.select)


def _apply(notes: NotesRef, batch: dict[str, list[Line]], renewals: Sequence[Renewal]) -> None:
    """Replace the renewed records in this batch and in every note that has one."""
    if not renewals:
        return  # all notes would be read for nothing, and a partial clone would have to fetch them
    records = {key: record for renewal in renewals for key, record in renewal.records.items()}
    renewal = Renewal(records=records)
    for lines in batch.values():
        lines[:] = [renewal.apply(line) for line in lines]
    for commit, stored in notes_of(notes, {trajectory for trajectory, _ in records}):
        batch.setdefault(commit, []).extend(rewrite_note(commit, stored, renewal))


def _forget(repository: Repository, renewals: Iterable[Renewal]) -> None:
    """Remove the old segments, which no remote has yet, from the data refs and their history."""
    gone: dict[str, set[str]] = {}
    for renewal in renewals:
        for month, path in renewal.gone:
            gone.setdefault(month, set()).add(path)
    for month, paths in gone.items():
        DataRefs(repository).forget(month, paths)


def _fill_origins(repository: Repository, batch: Mapping[str, list[Line]]) -> None:
    """Add to new records the commit that they were first written for. If this commit was pruned meanwhile,
    only its id is known; the other commits' records are written nevertheless."""
    objects = repository.objects
    fresh = [commit for commit, lines in batch.items() if any(map(_is_new, lines))]
    existing = dict.fromkeys(filter(objects.exists, fresh))
    identities = patch_ids(repository, list(existing))
    for commit in fresh:
        tree = objects.commit(commit).tree if commit in existing else None
        origin = Origin(commit=commit, patch_id=identities.get(commit), tree=tree)
        batch[commit][:] = [replace(x, origin=origin) if _is_new(x) else x for x in batch[commit]]


def _is_new(line: Line) -> TypeGuard[Record]:
    return isinstance(line, Record) and line.origin is None


def _add_lines(commit: str, new: Sequence[Line], body: bytes) -> bytes:
    """The note with the new lines. A stub whose session is now recorded in full gets a tombstone: without
    one, a union merge by plain git would bring the stub back."""
    merged = merge_lines(commit, (*decode_note(body), *new))
    records = [line for line in merged if isinstance(line, Record)]
    stubs = {record.id for record in records if is_redundant_stub(record, records)}
    return encode_note((*merged, *(Tombstone(id=i, rev=STUB_REV, deleted="told in full") for i in stubs)))

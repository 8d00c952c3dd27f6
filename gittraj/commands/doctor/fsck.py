"""Reads every note and every segment, and reports what is damaged or inconsistent.

A plain fetch brings records, and segments only on request: a segment that is not here is lost only if no
remote has its record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from gittraj import limits
from gittraj.commands.doctor.finding import Finding, note
from gittraj.git import Repository
from gittraj.model.codec import decode_note, segment_path
from gittraj.model.values import STUB_REV, ForeignLine, Line, Record, SegmentRef, Tombstone
from gittraj.notes.merge import standing
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.notes.tree import iter_notes
from gittraj.notes.unstamped import remote_tips
from gittraj.startup import sha256


def fsck(repository: Repository) -> Iterator[Finding]:
    """All problems and notes, commit by commit; then those of the segments."""
    notes = NotesRef(repository)
    records: dict[str, list[Record]] = {}
    for commit, body in notes.items():
        lines = decode_note(body)
        records[commit] = [line for line in lines if isinstance(line, Record)]
        yield from _check_note(commit, lines)
    tip = notes.tip()
    root = repository.objects.commit(tip).tree if tip else None
    over = 0
    unread = {commit: blob for commit, blob in iter_notes(repository.objects, root) if commit not in records}
    for commit, blob in sorted(unread.items()):
        if not repository.objects.fits(blob, limits.NOTE):
            yield Finding(
                "note-too-large",
                f"the note of {commit[:12]} is larger than {limits.NOTE >> 20} MB and is ignored",
                f"git notes --ref=traj remove {commit[:12]}, unless you want to keep it",
            )
            continue
        if not repository.objects.fits(blob, 0):  # it is here
            over += 1
            continue
        yield Finding(
            "note-missing",
            f"the note of {commit[:12]} is not here",
            "git fetch it again without a filter, or restore it from another clone",
        )
    if over:
        yield Finding(
            "notes-too-large",
            f"{over} notes are not read, because all notes together are far too large",
            f"find where they came from: git log {RECORDS_REF}",
        )
    yield from _check_segments(repository, records)


def _check_note(commit: str, lines: list[Line]) -> Iterator[Finding]:
    known = {line.id for line in lines if isinstance(line, Record)}
    for line in lines:
        if isinstance(line, ForeignLine) and line.newer:
            yield note(
                "note-newer",
                f"a line of the note of {commit[:12]} was written by a newer git-traj",
                "update git-traj to read it; until then it is kept as it is",
            )
        elif isinstance(line, ForeignLine):
            yield Finding(
                "note-line",
                f"a line of the note of {commit[:12]} is damaged, or not ours: {line.why}",
                f"look at it with git notes --ref=traj show {commit[:12]}; it is kept as it is",
            )
        # a stub's tombstone is carried without the stub; one of scope all is for what may still come
        elif (
            isinstance(line, Tombstone)
            and line.scope == "commit"
            and line.rev > STUB_REV
            and line.id not in known
        ):
            yield note(
                "tombstone",
                f"on {commit[:12]} a tombstone deletes {line.id}, which does not exist",
                "nothing to do: it may be needed for a record that another clone still has",
            )
    yield from _check_overlap(commit, lines)


def _check_overlap(commit: str, lines: list[Line]) -> Iterator[Finding]:
    parts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for record in standing(commit, lines):
        if record.range is not None and record.range.at is not None:
            parts[record.id].append((record.range.at, record.range.at + record.range.n))
    for trajectory, spans in parts.items():
        if any(later[0] < former[1] for former, later in pairwise(sorted(spans))):
            yield note(
                "overlap",
                f"on {commit[:12]} parts of {trajectory} overlap",
                "nothing to do: nothing is counted twice",
            )


def _check_segments(repository: Repository, records: Mapping[str, list[Record]]) -> Iterator[Finding]:
    data = DataRefs(repository)
    stored = {(month, path): blob for month in data.months() for path, blob in data.blobs(month)}
    elsewhere: set[tuple[str, str]] | None = None
    absent = 0
    named: set[tuple[str, str]] = set()
    places = _named(records)
    bodies = repository.objects.read_blobs((stored[p] for p in places if p in stored), limits.SEGMENT)
    for place, (commit, ref) in places.items():
        named.add(place)
        if place not in stored:
            if elsewhere is None:
                elsewhere = _remote_places(repository)
            # a month that was purged or retired has a file that says so
            if place in elsewhere or data.read(place[0], "epoch") is not None:
                absent += 1
            else:
                yield _lost(commit, place, "is in no data ref of this clone")
        elif (why := _damage(next(bodies), ref)) is not None:
            yield _lost(commit, place, why)
    if absent:
        yield note(
            "segment-not-fetched",
            f"not fetched: {absent} of the segments, only their records are here",
            "nothing to do: a plain fetch leaves them on the remote",
        )
    if elsewhere is None:
        elsewhere = _remote_places(repository)
    dangling = stored.keys() - named - elsewhere
    if dangling:
        yield note(
            "segment-dangling",
            f"named by no record: {len(dangling)} of the segments ({min(dangling)[1]} …)",
            "nothing to do: the next drain writes the record of a new one",
        )


def _lost(commit: str, place: tuple[str, str], why: str) -> Finding:
    return Finding(
        "segment",
        f"segment {place[1]} of {place[0]}, named on {commit[:12]}, {why}",
        f"fetch {DATA_PREFIX}{place[0]} from a clone that has it; the record still shows",
    )


def _damage(body: bytes | None, ref: SegmentRef) -> str | None:
    if body is None:
        return "is listed, but its content is not here"
    if sha256(body).hexdigest() != ref.sha256:
        return "does not have the sha256 that its record says"
    return None


def _named(records: Mapping[str, Iterable[Record]]) -> dict[tuple[str, str], tuple[str, SegmentRef]]:
    """The location of each named segment (month, path), one commit that names it, and the reference."""
    return {
        (ref.month, segment_path(record.id, ref.name)): (commit, ref)
        for commit, found in records.items()
        for record in found
        for ref in (*record.segments, *record.also)
    }


def _remote_places(repository: Repository) -> set[tuple[str, str]]:
    """The segments that remotes' records name, as far as they were fetched."""
    records: dict[str, list[Record]] = defaultdict(list)
    for ref in remote_tips(repository):
        for commit, body in NotesRef(repository, ref).items():
            records[commit] += [line for line in decode_note(body) if isinstance(line, Record)]
    return set(_named(records))

"""Reads every note and every segment, and reports what is damaged or inconsistent.

A plain fetch brings records, and segments only on request: a segment that is not in this clone is lost only
if no remote has its record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import pairwise

from gittraj import limits
from gittraj.commands.doctor.finding import Finding, note  # a note is information, not a problem
from gittraj.git import Repository
from gittraj.model.codec import decode_note, segment_path
from gittraj.model.values import STUB_REV, ForeignLine, Line, Record, SegmentRef, Tombstone
from gittraj.notes.merge import standing
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.notes.tree import iter_notes
from gittraj.notes.unstamped import remote_tips
from gittraj.startup import sha256

SegmentKey = tuple[str, str]
"""A segment's month and path."""


def fsck(repository: Repository) -> Iterator[Finding]:
    """Yield all findings on the notes, commit by commit, then those on the segments."""
    notes = NotesRef(repository)
    records: dict[str, list[Record]] = {}
    for commit, body in notes.items():
        lines = decode_note(body)
        records[commit] = [line for line in lines if isinstance(line, Record)]
        yield from _check_note(commit, lines)
    yield from _check_unread(repository, records)
    yield from _check_segments(repository, records)


def _check_unread(repository: Repository, read: Collection[str]) -> Iterator[Finding]:
    """Report the notes of commits that are not among those ``read``."""
    tip = NotesRef(repository).tip()
    root = repository.objects.commit(tip).tree if tip else None
    skipped = 0
    unread = {commit: blob for commit, blob in iter_notes(repository.objects, root) if commit not in read}
    for commit, blob in sorted(unread.items()):
        if not repository.objects.fits(blob, limits.NOTE):
            yield Finding(
                "note-too-large",
                f"the note of {commit[:12]} is larger than {limits.NOTE >> 20} MB and is ignored",
                f"git notes --ref=traj remove {commit[:12]}, unless you want to keep it",
            )
        elif not repository.objects.fits(blob, 0):  # the object exists
            skipped += 1
        else:
            yield Finding(
                "note-missing",
                f"the note of {commit[:12]} is not here",
                "git fetch it again without a filter, or restore it from another clone",
            )
    if skipped:
        yield Finding(
            "notes-too-large",
            f"{skipped} notes are not read, because all notes together are far too large",
            f"find where they came from: git log {RECORDS_REF}",
        )


def _check_note(commit: str, lines: list[Line]) -> Iterator[Finding]:
    recorded = {line.id for line in lines if isinstance(line, Record)}
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
        elif isinstance(line, Tombstone) and line.id not in recorded and _needs_record(line):
            yield note(
                "tombstone",
                f"on {commit[:12]} a tombstone deletes {line.id}, which does not exist",
                "nothing to do: it may be needed for a record that another clone still has",
            )
    yield from _check_overlap(commit, lines)


def _needs_record(tombstone: Tombstone) -> bool:
    """Return whether the record that a tombstone deletes must be next to it. A stub's tombstone is carried
    without the stub; a tombstone of scope ``all`` is for records that may still come."""
    return tombstone.scope == "commit" and tombstone.rev > STUB_REV


def _check_overlap(commit: str, lines: list[Line]) -> Iterator[Finding]:
    parts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for record in standing(commit, lines):  # those that were not withdrawn
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
    stored = _list_stored(data)
    named = _list_named(records)
    on_remotes = cache(partial(_list_on_remotes, repository))  # read only if it is needed
    bodies = repository.objects.read_blobs((stored[key] for key in named if key in stored), limits.SEGMENT)
    absent = 0
    for key, (commit, ref) in named.items():
        if key in stored:
            if (why := _find_damage(next(bodies), ref)) is not None:
                yield _lost(commit, key, why)
        # a month that was purged, or emptied for good, has a file named "epoch"
        elif key in on_remotes() or data.read(key[0], "epoch") is not None:
            absent += 1
        else:
            yield _lost(commit, key, "is in no data ref of this clone")
    if absent:
        yield note(
            "segment-not-fetched",
            f"not fetched: {absent} of the segments, only their records are here",
            "nothing to do: a plain fetch leaves them on the remote",
        )
    dangling = stored.keys() - named.keys() - on_remotes()
    if dangling:
        yield note(
            "segment-dangling",
            f"named by no record: {len(dangling)} of the segments ({min(dangling)[1]} …)",
            "nothing to do: the next drain writes the record of a new one",
        )


def _lost(commit: str, key: SegmentKey, why: str) -> Finding:
    month, path = key
    return Finding(
        "segment",
        f"segment {path} of {month}, named on {commit[:12]}, {why}",
        f"fetch {DATA_PREFIX}{month} from a clone that has it; the record still shows",
    )


def _find_damage(body: bytes | None, ref: SegmentRef) -> str | None:
    if body is None:
        return "is listed, but its content is not here"
    if sha256(body).hexdigest() != ref.sha256:
        return "does not have the sha256 that its record says"
    return None


def _list_stored(data: DataRefs) -> dict[SegmentKey, str]:
    """Return the blob of each segment in the data refs."""
    return {(month, path): blob for month in data.months() for path, blob in data.blobs(month)}


def _list_named(records: Mapping[str, Iterable[Record]]) -> dict[SegmentKey, tuple[str, SegmentRef]]:
    """Return the segments that ``records`` name, each with one commit that names it, and the reference."""
    return {
        (ref.month, segment_path(record.id, ref.name)): (commit, ref)
        for commit, each in records.items()
        for record in each
        for ref in (*record.segments, *record.also)
    }


def _list_on_remotes(repository: Repository) -> set[SegmentKey]:
    """Return the segments that the records of remotes name, as far as these were fetched."""
    records: dict[str, list[Record]] = defaultdict(list)
    for ref in remote_tips(repository):
        for commit, body in NotesRef(repository, ref).items():
            records[commit] += [line for line in decode_note(body) if isinstance(line, Record)]
    return set(_list_named(records))

"""Scans stored parts again, because a secret became known later or the rules changed.

A segment never changes: one that contains a secret is replaced, and every record of its trajectory that names
it gets a higher ``rev``. Nothing is written here; the pipeline does that.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from weakref import WeakKeyDictionary

from gittraj.events.sensitive import strict_events
from gittraj.git import Repository
from gittraj.model.codec import decode_note, encode_segments, segment_path, segment_position
from gittraj.model.values import Key, Line, Record, SegmentRef, Tombstone
from gittraj.notes.merge import deletes, records_on, standing
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.notes.unjoined import COPIES
from gittraj.redact.events import Redact, cleaner, map_event, map_plain

SEARCHED = 16_000_000
"""How many bytes of a trajectory's earlier segments, the latest first, are searched for new secrets."""
IDS = re.compile(rb'"id"\s*:\s*"([^"]*)"')
"""Matches the ids of a note's trajectories, and some others: a note that has an id is decoded to be sure."""
_KEPT = 8
"""How many decoded notes are kept: the trajectories of one commit are looked up one after the other."""


@dataclass(slots=True)
class _Tip:
    """The notes at one tip of their ref. ``carriers`` maps an id (of a trajectory or of something else) to
    the commits whose notes contain it; ``decoded`` are the notes that were read last."""

    carriers: Mapping[str, Collection[str]]
    decoded: dict[str, list[Line]] = field(default_factory=dict)

    def read(self, notes: NotesRef, commits: Collection[str]) -> Iterator[tuple[str, Sequence[Line]]]:
        known = {commit: self.decoded[commit] for commit in commits if commit in self.decoded}
        yield from known.items()
        for commit, body in notes.pick(commit for commit in commits if commit not in known):
            self.decoded[commit] = lines = decode_note(body)
            for old in [*self.decoded][:-_KEPT]:
                del self.decoded[old]
            yield commit, lines


_TIPS: WeakKeyDictionary[Repository, dict[str | None, _Tip]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """The segments (name, content) that replace an old one, and the rules that matched, by placeholder."""

    bodies: tuple[tuple[str, bytes], ...]
    replaced: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """A trajectory's records, written again. ``records`` are the new records by key; ``refs`` maps an old
    segment to its replacements; ``files`` are the new segments' contents by path on the data ref of this
    month; ``gone`` are old segments (month, path) that no record names any more."""

    records: Mapping[Key, Record] = field(default_factory=dict)
    refs: Mapping[SegmentRef, tuple[SegmentRef, ...]] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    gone: frozenset[tuple[str, str]] = frozenset()

    def apply(self, line: Line) -> Line:
        """The record that replaces ``line``, with the line's ``link``, ``role`` and ``origin``; or
        ``line``."""
        new = self.records.get(line.key) if isinstance(line, Record) else None
        if new is None or not isinstance(line, Record) or line.rev >= new.rev:
            return line
        return replace(new, link=line.link, role=line.role, origin=line.origin)

    def rename(self, record: Record) -> Record:
        """Replace the names of old segments in a record by those of the new ones."""
        return replace(record, segments=self._named(record.segments), also=self._named(record.also))

    def _named(self, old: Sequence[SegmentRef]) -> tuple[SegmentRef, ...]:
        return tuple(new for ref in old for new in self.refs.get(ref, (ref,)))


def stored_parts(repository: Repository, commits: Collection[str] | None) -> dict[str, list[Record]]:
    """Return the highest revision of each part on the commits (None: all commits), by trajectory."""
    latest_records: dict[str, dict[Key, Record]] = {}
    for commit, body in NotesRef(repository).items():
        if commits is None or commit in commits:
            for record in records_on(commit, body):
                best = latest_records.setdefault(record.id, {}).setdefault(record.key, record)
                if record.rev > best.rev:
                    latest_records[record.id][record.key] = record
    return {trajectory: [*records.values()] for trajectory, records in latest_records.items()}


def search(
    repository: Repository,
    trajectory: str,
    refs: Iterable[SegmentRef],
    redactor: Redact,
    *,
    paths: Sequence[str] = (),
) -> dict[SegmentRef, Replacement]:
    """Make replacements for a trajectory's segments in which ``redactor`` now finds something. ``paths`` are
    globs of further files with secrets. Raises RedactionError."""
    replacements: dict[SegmentRef, Replacement] = {}
    read = list(read_segments(repository, trajectory, refs))
    strict = strict_events(
        (e for _, events in sorted(read, key=lambda pair: pair[0].name) for e in events), paths, orphans=False
    )
    for ref, events in read:
        redactor.replaced()  # discards what was replaced in the previous segment
        now = tuple(map_event(e, cleaner(redactor), strict=e.id in strict) for e in events)
        if now != events:
            replacements[ref] = Replacement(
                bodies=tuple(encode_segments(enumerate(now, segment_position(ref.name) or 0))),
                replaced=redactor.replaced(),
            )
    return replacements


def latest(refs: Iterable[SegmentRef]) -> list[SegmentRef]:
    """Return the latest of a trajectory's segments, as many as a drain searches (``SEARCHED``)."""
    ordered = sorted(dict.fromkeys(refs), key=lambda ref: ref.name, reverse=True)
    sizes = accumulate(ref.bytes for ref in ordered)
    return [ref for ref, size in zip(ordered, sizes, strict=True) if size <= SEARCHED]


def rewrite(
    repository: Repository,
    trajectory: str,
    replacements: Mapping[SegmentRef, Replacement],
    change: Callable[[Record], Record],
    *,
    month: str,
    keys: Collection[Key] = (),
) -> Renewal:
    """Rewrite the records of a trajectory that name a replaced segment, and those of ``keys``: apply
    ``change``, and increase ``rev`` by one."""
    refs = {
        old: tuple(name_segment(name, body, month) for name, body in new.bodies)
        for old, new in replacements.items()
    }
    files = {
        segment_path(trajectory, name): body for new in replacements.values() for name, body in new.bodies
    }
    old = {(ref.month, segment_path(trajectory, ref.name)) for ref in replacements}
    renewal = Renewal(refs=refs, files=files, gone=frozenset(old - {(month, path) for path in files}))
    return replace(
        renewal,
        records={
            key: renewal.rename(replace(change(record), rev=record.rev + 1))
            for key, record in _highest_revisions(NotesRef(repository), trajectory).items()
            if key in keys or refs.keys() & {*record.segments, *record.also}
        },
    )


def name_segment(name: str, body: bytes, month: str) -> SegmentRef:
    return SegmentRef(name=name, month=month, bytes=len(body), sha256=hashlib.sha256(body).hexdigest())


def _highest_revisions(notes: NotesRef, trajectory: str) -> dict[Key, Record]:
    """The highest revision of each of a trajectory's records, also of withdrawn ones."""
    highest: dict[Key, Record] = {}
    for _, lines in notes_of(notes, {trajectory}):
        for record in _records(lines, {trajectory}):
            if record.rev >= highest.setdefault(record.key, record).rev:
                highest[record.key] = record
    return highest


def rewrite_note(commit: str, lines: Sequence[Line], renewal: Renewal) -> Iterator[Line]:
    """Yield the lines to add to a note. A withdrawn record's tombstone gets the new ``rev``, too."""
    remaining = {record.key for record in standing(commit, lines)}
    tombstones = [line for line in lines if isinstance(line, Tombstone)]
    for line in lines:
        new = renewal.apply(line)
        if new is line or not isinstance(line, Record) or not isinstance(new, Record):
            continue
        yield new
        if line.key not in remaining:
            yield from (replace(t, rev=new.rev) for t in tombstones if deletes(t, line))


def notes_of(notes: NotesRef, trajectories: Collection[str]) -> Iterator[tuple[str, Sequence[Line]]]:
    """Yield the notes with a record, withdrawn or not, of ``trajectories``. Only the first call
    for a tip reads all notes."""
    tip = _read_tip(notes)
    named = dict.fromkeys(
        commit for trajectory in trajectories for commit in tip.carriers.get(trajectory, ())
    )
    for commit, lines in tip.read(notes, named):
        if any(_records(lines, trajectories)):
            yield commit, lines


def _read_tip(notes: NotesRef) -> _Tip:
    tip = notes.tip()
    known = _TIPS.setdefault(notes.repository, {})
    if tip not in known:
        if len(known) > 3:  # each write moves the tip
            known.clear()
        carriers: dict[str, dict[str, None]] = {}
        for commit, body in notes.items(tip):
            for name in IDS.findall(body):
                carriers.setdefault(name.decode("utf-8", "replace"), {})[commit] = None
        known[tip] = _Tip(carriers)
    return known[tip]


def find_pushed(repository: Repository, renewals: Sequence[Renewal]) -> list[Renewal]:
    """The renewals whose old record or segment a remote has, as far as its last fetch or push shows."""
    if not renewals:
        return []
    listed = repository.run("for-each-ref", "--format=%(refname)", COPIES).text
    refs = listed.splitlines()
    keys = _pushed_keys(repository, refs, {name for renewal in renewals for name, _ in renewal.records})

    def has(segment: tuple[str, str]) -> bool:
        return _is_pushed(repository, refs, *segment)

    return [r for r in renewals if not keys.isdisjoint(r.records) or any(map(has, r.gone))]


def _pushed_keys(repository: Repository, refs: Iterable[str], trajectories: Collection[str]) -> set[Key]:
    """The keys of the trajectories' records on the copies of remotes' notes among ``refs``."""
    return {
        record.key
        for ref in refs
        if ref.endswith("/traj")
        for _, lines in notes_of(NotesRef(repository, ref), trajectories)
        for record in _records(lines, trajectories)
    }


def _is_pushed(repository: Repository, refs: Iterable[str], month: str, path: str) -> bool:
    """Whether one of the copies of remotes' data refs among ``refs`` has a segment."""
    copies = (ref.removesuffix(month) for ref in refs if ref.endswith(f"/traj-data-{month}"))
    return any(DataRefs(repository, prefix).read(month, path) for prefix in copies)


def _records(lines: Iterable[Line], trajectories: Collection[str]) -> Iterator[Record]:
    return (line for line in lines if isinstance(line, Record) and line.id in trajectories)


def clean_record(
    redactor: Redact, ruleset: str, replacements: Mapping[SegmentRef, Replacement], record: Record
) -> Record:
    """Redact a record, and count what ``redactor`` replaced in it and its segments. Raises RedactionError."""
    redactor.replaced()  # discards what was replaced in the previous record
    figures, whole = map_plain((record.figures, record.whole), cleaner(redactor))
    counts = count_replaced(record, redactor, (replacements.get(ref) for ref in record.segments))
    return replace(record, figures=replace(figures, redactions_by_rule=counts, ruleset=ruleset), whole=whole)


def count_replaced(
    record: Record, redactor: Redact, replacements: Iterable[Replacement | None]
) -> dict[str, int]:
    """Count a record's redacted secrets by rule, with those that were now redacted in it and its segments."""
    replaced = redactor.replaced()
    for replacement in replacements:
        replaced |= replacement.replaced if replacement else {}
    return dict(sorted((Counter(replaced.values()) + Counter(record.figures.redactions_by_rule)).items()))

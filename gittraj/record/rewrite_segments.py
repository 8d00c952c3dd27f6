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
from functools import partial
from itertools import accumulate
from weakref import WeakKeyDictionary

from gittraj.events.sensitive import strict_events
from gittraj.git import Repository
from gittraj.model.codec import decode_note, encode_segments, segment_path, segment_position
from gittraj.model.values import Key, Line, Record, SegmentRef, Tombstone
from gittraj.notes.merge import deletes, records_on, standing
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.redact.events import Redact, map_event, map_plain

SEARCHED = 16_000_000
"""Bytes of a trajectory's earlier segments, the latest first, that are searched for newly known secrets."""
IDS = re.compile(rb'"id"\s*:\s*"([^"]*)"')
"""The ids in a note: of its trajectories, and some others. Notes that match are decoded to be sure."""
_KEPT = 8
"""How many decoded notes are kept: the trajectories of one commit are looked up one after the other."""


@dataclass(slots=True)
class _Tip:
    """The notes at one tip. ``carriers``: the commits whose notes contain an id, by this id (a trajectory's
    or another's); ``decoded``: the notes that were read last."""

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
    """The segments that replace an old one: names and contents; and the rules of the replaced secrets."""

    bodies: tuple[tuple[str, bytes], ...]
    replaced: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """``records``: the new records, by key; ``refs``: the segments that replace each old one; ``files``: the
    new segments, by path on the data ref of this month; ``gone``: the unreferenced old ones (month, path)."""

    records: Mapping[Key, Record] = field(default_factory=dict)
    refs: Mapping[SegmentRef, tuple[SegmentRef, ...]] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    gone: frozenset[tuple[str, str]] = frozenset()

    def apply(self, line: Line) -> Line:
        """The line that replaces ``line``, or itself; ``link``, ``role`` and ``origin`` stay the commit's."""
        new = self.records.get(line.key) if isinstance(line, Record) else None
        if new is None or not isinstance(line, Record) or line.rev >= new.rev:
            return line
        return replace(new, link=line.link, role=line.role, origin=line.origin)

    def rename(self, record: Record) -> Record:
        """The record with the names of the new segments instead of the old ones."""
        return replace(record, segments=self._named(record.segments), also=self._named(record.also))

    def _named(self, old: Sequence[SegmentRef]) -> tuple[SegmentRef, ...]:
        return tuple(new for ref in old for new in self.refs.get(ref, (ref,)))


def stored_parts(repository: Repository, commits: Collection[str] | None) -> dict[str, list[Record]]:
    """The parts on the commits (None: all), by trajectory; of each part the highest revision."""
    found: dict[str, dict[Key, Record]] = {}
    for commit, body in NotesRef(repository).items():
        if commits is None or commit in commits:
            for record in records_on(commit, body):
                best = found.setdefault(record.id, {}).setdefault(record.key, record)
                if record.rev > best.rev:
                    found[record.id][record.key] = record
    return {trajectory: [*records.values()] for trajectory, records in found.items()}


def search(
    repository: Repository,
    trajectory: str,
    refs: Iterable[SegmentRef],
    redactor: Redact,
    *,
    paths: Sequence[str] = (),
) -> dict[SegmentRef, Replacement]:
    """Replacements for a trajectory's segments in which ``redactor`` now finds something. ``paths``: globs of
    further files with secrets. Raises RedactionError."""
    found: dict[SegmentRef, Replacement] = {}
    read = list(read_segments(repository, trajectory, refs))
    strict = strict_events(
        (e for _, events in sorted(read, key=lambda pair: pair[0].name) for e in events), paths, orphans=False
    )
    for ref, events in read:
        redactor.replaced()  # discards those of the previous segment
        now = tuple(map_event(e, partial(_clean, redactor), strict=e.id in strict) for e in events)
        if now != events:
            found[ref] = Replacement(
                bodies=tuple(encode_segments(enumerate(now, segment_position(ref.name) or 0))),
                replaced=redactor.replaced(),
            )
    return found


def latest(refs: Iterable[SegmentRef]) -> list[SegmentRef]:
    """The latest of a trajectory's segments, as many as a drain searches."""
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
    """Rewrite the records of a trajectory that name a replaced segment, and those of ``keys``: with
    ``change`` applied, and the next ``rev``."""
    refs = {
        old: tuple(
            SegmentRef(name=name, month=month, bytes=len(body), sha256=hashlib.sha256(body).hexdigest())
            for name, body in new.bodies
        )
        for old, new in replacements.items()
    }
    highest: dict[Key, Record] = {}
    for _, lines in notes_of(NotesRef(repository), {trajectory}):
        for record in _records(lines, {trajectory}):
            if record.rev >= highest.setdefault(record.key, record).rev:
                highest[record.key] = record
    named = {
        segment_path(trajectory, name): body for new in replacements.values() for name, body in new.bodies
    }
    old = {(ref.month, segment_path(trajectory, ref.name)) for ref in replacements}
    renewal = Renewal(refs=refs, files=named, gone=frozenset(old - {(month, path) for path in named}))
    return replace(
        renewal,
        records={
            key: renewal.rename(replace(change(record), rev=record.rev + 1))
            for key, record in highest.items()
            if key in keys or refs.keys() & {*record.segments, *record.also}
        },
    )


def rewrite_note(commit: str, lines: Sequence[Line], renewal: Renewal) -> Iterator[Line]:
    """The lines to add to a note. A withdrawn record stays so: its tombstone gets the new ``rev``, too."""
    there = standing(commit, lines)
    tombstones = [line for line in lines if isinstance(line, Tombstone)]
    for line in lines:
        new = renewal.apply(line)
        if new is line or not isinstance(line, Record) or not isinstance(new, Record):
            continue
        yield new
        if all(record.key != line.key for record in there):
            yield from (replace(t, rev=new.rev) for t in tombstones if deletes(t, line))


def notes_of(notes: NotesRef, trajectories: Collection[str]) -> Iterator[tuple[str, Sequence[Line]]]:
    """The notes with a record of one of these, withdrawn or not. Only a tip's first call reads all notes."""
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
        found: dict[str, dict[str, None]] = {}
        for commit, body in notes.items(tip):
            for name in IDS.findall(body):
                found.setdefault(name.decode("utf-8", "replace"), {})[commit] = None
        known[tip] = _Tip(found)
    return known[tip]


def find_pushed(repository: Repository, renewals: Sequence[Renewal]) -> list[Renewal]:
    """The renewals of which a remote has an old record or segment, as far as is known here."""
    if not renewals:
        return []
    listed = repository.run("for-each-ref", "--format=%(refname)", "refs/notes-remote/").text
    refs = [ref.rpartition("/") for ref in listed.splitlines()]
    trajectories = {trajectory for renewal in renewals for trajectory, _ in renewal.records}
    theirs = {
        record.key
        for remote, _, name in refs
        if name == "traj"
        for _, lines in notes_of(NotesRef(repository, f"{remote}/traj"), trajectories)
        for record in _records(lines, trajectories)
    }

    def has(month: str, path: str) -> bool:
        remotes = (remote for remote, _, name in refs if name == f"traj-data-{month}")
        return any(DataRefs(repository, f"{remote}/traj-data-").read(month, path) for remote in remotes)

    return [r for r in renewals if not theirs.isdisjoint(r.records) or any(has(*each) for each in r.gone)]


def _records(lines: Iterable[Line], trajectories: Collection[str]) -> Iterator[Record]:
    return (line for line in lines if isinstance(line, Record) and line.id in trajectories)


def clean_record(
    redactor: Redact, ruleset: str, replacements: Mapping[SegmentRef, Replacement], record: Record
) -> Record:
    """The record, redacted; it also counts what ``redactor`` replaced in its segments. Raises
    RedactionError."""
    redactor.replaced()  # discards those of the previous record
    figures, whole = map_plain((record.figures, record.whole), partial(_clean, redactor))
    found = count_replaced(record, redactor, (replacements.get(ref) for ref in record.segments))
    return replace(record, figures=replace(figures, redactions_by_rule=found, ruleset=ruleset), whole=whole)


def count_replaced(
    record: Record, redactor: Redact, replacements: Iterable[Replacement | None]
) -> dict[str, int]:
    """Count a record's redacted secrets by rule, with those that were now redacted in it and its segments."""
    found = redactor.replaced()
    for replacement in replacements:
        found |= replacement.replaced if replacement else {}
    return dict(sorted((Counter(found.values()) + Counter(record.figures.redactions_by_rule)).items()))


def _clean(redactor: Redact, text: str, name: str | None, strictly: bool) -> str:
    return redactor.text(text, name=name, strict=strictly)

"""Searches git-traj's refs, their history and reflogs for the text or trajectories to purge. Changes
nothing."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar

from gittraj.commands.redact import match_rules
from gittraj.errors import FormatError, RedactionError
from gittraj.events.sensitive import strict_events
from gittraj.git import Repository, read_reflog
from gittraj.model.codec import decode_line, decode_segment, encode_segments, segment_position
from gittraj.model.values import AnyEvent, ForeignLine, Key, Line, Record, Tombstone
from gittraj.notes.tree import iter_segments
from gittraj.record.rewrite_segments import Replacement, count_replaced
from gittraj.redact.events import Redact, clean_fragments, cleaner, map_event, map_plain
from gittraj.sync.traces import our_refs

_SEGMENT = re.compile(r"s/[0-9a-f]{2}/([^/]+)/(\d{6,}-[0-9a-f]{8})")
T = TypeVar("T")
_NOTE = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

SegmentKey = tuple[str, str, str]
"""A segment's month, trajectory and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeTarget:
    """What to purge: a secret, or trajectories.

    ``redactor`` makes the redactor that finds the secret, one per trajectory (None: only trajectories are
    purged); ``contains`` returns whether bytes contain the secret, as far as that can be decided;
    ``forgotten`` are the ids of the trajectories to remove; ``paths`` are globs of more files that contain
    secrets; ``remember`` stores keyed hashes of the secrets that were found."""

    redactor: Callable[[], Redact] | None = None
    contains: Callable[[bytes], bool] = lambda _: False
    forgotten: frozenset[str] = frozenset()
    paths: Sequence[str] = ()
    remember: Callable[[frozenset[str]], object] = lambda _: None


@dataclass(slots=True)
class Matches:
    """Where the purged text or trajectories were found.

    ``parts`` maps each matching part to the highest ``rev`` of its records that match; ``segments`` maps each
    matching segment to its replacement (None: it is only removed); ``refs`` are those that lead to a match,
    also by reflogs; ``stored`` are all segments; ``unread`` are segments and lines that cannot be
    searched."""

    parts: dict[Key, int] = field(default_factory=dict)
    segments: dict[SegmentKey, Replacement | None] = field(default_factory=dict)
    refs: set[str] = field(default_factory=set)
    stored: set[SegmentKey] = field(default_factory=set)
    unread: set[SegmentKey] = field(default_factory=set)


class Search:
    """One search for a target. ``matches`` is the result of ``run``."""

    def __init__(self, repository: Repository, target: PurgeTarget) -> None:
        self.repository = repository
        self.target = target
        self.matches = Matches()
        self._redactors: dict[str, Redact] = {}
        self._searched: dict[bytes, bool] = {}

    def run(self) -> Matches:
        """Search the segments first: a secret in an event is also one in a record. Raises GitError."""
        tips = {ref: list(_tips(self.repository, ref)) for ref in our_refs(self.repository)}
        self._search_segments({ref: tips[ref] for ref in tips if not ref.endswith("/traj")})
        self._search_notes({ref: tips[ref] for ref in tips if ref.endswith("/traj")})
        return self.matches

    def redactor(self, trajectory: str) -> Redact | None:
        """Return the redactor for a trajectory, always the same one, as it learns secrets from the text."""
        if trajectory not in self._redactors and self.target.redactor is not None:
            self._redactors[trajectory] = self.target.redactor()
        return self._redactors.get(trajectory)

    def hashes(self) -> frozenset[str]:
        """Return the keyed hashes of the secrets that were found."""
        return frozenset[str]().union(*(each.hashes() for each in self._redactors.values()))

    def clean_record(self, record: Record) -> Record:
        """Return a record without the secret, with the counts of all its matches. Raises RedactionError."""
        redactor = self.redactor(record.id)
        if redactor is None:
            return record
        redactor.replaced()  # resets the counts of the previous record
        clean = self.clean(record)
        if not isinstance(clean, Record):
            return record
        segments = (self.matches.segments.get((ref.month, record.id, ref.name)) for ref in record.segments)
        counts = count_replaced(record, redactor, segments)
        return replace(clean, figures=replace(clean.figures, redactions_by_rule=counts))

    def clean_value(self, trajectory: str, value: T) -> T:
        """Return any value of a trajectory without the secret. Raises RedactionError."""
        redactor = self.redactor(trajectory)
        return value if redactor is None else map_plain(value, cleaner(redactor))

    def clean(self, line: Line) -> Line:
        """Return a line of a commit's note without the secret. Raises RedactionError."""
        if isinstance(line, ForeignLine):
            text = self.clean_value("", line.text.decode("utf-8", "surrogateescape"))
            return ForeignLine(text.encode("utf-8", "surrogateescape"), line.why)
        if isinstance(line, Tombstone):
            reason, extra = self.clean_value(line.id, (line.deleted, line.extra))
            return replace(line, deleted=reason, extra=extra)
        call, figures, whole, extra = self.clean_value(
            line.id, (line.link.call, line.figures, line.whole, line.extra)
        )
        return replace(line, link=replace(line.link, call=call), figures=figures, whole=whole, extra=extra)

    # ------------------------------------------------------------ records

    def _search_notes(self, tips: dict[str, list[str]]) -> None:
        blobs = {
            ref: [oid for oid, path in list_objects(self.repository, commits) if _is_note(path)]
            for ref, commits in tips.items()
        }
        distinct = dict.fromkeys(chain.from_iterable(blobs.values()))
        bodies = self.repository.objects.read_blobs(distinct)
        matching = {oid for oid, body in zip(distinct, bodies, strict=True) if self._note_matches(body)}
        self.matches.refs.update(ref for ref, listed in blobs.items() if not matching.isdisjoint(listed))

    def _note_matches(self, body: bytes | None) -> bool:
        lines = filter(bytes.strip, (body or b"").split(b"\n"))
        return sum(map(self._line_matches, lines)) > 0  # not any(): each matching line is to be recorded

    def _line_matches(self, text: bytes) -> bool:
        digest = hashlib.blake2b(text, digest_size=16).digest()
        if digest not in self._searched:
            line = decode_line(text)
            try:
                forgotten = isinstance(line, Record) and line.id in self.target.forgotten
                matches = forgotten or self.target.contains(text) or self.clean(line) != line
            except RedactionError:
                matches = False
                self.matches.unread.add(("", "", digest.hex()))
            self._searched[digest] = matches
            if matches and isinstance(line, Record):
                self.matches.parts[line.key] = max(line.rev, self.matches.parts.get(line.key, 0))
        return self._searched[digest]

    # ------------------------------------------------------------ segments

    def _search_segments(self, tips: dict[str, list[str]]) -> None:
        blobs: dict[SegmentKey, str] = {}
        refs: dict[SegmentKey, set[str]] = defaultdict(set)
        for ref, commits in tips.items():
            for oid, path in _list_segments(self.repository, commits):
                if match := _SEGMENT.fullmatch(path):
                    key = (ref[-7:], match[1], match[2])
                    blobs[key] = oid
                    refs[key].add(ref)
        self.matches.stored |= blobs.keys()
        trajectories = defaultdict[str, list[SegmentKey]](list)
        for key in sorted(blobs, key=lambda each: each[2]):
            trajectories[key[1]].append(key)
        for trajectory, keys in trajectories.items():
            if trajectory in self.target.forgotten:
                self.matches.segments.update(dict.fromkeys(keys))
            elif (redactor := self.redactor(trajectory)) is not None:
                self._search_trajectory(redactor, {key: blobs[key] for key in keys})
        for key in self.matches.segments:
            self.matches.refs |= refs[key]

    def _search_trajectory(self, redactor: Redact, blobs: dict[SegmentKey, str]) -> None:
        segments = self._read_segments(blobs)
        every = [event for events in segments.values() for event in events]
        without_split = iter(_clean_fragments(redactor, every))  # secrets that span fragments are redacted
        strict = strict_events(every, self.target.paths, orphans=False)
        for event in every:  # an event that cannot be scanned raises an error when it is cleaned
            match_rules(redactor.learn, event, strict=event.id in strict)
        for key, events in segments.items():
            redactor.replaced()  # resets the counts of the previous segment
            partly_clean = [next(without_split) for _ in events]
            try:
                clean = tuple(map_event(e, cleaner(redactor), strict=e.id in strict) for e in partly_clean)
            except (RedactionError, RecursionError):
                self.matches.unread.add(key)
                continue
            position = segment_position(key[2])
            if position is None:
                self.matches.unread.add(key)
            elif clean != events:
                self.matches.segments[key] = Replacement(
                    bodies=tuple(encode_segments(enumerate(clean, position))),
                    replaced=redactor.replaced(),
                )

    def _read_segments(self, blobs: dict[SegmentKey, str]) -> dict[SegmentKey, tuple[AnyEvent, ...]]:
        """Return the events of each readable segment, and sort the others into matching and unread."""
        segments: dict[SegmentKey, tuple[AnyEvent, ...]] = {}
        for key, body in zip(blobs, self.repository.objects.read_blobs(blobs.values()), strict=True):
            try:
                segments[key] = tuple(decode_segment(body, key[2])) if body is not None else ()
            except FormatError:
                if body is not None and self.target.contains(body):
                    self.matches.segments[key] = None
                else:
                    self.matches.unread.add(key)
        return segments


def _clean_fragments(redactor: Redact, events: Sequence[AnyEvent]) -> Sequence[AnyEvent]:
    """Redact secrets that span two fragments of a message, as streams deliver messages in fragments."""
    try:
        return clean_fragments(redactor, events)
    except RedactionError:
        return events  # raised again when each event is cleaned


def _tips(repository: Repository, ref: str) -> Iterator[str]:
    """Yield the commits that a ref points to or, according to its reflog, once pointed to."""
    objects = repository.objects
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=ref)
    tips = dict.fromkeys(
        [objects.resolve(ref), *(oid for entry in entries for oid in (entry.old, entry.new))]
    )
    yield from (oid for oid in tips if oid and objects.kind(oid) == "commit")


def _is_note(path: str) -> bool:
    return _NOTE.fullmatch(path.replace("/", "")) is not None


def list_objects(repository: Repository, tips: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each object in the history of ``tips`` (refs or commits) once, with one of its paths."""
    listed = repository.run("rev-list", "--objects", "--missing=allow-any", *tips, "--").text if tips else ""
    for line in listed.splitlines():
        oid, _, path = line.partition(" ")
        yield oid, path


def _list_segments(repository: Repository, tips: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what ``list_objects`` yields, then each segment of the newest version with every path it has."""
    yield from list_objects(repository, tips)
    for tip in tips[:1]:
        objects = repository.objects
        yield from ((blob, path) for path, blob in iter_segments(objects, objects.commit(tip).tree))

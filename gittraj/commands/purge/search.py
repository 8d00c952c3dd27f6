"""Searches every version that a ref or a reflog of ours leads to for what is to be purged. Changes
nothing."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from gittraj.errors import FormatError, RedactionError
from gittraj.events.sensitive import strict_events
from gittraj.git import Repository, read_reflog
from gittraj.model.codec import decode_line, decode_segment, encode_segments, segment_position
from gittraj.model.values import AnyEvent, ForeignLine, Key, Line, Record, Tombstone
from gittraj.notes.tree import iter_segments
from gittraj.record.rewrite_segments import Replacement, count_replaced
from gittraj.redact.events import Redact, clean_pieces, map_event, map_plain
from gittraj.sync.traces import our_refs

_SEGMENT = re.compile(r"s/[0-9a-f]{2}/([^/]+)/(\d{6,}-[0-9a-f]{8})")
T = TypeVar("T")
_NOTE = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

Stored = tuple[str, str, str]
"""A segment's month, trajectory and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """``redactor`` makes the redactor that finds a secret, one per trajectory (None: no secret is sought);
    ``holds``: whether bytes contain it, as far as that can be decided; ``forgotten``: trajectories of which
    nothing may stay. ``paths``: globs of further files that contain secrets; ``remember`` stores keyed hashes
    of what was found."""

    redactor: Callable[[], Redact] | None = None
    holds: Callable[[bytes], bool] = lambda _: False
    forgotten: frozenset[str] = frozenset()
    paths: Sequence[str] = ()
    remember: Callable[[frozenset[str]], object] = lambda _: None


@dataclass(slots=True)
class Found:
    """``parts`` that have it, with the highest ``rev`` that does; ``segments`` that do, with their
    replacement (None: they are only removed); ``refs`` that lead to it, also by their reflogs. ``stored``:
    all segments that are here; ``unread``: segments and lines that could not be searched."""

    parts: dict[Key, int] = field(default_factory=dict)
    segments: dict[Stored, Replacement | None] = field(default_factory=dict)
    refs: set[str] = field(default_factory=set)
    stored: set[Stored] = field(default_factory=set)
    unread: set[Stored] = field(default_factory=set)


class Search:
    """``found`` is the result of ``run``; ``redactor`` returns the one that searched a trajectory."""

    def __init__(self, repository: Repository, sought: Sought) -> None:
        self.repository = repository
        self.sought = sought
        self.found = Found()
        self._redactors: dict[str, Redact] = {}
        self._met: dict[bytes, bool] = {}

    def run(self) -> Found:
        """Search the segments first: what is a secret in an event is one in a record too. Raises GitError."""
        tips = {ref: list(_tips(self.repository, ref)) for ref in our_refs(self.repository)}
        months = {ref: tips.pop(ref) for ref in [*tips] if not ref.endswith("/traj")}
        self._search_segments(months)
        blobs = {
            ref: [oid for oid, path in _history(self.repository, t) if _is_note(path)]
            for ref, t in tips.items()
        }
        unseen = dict.fromkeys(oid for listed in blobs.values() for oid in listed)
        met = {
            oid: body is not None and sum(map(self._is_line_met, filter(bytes.strip, body.split(b"\n")))) > 0
            for oid, body in zip(unseen, self.repository.objects.read_blobs(unseen), strict=True)
        }
        self.found.refs.update(ref for ref, listed in blobs.items() if any(met[oid] for oid in listed))
        return self.found

    def redactor(self, trajectory: str) -> Redact | None:
        if trajectory not in self._redactors and self.sought.redactor is not None:
            self._redactors[trajectory] = self.sought.redactor()
        return self._redactors.get(trajectory)

    def hashes(self) -> frozenset[str]:
        """Keyed hashes of what was found."""
        return frozenset[str]().union(*(each.hashes() for each in self._redactors.values()))

    def clean_record(self, record: Record) -> Record:
        """Return a record without what is sought, with the number of matches in it and in its segments.
        Raises RedactionError."""
        redactor = self.redactor(record.id)
        if redactor is None:
            return record
        redactor.replaced()  # resets the counts of the previous record
        clean = self.clean(record)
        if not isinstance(clean, Record):
            return record
        segments = (self.found.segments.get((ref.month, record.id, ref.name)) for ref in record.segments)
        found = count_replaced(record, redactor, segments)
        return replace(clean, figures=replace(clean.figures, redactions_by_rule=found))

    def clean_value(self, trajectory: str, value: T) -> T:
        """Return any value of a trajectory without what is sought. Raises RedactionError."""
        redactor = self.redactor(trajectory)
        return value if redactor is None else map_plain(value, partial(_clean, redactor))

    def clean(self, line: Line) -> Line:
        """Return a line of a commit's note without what is sought. Raises RedactionError."""
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

    def _is_line_met(self, text: bytes) -> bool:
        digest = hashlib.blake2b(text, digest_size=16).digest()
        if digest not in self._met:
            line = decode_line(text)
            try:
                gone = isinstance(line, Record) and line.id in self.sought.forgotten
                met = gone or self.sought.holds(text) or self.clean(line) != line
            except RedactionError:
                met = False
                self.found.unread.add(("", "", digest.hex()))
            self._met[digest] = met
            if met and isinstance(line, Record):
                self.found.parts[line.key] = max(line.rev, self.found.parts.get(line.key, 0))
        return self._met[digest]

    # ------------------------------------------------------------ segments

    def _search_segments(self, months: dict[str, list[str]]) -> None:
        blobs: dict[Stored, str] = {}
        there: dict[Stored, set[str]] = defaultdict(set)
        for ref, tips in months.items():
            for oid, path in _listed(self.repository, tips):
                if match := _SEGMENT.fullmatch(path):
                    stored = (ref[-7:], match[1], match[2])
                    blobs[stored] = oid
                    there[stored].add(ref)
        self.found.stored |= blobs.keys()
        trajectories = defaultdict[str, list[Stored]](list)
        for stored in sorted(blobs, key=lambda each: each[2]):
            trajectories[stored[1]].append(stored)
        for trajectory, listed in trajectories.items():
            if trajectory in self.sought.forgotten:
                self.found.segments.update(dict.fromkeys(listed))
            elif (redactor := self.redactor(trajectory)) is not None:
                self._search_trajectory(redactor, {stored: blobs[stored] for stored in listed})
        for stored in self.found.segments:
            self.found.refs |= there[stored]

    def _search_trajectory(self, redactor: Redact, blobs: dict[Stored, str]) -> None:
        events: dict[Stored, tuple[AnyEvent, ...]] = {}
        for stored, body in zip(blobs, self.repository.objects.read_blobs(blobs.values()), strict=True):
            try:
                events[stored] = tuple(decode_segment(body, stored[2])) if body is not None else ()
            except FormatError:
                if body is not None and self.sought.holds(body):
                    self.found.segments[stored] = None
                else:
                    self.found.unread.add(stored)
        every = [event for each in events.values() for event in each]
        joined = iter(_clean_pieces(redactor, every))
        strict = strict_events(every, self.sought.paths, orphans=False)
        for event in every:
            _learn(redactor, event, strict=event.id in strict)
        for stored, each in events.items():
            redactor.replaced()  # resets the counts of the previous segment
            pieces = [next(joined) for _ in each]
            try:
                now = tuple(map_event(e, partial(_clean, redactor), strict=e.id in strict) for e in pieces)
            except (RedactionError, RecursionError):
                self.found.unread.add(stored)
                continue
            position = segment_position(stored[2])
            if position is None:
                self.found.unread.add(stored)
            elif now != each:
                self.found.segments[stored] = Replacement(
                    bodies=tuple(encode_segments(enumerate(now, position))),
                    replaced=redactor.replaced(),
                )


def _learn(redactor: Redact, event: AnyEvent, *, strict: bool) -> None:
    def learn(text: str, name: str | None, strictly: bool) -> str:
        redactor.learn(text, name=name, strict=strictly)
        return text

    try:
        map_event(event, learn, strict=strict)
    except (RedactionError, RecursionError):
        pass  # raised again when the event is cleaned


def _clean_pieces(redactor: Redact, events: Sequence[AnyEvent]) -> Sequence[AnyEvent]:
    """Clean what spans the ends of a message's fragments, as streams deliver them."""
    try:
        return clean_pieces(redactor, events)
    except RedactionError:
        return events  # raised again when each event is cleaned


def _clean(redactor: Redact, text: str, name: str | None, strictly: bool) -> str:
    return redactor.text(text, name=name, strict=strictly)


def _tips(repository: Repository, ref: str) -> Iterator[str]:
    """The commits that a ref points to and, as far as its reflog goes, pointed to."""
    objects = repository.objects
    entries, _ = read_reflog(repository, repository.common_dir, None, ref=ref)
    tips = dict.fromkeys(
        [objects.resolve(ref), *(oid for entry in entries for oid in (entry.old, entry.new))]
    )
    yield from (oid for oid in tips if oid and objects.kind(oid) == "commit")


def _is_note(path: str) -> bool:
    return _NOTE.fullmatch(path.replace("/", "")) is not None


def _history(repository: Repository, tips: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The trees and blobs of all versions, each once, with one of its paths."""
    listed = repository.run("rev-list", "--objects", "--missing=allow-any", *tips, "--").out if tips else b""
    for line in listed.decode("utf-8", "surrogateescape").splitlines():
        oid, _, path = line.partition(" ")
        yield oid, path


def _listed(repository: Repository, tips: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what ``_history`` does, and every path of each segment in the newest version."""
    yield from _history(repository, tips)
    for tip in tips[:1]:
        objects = repository.objects
        yield from ((blob, path) for path, blob in iter_segments(objects, objects.commit(tip).tree))

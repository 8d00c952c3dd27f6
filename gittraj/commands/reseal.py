"""Changes the seals of what is stored: seals thinking stored in clear, changes a seal's readers, reseals.

``rewrap`` changes only records: each reader's part of the header is made again for the same payload. The
others write segments again. What a remote already has stays there: nothing here takes it back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from gittraj.commands.link import reachable
from gittraj.config import Environ, read_config
from gittraj.errors import SealError
from gittraj.git import Repository
from gittraj.model.codec import encode_segments, segment_position
from gittraj.model.values import AnyEvent, Key, Record, SegmentRef
from gittraj.notes.read_segments import read_segments
from gittraj.record.draft import this_month
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.pipeline import Pipeline
from gittraj.record.rewrite_segments import Renewal, Replacement, find_pushed, rewrite, stored_parts
from gittraj.seal.age import Recipient
from gittraj.seal.events import Opener, Seals, is_sealable, open_events, seal_events
from gittraj.seal.readers import read_readers
from gittraj.seal.seal import RecipientSealer
from gittraj.state.folder import LocalState
from gittraj.sync.rescan import remember_segments

Events = Sequence[AnyEvent]
Segments = Sequence[tuple[SegmentRef, tuple[AnyEvent, ...]]]
Change = Callable[[Record, Events], tuple[Events, Seals] | None]
"""Returns a part's events with the thinking sealed, or None if there is nothing to do. Raises SealError."""


class Keys(Opener, Protocol):
    def rewrap(self, header: str, recipients: Sequence[Recipient]) -> str:
        """Return the header for other readers. Raises SealError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The scope of a change: parts on ``commits`` (None: all), for ``recipients``, under the drain's lock."""

    pipeline: Pipeline
    recipients: tuple[Recipient, ...]
    commits: Collection[str] | None


@dataclass(slots=True, kw_only=True)
class Resealed:
    """``parts`` that were written again, and of how many ``trajectories``; ``closed``: parts that no key here
    opens; ``absent``: parts whose events are not all here; ``pushed``: parts that a remote has as they
    were."""

    parts: int = 0
    trajectories: int = 0
    closed: int = 0
    absent: int = 0
    pushed: int = 0


@contextmanager
def prepare(repository: Repository, revisions: str | None, *, environ: Environ) -> Iterator[Ground]:
    """Yield what to change on the commits of ``revisions`` (None: all), for today's readers. Raises TrajError
    also if the list of readers cannot be used: readers whom it names would lose access, since clones replace
    their header by the new one when they fetch."""
    readers = read_readers(repository, environ)
    if readers.problem:
        raise SealError(readers.problem, "fix the list first")
    if not readers.trusted:
        raise SealError("the list of readers is not trusted here", "git traj recipients trust")
    if not readers.recipients:
        raise SealError("there are no readers to seal for", "git traj keys init")
    if readers.mixed:
        raise SealError(
            "some readers have post-quantum keys, and others none", "each needs one: git traj recipients list"
        )
    commits = reachable(repository, revisions)
    with LocalState.of(repository).writing():
        pipeline = make_pipeline(repository, read_config(repository), environ)
        yield Ground(pipeline=pipeline, recipients=readers.recipients, commits=commits)


def seal_stored(ground: Ground) -> Resealed:
    """Seal what is stored in clear. Raises SealError, StoreError."""
    sealer = RecipientSealer(ground.recipients)

    def change(record: Record, events: Events) -> tuple[Events, Seals] | None:
        if not any(map(is_sealable, events)):
            return None
        sealed, seals = seal_events(record.id, events, sealer)
        return sealed, {**record.seals, **seals}

    return _remake(ground, change)


def reseal_stored(ground: Ground, opener: Opener) -> Resealed:
    """Open each seal and encrypt it again: readers who were removed from the list cannot open the new one.
    Raises SealError, StoreError."""
    sealer = RecipientSealer(ground.recipients)

    def change(record: Record, events: Events) -> tuple[Events, Seals] | None:
        if not record.seals:
            return None
        opened = open_events(record.id, events, record.seals, opener)
        if any(getattr(event, "seal", None) for event in opened):
            raise SealError("no key here opens it")
        return seal_events(record.id, opened, sealer)

    return _remake(ground, change)


def rewrap_stored(ground: Ground, keys: Keys) -> Resealed:
    """Wrap each seal's key for other readers. Raises StoreError.

    Each is opened first: someone who may push a record could have put the header of something else there that
    is encrypted for this user, and would be given its key.
    """

    def change(record: Record, events: Events) -> tuple[Events, Seals]:
        return events, _rewrapped(record, events, keys, ground.recipients)

    found = Resealed()
    sealed = (
        record
        for records in stored_parts(ground.pipeline.repository, ground.commits).values()
        for record in records
        if record.seals
    )
    changed = {record.key: (record, seals) for record, _, _, seals in _changed(ground, sealed, change, found)}
    renewed = {key: replace(r, rev=r.rev + 1, seals=seals) for key, (r, seals) in changed.items()}
    if renewed:
        ground.pipeline.rewrite([Renewal(records=renewed)])
    found.parts, found.trajectories = len(renewed), len({trajectory for trajectory, _ in renewed})
    return found


def _rewrapped(record: Record, events: Events, keys: Keys, recipients: Sequence[Recipient]) -> Seals:
    """The seals of ``events``, each by the first header that opens it. Raises SealError if none does."""
    seals: dict[str, tuple[str, ...]] = {}
    for name in record.seals:
        own = [event for event in events if getattr(event, "seal", None) == name]
        for header in record.seals[name] if own else ():
            opened = open_events(record.id, own, {name: (header,)}, keys)
            if not any(getattr(event, "seal", None) for event in opened):
                seals[name] = (keys.rewrap(header, recipients),)
                break
        else:
            if own:
                raise SealError("no key here opens it")
    return seals


def _remake(ground: Ground, change: Change) -> Resealed:
    repository, found, renewals = ground.pipeline.repository, Resealed(), []
    for trajectory, records in stored_parts(ground.pipeline.repository, ground.commits).items():
        replacements: dict[SegmentRef, Replacement] = {}
        seals: dict[Key, Seals] = {}
        for record, segments, events, sealed in _changed(ground, records, change, found):
            replacements |= dict(_split(segments, events))
            seals[record.key] = sealed
        if seals:
            renewal = rewrite(
                repository, trajectory, replacements, partial(_with_seals, seals), month=this_month()
            )
            found.pushed += len(seals) if find_pushed(repository, [renewal]) else 0
            found.parts += len(seals)
            found.trajectories += 1
            renewals.append(renewal)
    if renewals:
        remember_segments(repository, replace(ground.pipeline, expose=lambda _: None).rewrite(renewals))
    return found


def _changed(
    ground: Ground, records: Iterable[Record], change: Change, found: Resealed
) -> Iterator[tuple[Record, Segments, Events, Seals]]:
    """The parts that change, as they were read and as they are now; what cannot be changed is counted."""
    for record in records:
        segments = list(read_segments(ground.pipeline.repository, record.id, record.segments))
        if len(segments) < len(set(record.segments)):
            found.absent += 1
            continue
        try:
            changed = change(record, [event for _, events in segments for event in events])
        except SealError:
            found.closed += 1
            continue
        if changed is not None:
            yield record, segments, *changed


def _split(segments: Segments, events: Events) -> Iterator[tuple[SegmentRef, Replacement]]:
    """The segments whose events changed; ``events`` are those of all segments, one after the other."""
    start = 0
    for ref, old in segments:
        new = tuple(events[start : start + len(old)])
        start += len(old)
        if new != old:
            first = segment_position(ref.name) or 0
            yield ref, Replacement(bodies=tuple(encode_segments(enumerate(new, first))), replaced={})


def _with_seals(seals: Mapping[Key, Seals], record: Record) -> Record:
    if record.key not in seals:
        return record
    return replace(record, seals=seals[record.key], figures=replace(record.figures, thinking="sealed"))

"""Changes the seals of stored parts: seals thinking that was stored in clear, changes the readers of a seal,
and reseals.

``rewrap`` changes only records: each reader's part of the header is made again for the same payload. The
other two write segments again. Data that a remote already has stays there: no function of this module removes
it.
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
from gittraj.seal.seal import seal
from gittraj.state.folder import LocalState
from gittraj.sync.rescan import remember_segments

Events = Sequence[AnyEvent]
Segments = Sequence[tuple[SegmentRef, tuple[AnyEvent, ...]]]
Change = Callable[[Record, Events], tuple[Events, Seals] | None]
"""A function that returns a part's new events and seals, or None if nothing changes. May raise SealError."""


class Keys(Opener, Protocol):
    def rewrap(self, header: str, recipients: Sequence[Recipient]) -> str:
        """Return the header for other readers. Raises SealError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The scope of a change, under the drain's lock: parts on ``commits`` (None: all), for ``recipients``."""

    pipeline: Pipeline
    recipients: tuple[Recipient, ...]
    commits: Collection[str] | None


@dataclass(slots=True, kw_only=True)
class Resealed:
    """Counts the ``parts`` that were written again, and their ``trajectories``; the parts that none of the
    user's keys opens (``closed``), those whose events are not all in this clone (``absent``), and those that
    a remote has as they were (``pushed``)."""

    parts: int = 0
    trajectories: int = 0
    closed: int = 0
    absent: int = 0
    pushed: int = 0


@contextmanager
def prepare(repository: Repository, revisions: str | None, *, environ: Environ) -> Iterator[Scope]:
    """Yield the scope for the commits of ``revisions`` (None: all) and the present readers. Raises TrajError,
    also if the list of readers cannot be used: the readers in the list would lose access, since clones
    replace the old header by the new one when they fetch."""
    readers = read_readers(repository, environ)
    if readers.problem:
        raise SealError(readers.problem, "fix the list first")
    if not readers.trusted:
        raise SealError("the list of readers is not trusted here", "git traj recipients trust")
    if not readers.recipients:
        raise SealError("there are no readers to seal for", "git traj keys init")
    if readers.mixed:
        raise SealError(
            "some readers have post-quantum keys and others do not",
            "give every reader one; git traj recipients list shows who lacks it",
        )
    commits = reachable(repository, revisions)
    with LocalState.of(repository).writing():
        pipeline = make_pipeline(repository, read_config(repository), environ)
        yield Scope(pipeline=pipeline, recipients=readers.recipients, commits=commits)


def seal_stored(scope: Scope) -> Resealed:
    """Seal thinking that is stored in clear. Raises SealError, StoreError."""
    sealer = partial(seal, scope.recipients)

    def change(record: Record, events: Events) -> tuple[Events, Seals] | None:
        if not any(map(is_sealable, events)):
            return None
        sealed, seals = seal_events(record.id, events, sealer)
        return sealed, {**record.seals, **seals}

    return _remake(scope, change)


def reseal_stored(scope: Scope, opener: Opener) -> Resealed:
    """Open each seal and encrypt its content again: readers who were removed from the list cannot open the
    new seal. Raises SealError, StoreError."""
    sealer = partial(seal, scope.recipients)

    def change(record: Record, events: Events) -> tuple[Events, Seals] | None:
        if not record.seals:
            return None
        opened = open_events(record.id, events, record.seals, opener)
        if any(getattr(event, "seal", None) for event in opened):
            raise SealError("no key here opens it")
        return seal_events(record.id, opened, sealer)

    return _remake(scope, change)


def rewrap_stored(scope: Scope, keys: Keys) -> Resealed:
    """Wrap each seal's key for other readers. Raises StoreError.

    Each seal is opened first, as a protection of the user's other encrypted data: somebody who may push a
    record could have put the header of such data there, and would get the key to it.
    """

    def change(record: Record, events: Events) -> tuple[Events, Seals]:
        return events, _rewrapped(record, events, keys, scope.recipients)

    done = Resealed()
    sealed = (
        record
        for records in stored_parts(scope.pipeline.repository, scope.commits).values()
        for record in records
        if record.seals
    )
    changed = {record.key: (record, seals) for record, _, _, seals in _changed(scope, sealed, change, done)}
    renewed = {key: replace(r, rev=r.rev + 1, seals=seals) for key, (r, seals) in changed.items()}
    if renewed:
        scope.pipeline.rewrite([Renewal(records=renewed)])
    done.parts, done.trajectories = len(renewed), len({trajectory for trajectory, _ in renewed})
    return done


def _rewrapped(record: Record, events: Events, keys: Keys, recipients: Sequence[Recipient]) -> Seals:
    """Return the seals of ``events`` for the recipients, each made from the first header that opens the seal.
    Raises SealError if no header does."""
    seals: dict[str, tuple[str, ...]] = {}
    for name in record.seals:
        of_seal = [event for event in events if getattr(event, "seal", None) == name]
        for header in record.seals[name] if of_seal else ():
            opened = open_events(record.id, of_seal, {name: (header,)}, keys)
            if not any(getattr(event, "seal", None) for event in opened):
                seals[name] = (keys.rewrap(header, recipients),)
                break
        else:
            if of_seal:
                raise SealError("no key here opens it")
    return seals


def _remake(scope: Scope, change: Change) -> Resealed:
    """Write the parts again that ``change`` changes, in new segments."""
    repository, done, renewals = scope.pipeline.repository, Resealed(), []
    for trajectory, records in stored_parts(scope.pipeline.repository, scope.commits).items():
        replacements: dict[SegmentRef, Replacement] = {}
        seals: dict[Key, Seals] = {}
        for record, segments, events, sealed in _changed(scope, records, change, done):
            replacements |= dict(_split(segments, events))
            seals[record.key] = sealed
        if seals:
            renewal = rewrite(
                repository, trajectory, replacements, partial(_with_seals, seals), month=this_month()
            )
            done.pushed += len(seals) if find_pushed(repository, [renewal]) else 0
            done.parts += len(seals)
            done.trajectories += 1
            renewals.append(renewal)
    if renewals:
        remember_segments(repository, replace(scope.pipeline, expose=lambda _: None).rewrite(renewals))
    return done


def _changed(
    scope: Scope, records: Iterable[Record], change: Change, done: Resealed
) -> Iterator[tuple[Record, Segments, Events, Seals]]:
    """Yield each part that changes, with its old segments and its new events and seals. ``done`` counts the
    others."""
    for record in records:
        segments = list(read_segments(scope.pipeline.repository, record.id, record.segments))
        if len(segments) < len(set(record.segments)):
            done.absent += 1
            continue
        try:
            changed = change(record, [event for _, events in segments for event in events])
        except SealError:
            done.closed += 1
            continue
        if changed is not None:
            yield record, segments, *changed


def _split(segments: Segments, events: Events) -> Iterator[tuple[SegmentRef, Replacement]]:
    """Yield the replacements of the segments that changed. ``events`` are the new events of all segments."""
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

"""Converts a log's anchors (the calls that made commits) from names, which are saved, to indexes, which are
used while the log is read, and back.

Also finds stored parts that belong to a further commit, which then gets their records, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.model.values import Line, Link, Record, ToolCall
from gittraj.notes.merge import records_on
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Target
from gittraj.state.cursors import Anchored, Stored


def call_name(log: Log, index: int) -> str:
    """The id of a call, or that of its event if the call has no id."""
    event = log.entries[index].event
    return (event.call_id or event.id) if isinstance(event, ToolCall) else event.id


def name_anchors(
    log: Log, known: Sequence[Anchored], anchors: Sequence[Anchor], commits: Mapping[str, Commit]
) -> tuple[Anchored, ...]:
    """Return all anchors, with the names of their calls: the known ones, then those of this log, in order."""
    named = {anchored.call: anchored for anchored in known}
    for anchor in sorted(anchors, key=lambda a: a.call):
        call = call_name(log, anchor.call)
        stored = all(commits[c].stored for c in anchor.commits if c in commits)
        named[call] = Anchored(call=call, commits=anchor.commits, evidence=anchor.evidence, stored=stored)
    return tuple(named.values())


def locate(log: Log, known: Sequence[Anchored]) -> tuple[tuple[Anchor, ...], Anchor | None]:
    """Return the known anchors with their index in this log, and the latest anchor before the log's start."""
    index = {call_name(log, i): i for i, e in enumerate(log.entries) if isinstance(e.event, ToolCall)}
    inside: list[Anchor] = []
    before: Anchor | None = None
    for anchored in known:
        call = index.get(anchored.call, -1)
        anchor = Anchor(call=call, commits=anchored.commits, evidence=anchored.evidence)
        if call >= 0:
            inside.append(anchor)
        else:
            before = replace(anchor, commits=anchor.commits[-1:], name=anchored.call)
    return tuple(inside), before


def combine(
    known: Sequence[Anchor], new: Sequence[Anchor], stored: Sequence[Stored]
) -> tuple[list[Anchor], list[tuple[Stored, Target]]]:
    """Merge anchors into one per call. If a further commit belongs to a call whose parts are stored already,
    also return these parts, whose records the commit gets."""
    by_call: dict[int, Anchor] = {}
    copies: list[tuple[Stored, Target]] = []
    for anchor in (*known, *new):
        old = by_call.get(anchor.call)
        if old is None:
            by_call[anchor.call] = anchor
            continue
        fresh = tuple(c for c in anchor.commits if c not in old.commits)
        by_call[anchor.call] = replace(old, commits=(*old.commits, *fresh))
        for part in stored:
            if set(part.commits) & set(old.commits):
                copies += [(part, Target(commit=c, link=Link(evidence=anchor.evidence))) for c in fresh]
    return list(by_call.values()), copies


Copy = tuple[Stored, Target]
"""A stored part, and a further commit that gets its records."""


def find_parts_stored_too_early(
    log: Log, new: Sequence[Anchor], known: Sequence[Anchor], stored: Sequence[Stored]
) -> Iterator[Copy]:
    """Find stored parts with a call that made a commit which was not in a reflog yet when they were stored: a
    quick agent may commit again and end its turn while a drain reads. The commit gets their records, too."""
    calls = {anchor.call for anchor in known}
    positions = {entry.event.id: i for i, entry in enumerate(log.entries)}
    for anchor in new:
        if anchor.call in calls:
            continue
        for part in stored:
            first, last = positions.get(part.range.first, 0), positions.get(part.range.last, -1)
            if first <= anchor.call <= last and not part.explored:
                link = Link(evidence=anchor.evidence)
                yield from (
                    (part, Target(commit=c, link=link)) for c in anchor.commits if c not in part.commits
                )


def copies_onto(commit: str, stored: Iterable[Stored]) -> list[Copy]:
    """Return copies for this commit of the stored parts that led to other commits."""
    target = Target(commit=commit, link=Link(evidence="imported"))
    return [(part, target) for part in stored if not part.explored and commit not in part.commits]


def find_aliases(
    aliases: Iterable[tuple[str, tuple[int, ...]]], log: Log, stored: Sequence[Stored]
) -> tuple[dict[int, list[Target]], list[Copy]]:
    """Link commits that contain lines written by calls of an earlier commit (``aliases``: commit, calls) to
    the parts with these calls. Returns targets by call, for parts that are written now, and copies, for parts
    that are stored already."""
    positions = {entry.event.id: i for i, entry in enumerate(log.entries)}
    fresh: dict[int, list[Target]] = {}
    copies: dict[tuple[str, str], Copy] = {}
    for commit, calls in aliases:
        target = Target(commit=commit, link=Link(evidence="content", call=call_name(log, calls[-1])))
        for call in calls:
            for part in stored:
                first = positions.get(part.range.first)
                if first is not None and first <= call < first + part.range.n:
                    copies[commit, part.range.first] = (part, target)
                    break
            else:
                fresh.setdefault(call, []).append(target)
    return fresh, list(copies.values())


def copy_records(notes: NotesRef, trajectory: str, copies: Iterable[Copy]) -> Iterator[tuple[str, Line]]:
    """Copy the records of stored parts to further commits."""
    for stored, target in copies:
        records = (find_record(notes, commit, trajectory, stored.range.first) for commit in stored.commits)
        record = next((r for r in records if r is not None), None)
        if record is not None:
            yield target.commit, replace(record, link=target.link, role=target.role, origin=None)


def find_record(notes: NotesRef, commit: str, trajectory: str, first: str) -> Record | None:
    """The record on a commit of the part that begins with the event ``first``."""
    records = records_on(commit, notes.read(commit))
    return next((r for r in records if r.key == (trajectory, first)), None)

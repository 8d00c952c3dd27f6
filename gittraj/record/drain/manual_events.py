"""Makes parts of the events that somebody recorded by command and that no log contains. A manual trajectory's
parts go to the commits made while it was open, a session's to its last commit.

Beginning a trajectory by hand states what is worked on in that worktree: a commit made there by a person
belongs to it, with evidence ``manual``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gittraj.decisions.commands import ABANDONED, COMPLETED
from gittraj.model.times import seconds
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    Line,
    Link,
    NoteEvent,
    Range,
    RetrospectiveEvent,
    Role,
    SessionInfo,
    Trajectory,
)
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Draft, Target
from gittraj.record.drain.anchors import find_record
from gittraj.record.drain.waiting import LOGGED_WITHIN
from gittraj.state.active import Active, Header, without
from gittraj.state.changed import IDLE
from gittraj.state.cursors import SessionState

_LINK = Link(evidence="manual")
Present = Callable[[str | None], str | None]
"""Returns a commit, or the one that replaced it, if it exists: a part on a missing one would stop every
drain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """The parts and lines to write; ``after`` are the active trajectories once these are written."""

    drafts: list[Draft] = field(default_factory=list)
    lines: list[tuple[str, Line]] = field(default_factory=list)
    after: list[Active] = field(default_factory=list)


def is_due(active: Active) -> bool:
    """Whether a drain has something to do for this trajectory, even if nothing else is new."""
    if active.header.by_hand:
        return active.header.over or (active.header.ended and bool(active.events))
    return bool(active.events) and _age(active.events[0]) > LOGGED_WITHIN


def gather(
    actives: Sequence[Active],
    by_people: Mapping[str, Sequence[str]],
    notes: NotesRef,
    *,
    head: str | None,
    sessions: Mapping[str, SessionState],
    last_writes: Mapping[str, float],
    present: Present,
) -> Manual:
    """Make the parts. ``by_people`` are the commits that people made, by worktree (the key of a removed one
    is its name and ``#``). The keys of ``sessions`` and of ``last_writes`` are trajectories; the latter says
    when the logs that this drain read were last written (seconds since 1970)."""
    manual = Manual()
    for active in actives:
        header = active.header
        if not header.by_hand:
            session = sessions.get(header.trajectory)
            written = last_writes.get(header.trajectory, 0.0)
            manual.after.append(_record_missed(manual, active, session, written, head=head, present=present))
            continue
        commits = () if header.status else by_people.get(_worktree(header), ())
        followed = _record_progress(manual, active, commits, notes)
        manual.after.append(_record_end(manual, followed, head, present) if header.ended else followed)
    return manual


def _worktree(header: Header) -> str:
    """The key of a trajectory's worktree: without its random token (see ``place_of``) if it was removed."""
    return f"{header.worktree.partition('#')[0]}#" if header.over else header.worktree


def _record_progress(manual: Manual, active: Active, commits: Sequence[str], notes: NotesRef) -> Active:
    """Link an open trajectory's new events, or its last part if there are none, to the commits made now."""
    if not commits:
        return active
    if active.events:
        return _write(manual, active, commits, "produced")
    header = active.header
    if header.parts:
        record = find_record(notes, header.commits[-1], header.trajectory, header.parts[-1].first)
        if record is not None:
            copy = replace(record, link=_LINK, origin=None)
            manual.lines.extend((commit, copy) for commit in commits)
        return replace(active, header=replace(header, commits=(*header.commits, *commits)))
    return active


def _record_end(manual: Manual, active: Active, head: str | None, present: Present) -> Active:
    """Link the remaining events of an ended trajectory to its last commit, or, as explored, to the commit
    where it began. Without any commit it waits."""
    header = active.header
    if not active.events:
        return active
    if header.commits and (last := present(header.commits[-1])):
        return _write(manual, active, [last], "produced")
    commit = present(header.commit) or head
    return _write(manual, active, [commit], "explored") if commit else active


def _record_missed(
    manual: Manual,
    active: Active,
    session: SessionState | None,
    written: float,
    *,
    head: str | None,
    present: Present,
) -> Active:
    """Record those events of a session that its log does not contain and will not contain later; ``written``
    is when the log was last written (seconds since 1970)."""
    due = _find_due(active, written)
    if not due:
        return active
    last = present(_last_commit(session))
    commit = last or present(active.header.commit) or head
    if commit is None:
        return active
    remaining = without(active, {event.id for event in due}).events
    role: Role = "produced" if last else "explored"
    after = _write(manual, replace(active, events=tuple(due)), [commit], role)
    return replace(after, events=remaining)


def _last_commit(session: SessionState | None) -> str | None:
    """The last commit that a part of a session led to."""
    commits = [p.commits[-1] for p in session.parts if p.commits and not p.explored] if session else []
    return commits[-1] if commits else None


def _find_due(active: Active, written: float) -> list[AnyEvent]:
    """The events that should be in the log by now, and are not."""
    missed = [event for event in active.events if event.id not in active.header.logged]
    limits = (LOGGED_WITHIN if written > _at(e) + LOGGED_WITHIN else IDLE for e in missed)
    return [event for event, limit in zip(missed, limits, strict=True) if _age(event) > limit]


def _write(manual: Manual, active: Active, commits: Sequence[str], role: Role) -> Active:
    """Draft a part of a trajectory's events for the commits; return the trajectory without these events."""
    header = active.header
    if not active.events:
        return active
    span = Range(first=active.events[0].id, last=active.events[-1].id, n=len(active.events))
    end = header.position + len(active.events)
    targets = tuple(Target(commit=commit, link=_LINK, role=role) for commit in commits)
    manual.drafts.append(
        Draft(
            trajectory=trajectory_of(active, span),
            positions=tuple(range(header.position, end)),
            targets=targets,
        )
    )
    after = replace(header, position=end, parts=(*header.parts, span), commits=(*header.commits, *commits))
    return Active(header=after)


def trajectory_of(active: Active, span: Range) -> Trajectory:
    header = active.header
    retrospectives = [event.retrospective for event in active.events if isinstance(event, RetrospectiveEvent)]
    whole = SessionInfo(
        title=header.title,
        agent=header.agent,
        session=header.session,
        task=header.task,
        tags=header.tags,
        participants=header.participants,
        status=header.status or _stated_status(active.events),
        retrospective=retrospectives[-1] if retrospectives else None,
    )
    chapter = Chapter(id=span.first, title=header.title or "", events=active.events)
    return Trajectory(id=header.trajectory, whole=whole, chapters=(chapter,), span=span)


def _stated_status(events: Sequence[AnyEvent]) -> str | None:
    """The status that ``git traj complete`` or ``abandon`` stated for a session."""
    for event in reversed(events):
        tags = event.tags if isinstance(event, NoteEvent) else ()
        if isinstance(event, RetrospectiveEvent) or COMPLETED in tags:
            return "completed"
        if ABANDONED in tags:
            return "abandoned"
    return None


def _at(event: AnyEvent) -> float:
    return seconds(event.ts) or 0.0


def _age(event: AnyEvent) -> float:
    return time.time() - _at(event)

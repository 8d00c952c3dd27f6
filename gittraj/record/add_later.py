"""Adds to a stored trajectory: a part of one event, on the commits of an earlier part.

The event is a correction, a retrospective, a person's statement that something is wrong, or a model's
summary. What is stored already does not change.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    Key,
    Link,
    Range,
    Record,
    RetrospectiveEvent,
    SessionInfo,
    Trajectory,
)
from gittraj.notes.merge import records_on
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Draft, Target
from gittraj.state.cursors import load_suspension
from gittraj.state.folder import LocalState


@contextmanager
def locked(repository: Repository, environ: Environ) -> Iterator[LocalState]:
    """Hold the drain's lock, to record something. Raises TrajError if git-traj is off, paused or busy."""
    if environ.off:
        raise TrajError("GIT_TRAJ=0 switches git-traj off", "unset it to record something")
    local = LocalState.of(repository)
    with local.writing():
        if load_suspension(local.folder).paused is not None:
            # an agent may read this, and must not resume what a person paused
            hint = "keep working, nothing is recorded; whoever paused it can end that with: git traj resume"
            raise TrajError("git-traj is paused here", hint)
        yield local


def carriers(repository: Repository, key: Key) -> dict[str, Link]:
    """Map each commit that has the part ``key`` to the link that says why."""
    return {
        commit: each.link
        for commit, body in NotesRef(repository).items()
        if key[0].encode() in body
        for each in records_on(commit, body)
        if each.key == key
    }


def draft_addition(
    trajectory: str, event: AnyEvent, links: Mapping[str, Link], last: Record, *, status: str | None = None
) -> Draft:
    """Make a part of one event that was added after the part ``last``, for the same commits and with the same
    links: no other evidence links the event to commits."""
    span = Range(first=event.id, last=event.id, n=1)
    whole = SessionInfo(
        agent=last.whole.agent,
        session=last.whole.session,
        status=status,
        retrospective=event.retrospective if isinstance(event, RetrospectiveEvent) else None,
    )
    chapter = Chapter(id=event.id, title="", events=(event,))
    targets = tuple(Target(commit=c, link=link, role=last.role) for c, link in links.items())
    made = Trajectory(id=trajectory, whole=whole, chapters=(chapter,), span=span)
    position = int(time.time())  # after all positions in the log; additions are in the order of their time
    return Draft(trajectory=made, positions=(position,), targets=targets)


def new_event_id() -> str:
    return f"ev_{random_name(15)}"


def random_name(size: int) -> str:
    """Return ``size`` random bytes in base 32."""
    return base64.b32encode(os.urandom(size)).decode().lower()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

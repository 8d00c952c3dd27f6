"""What is said of a trajectory after it was stored: a part of one event, on the commits of an earlier part.

A correction, a retrospective, a person's word that something is wrong, a model's summary. Nothing stored is
changed by it.
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
    """Where something may be recorded. Raises TrajError where git-traj is off or paused."""
    if environ.off:
        raise TrajError("GIT_TRAJ=0 switches git-traj off", "unset it to record something")
    local = LocalState.of(repository)
    with local.writing():
        if load_suspension(local.folder).paused is not None:
            # an agent may read this: it is not for it to end what a person asked for
            hint = "work on, nothing is recorded; whoever paused it ends that with: git traj resume"
            raise TrajError("git-traj is paused here", hint)
        yield local


def carriers(repository: Repository, key: Key) -> dict[str, Link]:
    """The commits that carry a part, and why each does."""
    return {
        commit: each.link
        for commit, body in NotesRef(repository).items()
        if key[0].encode() in body
        for each in records_on(commit, body)
        if each.key == key
    }


def closing(
    trajectory: str, event: AnyEvent, links: Mapping[str, Link], last: Record, *, status: str | None = None
) -> Draft:
    """A part of one event that was given after ``last``, on the commits that carry that, and as that does:
    nobody linked it anew."""
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
    return Draft(trajectory=made, positions=(int(time.time()),), targets=targets)


def new_event_id() -> str:
    return f"ev_{random_name(15)}"


def random_name(size: int) -> str:
    """Base 32 of that many random bytes."""
    return base64.b32encode(os.urandom(size)).decode().lower()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

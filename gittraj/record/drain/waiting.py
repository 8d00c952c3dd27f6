"""Commits whose call is not in a log yet: how long a drain waits for it, and what it records instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from gittraj.capture.link import Links
from gittraj.capture.session import Commit, Kind
from gittraj.model.session_items import trajectory_id
from gittraj.model.values import STUB_REV, Line, Link, Record, SessionInfo
from gittraj.record.drain.context import Context
from gittraj.state.cursors import State, Waiting, size_of

IDLE = 24 * 3600.0
"""Seconds without growth after which a session counts as over."""
LOGGED_WITHIN = 60.0
"""Seconds after which a log that has grown and does not show a call or a recorded event never will."""


def to_commit(waiting: Waiting) -> Commit:
    return Commit(
        id=waiting.commit,
        kind=cast(Kind, waiting.kind),
        sessions=waiting.sessions,
        call=waiting.call,
        terminal=waiting.terminal,
        stored=waiting.stored,
    )


def is_patient(context: Context, state: State, commit: Commit) -> bool:
    """Whether the call of a commit may still come into the log: for a moment after its hook ran."""
    wait = _wait_of(state, commit)
    late = context.now - (wait.since if wait else context.now) >= context.patience
    return not late and context.sessions.find(commit.sessions[0], state) is not None


def find_stubs(context: Context, state: State, links: Links) -> Iterator[tuple[str, Line]]:
    """For commits whose hook named a session that cannot be read here."""
    for commit in links.unfound:
        if commit.stored and _is_lost(context, state, commit):
            agent, _, session = commit.sessions[0].partition(":")
            yield (
                commit.id,
                Record(
                    id=trajectory_id(agent, session),
                    rev=STUB_REV,
                    link=Link(evidence="environment", call=commit.call),
                    whole=SessionInfo(agent=agent, session=session),
                    incomplete=True,
                ),
            )


def find_waiting(context: Context, state: State, links: Links) -> Iterator[Waiting]:
    """Commits whose call is not logged: until the log has grown past it, or for a day."""
    for commit in links.unfound:
        path = context.sessions.find(commit.sessions[0], state)
        size = size_of(path) if path else -1
        wait = _wait_of(state, commit) or Waiting(
            commit=commit.id,
            kind=commit.kind,
            sessions=commit.sessions,
            call=commit.call,
            terminal=commit.terminal,
            stored=commit.stored,
            since=context.now,
            size=size,
        )
        age = context.now - wait.since
        if age <= LOGGED_WITHIN or (age <= IDLE and size == wait.size):
            yield wait


def _is_lost(context: Context, state: State, commit: Commit) -> bool:
    path = context.sessions.find(commit.sessions[0], state)
    wait = _wait_of(state, commit)
    return path is None or (
        wait is not None and context.now - wait.since > IDLE and size_of(path) == wait.size
    )


def _wait_of(state: State, commit: Commit) -> Waiting | None:
    return next((w for w in state.waiting if w.commit == commit.id), None)

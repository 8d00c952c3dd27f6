"""Handles commits whose call is not in a log yet: how long drains wait, and what they record instead."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.capture.link import Links
from gittraj.capture.session import Commit
from gittraj.model.session_items import trajectory_id
from gittraj.model.signs import CONFIGURED
from gittraj.model.values import STUB_REV, Line, Link, Record, SessionInfo
from gittraj.record.drain.context import Context
from gittraj.state.changed import IDLE, size_of
from gittraj.state.cursors import State, Waiting

LATELY = 600.0
"""Seconds after a log's growth in which its session may still be running."""
LOGGED_WITHIN = 60.0
"""Seconds after which a log that has grown is not expected to show a missing call or recorded event any
more."""


_SHARED = ("kind", "sessions", "call", "mark", "terminal", "stored")
"""The fields of a commit that are remembered while it waits."""


def to_commit(waiting: Waiting) -> Commit:
    hooked = waiting.mark is not None
    return Commit(id=waiting.commit, hooked=hooked, **{name: getattr(waiting, name) for name in _SHARED})


def is_patient(context: Context, state: State, commit: Commit) -> bool:
    """Whether the call of a commit may still appear in the log: for a moment after its hook ran."""
    wait = _wait_of(state, commit)
    if context.now - (wait.since if wait else context.now) >= context.patience:
        return False
    if commit.sessions:
        return context.sessions.find(commit.sessions[0], state) is not None
    return commit.mark is not None and context.sessions.goes_on(commit.mark, since=context.now - LATELY)


def find_stubs(context: Context, state: State, links: Links) -> Iterator[tuple[str, Line]]:
    """Yield stubs for commits whose hook named a session that cannot be read here, or whose environment shows
    an agent in whose logs no call is found."""
    for commit in links.unfound:
        if not commit.stored:
            continue
        if commit.sessions and _is_lost(context, state, commit):
            agent, _, session = commit.sessions[0].partition(":")
            yield commit.id, _stub(agent, session, commit)
        elif commit.mark and not commit.sessions and commit.id not in links.explained:
            # people set these variables, too, so a commit at a terminal does not count; nor does one with a
            # variable in CONFIGURED, which is set even without an agent
            typed = commit.terminal or commit.mark in CONFIGURED.values()
            if not typed and not is_patient(context, state, commit):
                yield commit.id, _stub(commit.mark, None, commit)


def _stub(agent: str, session: str | None, commit: Commit) -> Record:
    return Record(
        id=trajectory_id(agent, session or commit.id),
        rev=STUB_REV,
        link=Link(evidence="environment", call=commit.call),
        whole=SessionInfo(agent=agent, session=session),
        incomplete=True,
    )


def find_waiting(context: Context, state: State, links: Links) -> Iterator[Waiting]:
    """Yield the commits whose call is not logged. They wait until the log has grown without it, or for a
    day."""
    for commit in links.unfound:
        if not _is_awaited(context, state, links, commit):
            continue
        path = context.sessions.find(commit.sessions[0], state) if commit.sessions else None
        size = size_of(path) if path else -1
        shared = {name: getattr(commit, name) for name in _SHARED}
        wait = _wait_of(state, commit) or Waiting(commit=commit.id, since=context.now, size=size, **shared)
        age = context.now - wait.since
        if age <= LOGGED_WITHIN or (commit.sessions and age <= IDLE and size == wait.size):
            yield wait


def _is_awaited(context: Context, state: State, links: Links, commit: Commit) -> bool:
    """Whether a log may still show the call of a commit: the log of its session, unless this was imported, or
    a log of the agent that the environment of its hook shows."""
    if commit.sessions:
        known = state.sessions.get(trajectory_id(*commit.sessions[0].split(":", 1)))
        if known is None or known.path or not known.parts:
            return True
        # cursors that were rebuilt from the refs have no path either
        return context.sessions.find(commit.sessions[0], state) is not None
    return commit.mark in context.sessions.agents and commit.id not in links.explained


def _is_lost(context: Context, state: State, commit: Commit) -> bool:
    path = context.sessions.find(commit.sessions[0], state)
    wait = _wait_of(state, commit)
    return path is None or (
        wait is not None and context.now - wait.since > IDLE and size_of(path) == wait.size
    )


def _wait_of(state: State, commit: Commit) -> Waiting | None:
    return next((w for w in state.waiting if w.commit == commit.id), None)

"""Finds sessions that may go on, and those that ended with events that wait for a commit."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal

from gittraj.errors import GitError
from gittraj.frozen import dataclass
from gittraj.model.codec import decode_note
from gittraj.model.values import Record
from gittraj.notes.store import NotesRef
from gittraj.state.changed import IDLE
from gittraj.state.cursors import SessionState, State, Suspension

_FRESH = 15 * 60
"""A session counts as active for this many seconds after its log last grew."""
_ONE_TURN = ("sdk-cli", "codex_exec")
"""Entry points of sessions that end with their first turn (``claude -p``, ``codex exec``)."""
Status = Literal["active", "idle", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSession:
    """A session that may go on, or that ended with events that wait. A session has ``ended`` if its agent
    reported its end, or if it is of a kind that has only one turn; an ``idle`` session may go on. ``waiting``
    counts the events that are not in a commit's record yet; ``title`` is text of an agent."""

    agent: str
    session: str
    status: Status
    title: str | None
    waiting: int


def find_live(
    state: State, notes: NotesRef, off: Suspension, ended: Collection[str], since: float
) -> Iterator[LiveSession]:
    """Yield the sessions that are active, and those that have events that wait for a commit.

    ``ended`` are the sessions whose end was reported (``AGENT:ID``). ``since`` is the time of the
    installation: no end was reported before it, so a session whose log grew only before it is not active."""
    for trajectory, known in state.sessions.items():
        if trajectory in off.forgotten or not known.path:  # no path: it was imported, no agent writes it here
            continue
        try:
            last_write = Path(known.path).stat().st_mtime
        except OSError:
            continue  # its log was deleted
        status = _read_status(known, last_write, ended, since)
        is_recent = time.time() - last_write < IDLE
        if (status == "active" and known.parts) or (known.waiting and is_recent):
            yield LiveSession(
                agent=known.agent,
                session=known.session,
                status=status,
                title=_read_title(known, notes),
                waiting=known.waiting,
            )


def _read_status(known: SessionState, last_write: float, ended: Collection[str], since: float) -> Status:
    one_turn = known.settled and not {*known.facts.get("entrypoint", ())}.isdisjoint(_ONE_TURN)
    if one_turn or f"{known.agent}:{known.session}" in ended:
        return "ended"
    return "active" if time.time() - last_write < _FRESH and last_write >= since else "idle"


def _read_title(known: SessionState, notes: NotesRef) -> str | None:
    for commit in (commit for part in reversed(known.parts) for commit in part.commits):
        try:
            lines = decode_note(notes.read(commit) or b"")
        except GitError:
            return None
        for line in lines:
            if isinstance(line, Record) and line.whole.session == known.session and line.whole.title:
                return line.whole.title
    return None

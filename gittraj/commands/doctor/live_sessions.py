"""Sessions that may go on, and those that ended with events that wait."""

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
from gittraj.state.cursors import SessionState, State, Suspension

_FRESH = 15 * 60
"""Seconds since a log grew in which its session counts as active."""
_OVER = 24 * 3600
"""Seconds without growth after which it is over, whatever of it stays without a commit."""
_ONE_TURN = ("sdk-cli", "codex_exec")
"""Entry points of sessions that end with their first turn (``claude -p``, ``codex exec``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSession:
    """``status``: ``ended``: its agent said so, or its kind has but one turn; ``idle``: it may go on.
    ``waiting``: events that no commit has taken yet. ``title`` is an agent's text."""

    agent: str
    session: str
    status: Literal["active", "idle", "ended"]
    title: str | None
    waiting: int


def find_live(
    state: State, notes: NotesRef, off: Suspension, told: Collection[str], since: float
) -> Iterator[LiveSession]:
    """``told``: whose end was told; ``since``: of what was before the installation no end is known."""
    for trajectory, known in state.sessions.items():
        if trajectory in off.forgotten or not known.path:  # it was imported: nobody writes it here
            continue
        try:
            grown = Path(known.path).stat().st_mtime
        except OSError:
            continue  # its log is gone
        one_turn = known.settled and not {*known.facts.get("entrypoint", ())}.isdisjoint(_ONE_TURN)
        ended = one_turn or f"{known.agent}:{known.session}" in told
        age = time.time() - grown
        active = age < _FRESH and grown >= since and not ended
        if (active and known.parts) or (known.waiting and age < _OVER):
            yield LiveSession(
                agent=known.agent,
                session=known.session,
                status="ended" if ended else "active" if active else "idle",
                title=_title(known, notes),
                waiting=known.waiting,
            )


def _title(known: SessionState, notes: NotesRef) -> str | None:
    for commit in (commit for part in reversed(known.parts) for commit in part.commits):
        try:
            lines = decode_note(notes.read(commit) or b"")
        except GitError:
            return None
        for line in lines:
            if isinstance(line, Record) and line.whole.session == known.session and line.whole.title:
                return line.whole.title
    return None

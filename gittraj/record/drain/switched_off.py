"""Switches sessions off whose agent ran with ``GIT_TRAJ=0``, as its hooks report, and on again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from gittraj.model.session_items import trajectory_id
from gittraj.state.changed import size_of
from gittraj.state.cursors import Pause, Span, State, Suspension
from gittraj.state.spool import Spooled


def follow_switches(spooled: Iterable[Spooled], state: State, off: Suspension, now: float) -> Suspension:
    """Add to ``off`` the sessions that these lines of the spool, in order, switch off and on again. Since a
    log's length at that moment is unknown, a session is off from the end of what is stored until the log's
    end at the time ``now``."""
    for line in spooled:
        for name in line.sessions:
            agent, _, session = name.partition(":")
            known = state.sessions.get(trajectory_id(agent, session))
            if line.kind != "off":
                path = line.log or (known.path if known else None) or state.logs.get(name)
                off = _switch_on(off, name, path, now)
            elif not line.id:  # with an id, the line is about one commit
                off = _switch_off(off, name, known.cursor.offset if known and known.parts else 0, now)
    return off


def _switch_off(off: Suspension, name: str, start: int, now: float) -> Suspension:
    if any(_is_off(pause, name) for pause in off.pauses):
        return off
    spans = (*off.sessions.get(name, ()), Span(start=start))
    pause = Pause(since=now if start else 0.0, session=name, by_environment=True)
    return replace(off, sessions={**off.sessions, name: spans}, pauses=(*off.pauses, pause))


def _switch_on(off: Suspension, name: str, log: str | Path | None, now: float) -> Suspension:
    if not any(_is_off(pause, name) for pause in off.pauses):
        return off
    end = max(size_of(Path(log)), 0) if log else 0
    spans = tuple(replace(s, end=end) if s.end is None else s for s in off.sessions.get(name, ()))
    open_pauses = [p for p in off.pauses if p.session == name and p.until is None]
    pauses = tuple(replace(p, until=now) if p in open_pauses else p for p in off.pauses)
    return replace(off, sessions={**off.sessions, name: spans}, pauses=pauses)


def _is_off(pause: Pause, session: str) -> bool:
    return pause.by_environment and pause.session == session and pause.until is None

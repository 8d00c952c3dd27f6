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
    """Add to ``off`` what these lines of the spool, in order, switch off and on again. How long a log was
    then is not known: off begins after what was stored, and ends where the log ends ``now``."""
    sessions = dict(off.sessions)
    pauses = list(off.pauses)
    for line in spooled:
        for name in line.sessions:
            spans = sessions.get(name, ())
            is_off = any(_is_off(pause, name) for pause in pauses)
            agent, _, session = name.partition(":")
            known = state.sessions.get(trajectory_id(agent, session))
            if line.kind == "off" and not line.id and not is_off:
                start = known.cursor.offset if known and known.parts else 0
                sessions[name] = (*spans, Span(start=start))
                pauses.append(Pause(since=now if start else 0.0, session=name, by_environment=True))
            elif line.kind != "off" and is_off:
                end = _log_size(line.log or (known.path if known else None) or state.logs.get(name))
                sessions[name] = tuple(replace(s, end=end) if s.end is None else s for s in spans)
                pauses = [_ended(p, now) if p.session == name else p for p in pauses]
    return replace(off, sessions=sessions, pauses=tuple(pauses))


def _is_off(pause: Pause, session: str) -> bool:
    return pause.by_environment and pause.session == session and pause.until is None


def _log_size(log: str | Path | None) -> int:
    """The size in bytes; 0 if the log is unknown or missing."""
    return max(size_of(Path(log)), 0) if log else 0


def _ended(pause: Pause, now: float) -> Pause:
    return replace(pause, until=now) if pause.until is None else pause

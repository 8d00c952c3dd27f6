"""Pauses and resumes recording. Work during a pause is never read, not even later."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gittraj.agents import SessionFile, all_agents
from gittraj.capture.commits import read_moves
from gittraj.capture.repo_paths import RepoPaths
from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.git import Position, Repository, read_reflog
from gittraj.model.words import count
from gittraj.record.drain.composition import drain
from gittraj.record.drain.open_log import end_of
from gittraj.state.changed import written_at
from gittraj.state.cursors import Pause, Span, Suspension, load_state, load_suspension, save
from gittraj.state.folder import PATIENCE, LocalState, busy, reflog_name


def pause(repository: Repository, *, environ: Environ, session: str | None) -> str:
    """Pause recording of everything or of one ``session`` (``agent:session``), and return a message. Earlier
    work is recorded first. Raises TrajError."""
    local = _installed(repository)
    _drain(repository, environ)
    with local.writing():
        off = load_suspension(local.folder)
        if session is not None:
            if off.is_paused(session):
                return f"{session} is paused already"
            opened = _open(off, session, _find_session(environ, session))
            pauses = (*off.pauses, Pause(since=time.time(), session=session))
            save(local.folder, replace(off, sessions={**off.sessions, **opened}, pauses=pauses))
            return f"{session} is paused; git traj resume --session resumes it"
        if off.paused is not None:
            return "paused already"
        sessions = dict(off.sessions)
        for file in _list_sessions(repository, environ):
            sessions |= _open(off, file.name, file)
        save(local.folder, replace(off, paused=time.time(), sessions=sessions))
    return "paused: nothing is read or stored until git traj resume"


def resume(repository: Repository, *, environ: Environ, session: str | None) -> str:
    """Resume recording, and return a message. Raises TrajError."""
    local = _installed(repository)
    if session is not None and load_suspension(local.folder).is_paused(session):
        _drain(repository, environ)  # while it is paused, so that its commits get no record
    with local.writing():
        if session is not None:
            return _resume_session(environ, local.folder, session)
        off, until = load_suspension(local.folder), time.time()
        if off.paused is None:
            return "not paused"
        sessions = dict(off.sessions)
        for file in _list_sessions(repository, environ):
            if file.name not in sessions and written_at(file.path) >= off.paused:
                sessions[file.name] = (Span(start=0),)  # the session began during the pause
            if file.name in sessions:
                sessions[file.name] = _close(sessions[file.name], file)
        made = tuple(_commits_since(repository))
        pauses, commits = (*off.pauses, Pause(since=off.paused, until=until)), (*off.commits, *made)
        save(local.folder, replace(off, paused=None, commits=commits, sessions=sessions, pauses=pauses))
    lost = f"; {count(len(made), 'commit')} made during the pause will not be recorded" if made else ""
    return f"resumed{lost}"


def _resume_session(environ: Environ, folder: Path, session: str) -> str:
    off, until = load_suspension(folder), time.time()
    if not off.is_paused(session):
        return f"{session} is not paused"
    closed = {session: _close(off.sessions[session], _find_session(environ, session))}
    pauses = tuple(
        replace(p, until=until) if p.session == session and p.until is None else p for p in off.pauses
    )
    save(folder, replace(off, sessions={**off.sessions, **closed}, pauses=pauses))
    return f"{session} resumed; nothing from the pause is read"


def _drain(repository: Repository, environ: Environ) -> None:
    """Drain, so that all work before this moment is processed. Raises TrajError if that fails."""
    if environ.off:
        raise TrajError("GIT_TRAJ=0 switches git-traj off", "unset it, so that earlier work is recorded")
    if drain(repository, environ=environ, live=environ.variables, wait=PATIENCE) is None:
        raise busy()


def _installed(repository: Repository) -> LocalState:
    local = LocalState.of(repository)
    if not (local.folder / "installed.json").exists():
        raise TrajError("git-traj is not installed in this repository", "git traj install")
    return local


def _list_sessions(repository: Repository, environ: Environ) -> Iterator[SessionFile]:
    """Yield the local sessions of the repository."""
    roots = RepoPaths(repository).roots
    for agent in all_agents().values():
        yield from agent.sessions(environ, roots, since=0.0)


def _find_session(environ: Environ, name: str) -> SessionFile | None:
    agent, _, session = name.partition(":")
    path = all_agents()[agent].find(environ, session)
    return SessionFile(agent=agent, session=session, path=path) if path else None


def _open(off: Suspension, name: str, file: SessionFile | None) -> dict[str, tuple[Span, ...]]:
    """Return a session's paused spans with a new one, which begins at the present end of its log."""
    start = end_of(file.path) if file else 0
    return {name: (*off.sessions.get(name, ()), Span(start=start))}


def _close(spans: tuple[Span, ...], file: SessionFile | None) -> tuple[Span, ...]:
    if not spans or spans[-1].end is not None:
        return spans
    end = end_of(file.path) if file else spans[-1].start
    return (*spans[:-1], replace(spans[-1], end=end))


def _commits_since(repository: Repository) -> Iterator[str]:
    """Yield the commits made since the last drain, which was when the pause began."""
    state = load_state(LocalState.of(repository).folder)
    for tree in repository.worktrees():
        known = state.reflogs.get(reflog_name(tree.git_dir, repository.common_dir)) if state else None
        position = Position(int(known[0]), known[1]) if known else None
        entries, _ = read_reflog(repository, tree.git_dir, position)
        yield from (commit.id for commit in read_moves(entries, ()).commits)

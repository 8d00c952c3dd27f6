"""Pause and resume: what happens in between is never read, neither then nor later."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

from gittraj.agents import SessionFile, all_agents
from gittraj.capture.commits import read_moves
from gittraj.capture.state import Off, Span, load_off, load_state, save
from gittraj.config import Environ
from gittraj.drain.composition import drain
from gittraj.drain.territory import Territory
from gittraj.errors import TrajError
from gittraj.git import Position, Repository, read_reflog
from gittraj.local import LocalState


def pause(repository: Repository, *, environ: Environ, live: Mapping[str, str], session: str | None) -> str:
    """Switch off, everything or one ``session`` (``agent:session``); returns what was done.

    What came before is drained first. Raises TrajError.
    """
    folder = _installed(repository).folder
    drain(repository, environ=environ, live=live)
    off = load_off(folder)
    if session is not None:
        if _open(off.sessions.get(session, ())):
            return f"{session} is paused already"
        opened = _opened(off, session, _named(environ, session))
        save(folder, replace(off, sessions={**off.sessions, **opened}))
        return f"{session} is paused; git traj resume --session goes on"
    if off.paused is not None:
        return "paused already"
    sessions = dict(off.sessions)
    for file in _near(repository, environ):
        sessions |= _opened(off, f"{file.agent}:{file.session}", file)
    save(folder, replace(off, paused=time.time(), sessions=sessions))
    return "paused: nothing is read or stored until git traj resume"


def resume(repository: Repository, *, environ: Environ, live: Mapping[str, str], session: str | None) -> str:
    """Switch on again; returns what was done. Raises TrajError."""
    folder = _installed(repository).folder
    off = load_off(folder)
    if session is not None:
        if not _open(off.sessions.get(session, ())):
            return f"{session} is not paused"
        drain(repository, environ=environ, live=live)  # its commits of this time store nothing
        file = _named(environ, session)
        save(folder, replace(off, sessions={**off.sessions, session: _closed(off.sessions[session], file)}))
        return f"{session} goes on; nothing of the time between is read"
    if off.paused is None:
        return "not paused"
    sessions = dict(off.sessions)
    for file in _near(repository, environ):
        name = f"{file.agent}:{file.session}"
        if name not in sessions and file.path.stat().st_mtime >= off.paused:
            sessions[name] = (Span(start=0),)  # it began in between
        if name in sessions:
            sessions[name] = _closed(sessions[name], file)
    made = tuple(_commits_since(repository))
    save(folder, Off(commits=(*off.commits, *made), sessions=sessions))
    return f"goes on; {len(made)} commits of the time between stay without a record"


def _installed(repository: Repository) -> LocalState:
    local = LocalState.of(repository)
    if not local.exists:
        raise TrajError("git-traj is not installed in this repository", "git traj install")
    return local


def _near(repository: Repository, environ: Environ) -> Iterator[SessionFile]:
    roots = Territory(repository).roots
    for agent in all_agents().values():
        yield from agent.sessions(environ, roots, since=0.0)


def _named(environ: Environ, name: str) -> SessionFile | None:
    agent, _, session = name.partition(":")
    path = all_agents()[agent].find(environ, session)
    return SessionFile(agent=agent, session=session, path=path) if path else None


def _opened(off: Off, name: str, file: SessionFile | None) -> dict[str, tuple[Span, ...]]:
    start = file.path.stat().st_size if file else 0
    return {name: (*off.sessions.get(name, ()), Span(start=start))}


def _open(spans: tuple[Span, ...]) -> bool:
    return bool(spans) and spans[-1].end is None


def _closed(spans: tuple[Span, ...], file: SessionFile | None) -> tuple[Span, ...]:
    if not _open(spans):
        return spans
    end = file.path.stat().st_size if file else spans[-1].start
    return (*spans[:-1], replace(spans[-1], end=end))


def _commits_since(repository: Repository) -> Iterator[str]:
    """The commits made since the last drain, which was when the pause began."""
    state = load_state(LocalState.of(repository).folder)
    for tree in repository.worktrees():
        known = state.reflogs.get(str(tree.git_dir)) if state else None
        position = Position(int(known[0]), known[1]) if known else None
        entries, _ = read_reflog(repository, tree.git_dir, position)
        yield from (commit.id for commit in read_moves(entries, ()).commits)

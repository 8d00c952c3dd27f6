"""Chooses the session logs that a drain reads: those of sessions that hooks named, that worked in or above
this repository, that are not settled, or whose uncommitted edits may be in a new commit."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gittraj.agents import Agent, SessionFile, all_agents
from gittraj.capture.session import Commit
from gittraj.config import Config, Environ
from gittraj.errors import FormatError
from gittraj.model.session_items import trajectory_id
from gittraj.record.drain.open_log import find_sessions
from gittraj.state.changed import over_at, size_of
from gittraj.state.cursors import SessionState, State

BEFORE_INSTALL = 7 * 24 * 3600.0
"""A log that was last written this many seconds before the installation has no events for a new commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A log to read; ``whole``: from its start, because a commit may contain edits from before the cursor."""

    file: SessionFile
    whole: bool = False


class Sessions:
    """The sessions of one repository's working trees (``roots``)."""

    def __init__(
        self, config: Config, environ: Environ, roots: Sequence[Path], *, installed: float = 0.0
    ) -> None:
        self.config = config
        self.environ = environ
        self.roots = roots
        self.installed = installed
        self.agents: Mapping[str, Agent] = {
            name: agent for name, agent in all_agents().items() if name not in config.exclude
        }

    def find(self, name: str, state: State) -> Path | None:
        """The log of a session (``agent:session``), if it can be read here."""
        agent, _, session = name.partition(":")
        if agent not in self.agents:
            return None
        known = state.sessions.get(trajectory_id(agent, session))
        if known is not None and known.path and Path(known.path).exists():
            return Path(known.path)
        reported = Path(state.logs.get(name, ""))
        path = reported if reported.is_file() else self.agents[agent].find(self.environ, session)
        mounted = (f.path for f in self.mounted() if (f.agent, f.session) == (agent, session))
        return path or next(mounted, None)

    def near(self) -> Iterator[SessionFile]:
        """The sessions that worked here or in a parent folder since ``BEFORE_INSTALL``."""
        for agent in self.agents.values():
            yield from agent.sessions(self.environ, self.roots, since=self.installed - BEFORE_INSTALL)
        yield from self.mounted()

    def goes_on(self, agent: str, *, since: float) -> bool:
        """Whether a session of an agent worked here after ``since`` (seconds since 1970)."""
        known = self.agents.get(agent)
        return known is not None and any(known.sessions(self.environ, self.roots, since=since))

    def reported(self, state: State) -> Iterator[SessionFile]:
        """The sessions whose agent's own hook ran in the repository; a session without a log is skipped."""
        for name, log in state.logs.items():
            agent, _, session = name.partition(":")
            if agent in self.agents and Path(log).is_file():
                yield SessionFile(agent=agent, session=session, path=Path(log))

    def wanted(self, state: State, commits: Sequence[Commit]) -> Iterator[Wanted]:
        """Yield the logs to read for new commits, if any; a session's log comes before those of agents that
        it started."""
        touched = _touched_paths(commits)
        due = self._due(state, commits, touched)
        for file in self._files(due, state, near=bool(commits)):
            for log in (file, *self.agents[file.agent].subagents(file)):
                known = state.sessions.get(log.trajectory)
                size = log.changed or size_of(log.path)
                if file.name in due or known is None or size != known.size:
                    again = known is not None and not touched.isdisjoint(known.left)
                    moved = known is not None and _adds(commits) and self._moved(known)
                    yield Wanted(file=log, whole=again or moved)

    def _due(self, state: State, commits: Sequence[Commit], touched: Collection[str]) -> set[str]:
        """The names of the sessions to read: sessions that hooks named, that are not settled, went on, or are
        over with events that wait, and sessions with uncommitted edits of a committed path (``touched``). If
        a commit adds files, also sessions whose edited files may have been renamed to the added ones."""
        named = {name for commit in commits for name in commit.sessions}
        adds = _adds(commits)
        return named | {
            f"{s.agent}:{s.session}"
            for s in state.sessions.values()
            if not s.settled
            or _goes_on(s)
            or (s.waiting and 0 < over_at(s.path, s.size) < time.time())
            or not {*s.open_paths, *s.left}.isdisjoint(touched)
            or (adds and (s.open_paths or self._moved(s)))
        }

    def _moved(self, known: SessionState) -> bool:
        """Whether a file that the session left uncommitted is gone, perhaps renamed."""
        return any(not any((root / path).exists() for root in self.roots) for path in known.left)

    def _files(self, due: Collection[str], state: State, *, near: bool) -> Collection[SessionFile]:
        """The logs of the sessions that are ``due`` and, if ``near``, of those that worked here lately."""
        files: dict[str, SessionFile] = {}
        for name in sorted(due):
            path = self.find(name, state)
            if path is not None:
                agent, _, session = name.partition(":")
                files[name] = SessionFile(agent=agent, session=session, path=path)
        for file in (*self.reported(state), *self.near()) if near else ():
            files.setdefault(file.name, file)
        return files.values()

    def mounted(self) -> Iterator[SessionFile]:
        """The logs in the folders and files that ``traj.sessions.path`` names."""
        for root in self.config.sessions:
            paths = sorted(root.rglob("*.jsonl")) if root.is_dir() else [root]
            for path in paths:
                try:
                    sessions = find_sessions(path)
                except (OSError, FormatError):
                    continue  # not every file next to a log is a log
                yield from (file for file in sessions if file.agent in self.agents)


def _touched_paths(commits: Iterable[Commit]) -> set[str]:
    """The paths that commits changed, under their old and new names."""
    return {name for commit in commits if commit.changes for name in commit.changes.names}


def _goes_on(known: SessionState) -> bool:
    """Whether a session with commits wrote more after its turn's end, which belongs to the last commit. For a
    store, ``size`` is a time, which is larger than the size of any file."""
    try:
        return bool(known.path and known.anchors) and Path(known.path).stat().st_size > known.size
    except OSError:
        return False


def _adds(commits: Sequence[Commit]) -> bool:
    return any(path.kind == "add" for c in commits if c.changes for path in c.changes.paths)

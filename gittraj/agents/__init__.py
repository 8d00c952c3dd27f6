"""Live agents: how one is recognised, and where its sessions of a repository are.

A new agent is a module with these three things and a line in ``AGENTS``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gittraj.config import Environ
from gittraj.model.session_items import trajectory_id


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFile:
    """A log: whose, of which session, and of which agent that the session's started, if of one. ``path`` is
    a file or, with the ``format`` of a store, the place that holds the session among others; ``changed`` then
    tells when this session did, in milliseconds since 1970. ``own``: the trajectory's id, where the log has
    one."""

    agent: str
    session: str
    path: Path
    subagent: str | None = None
    format: str | None = None
    changed: int | None = None
    own: str | None = None

    @property
    def name(self) -> str:
        return f"{self.agent}:{self.session}"

    @property
    def trajectory(self) -> str:
        return self.own or trajectory_id(self.agent, self.session, self.subagent)


class Agent(Protocol):
    name: str

    def current(self, environ: Environ) -> str | None:
        """The session whose environment this is."""

    def find(self, environ: Environ, session: str) -> Path | None:
        """The log of a session."""

    def sessions(self, environ: Environ, roots: Sequence[Path], *, since: float) -> Iterator[SessionFile]:
        """The logs that were written after ``since`` (seconds since the epoch) by sessions started in one
        of ``roots``, below it, or above it."""

    def subagents(self, file: SessionFile) -> Iterator[SessionFile]:
        """The logs of the agents that a session started, where they are named by it."""


def all_agents() -> dict[str, Agent]:
    """By name. A function, so that a hook pays for no agent that it does not ask for."""
    from gittraj.agents import claude_code, codex, gemini, opencode  # noqa: PLC0415

    agents = (claude_code.ClaudeCode(), codex.Codex(), gemini.Gemini(), opencode.OpenCode())
    return {agent.name: agent for agent in agents}


def is_near(folder: Path, roots: Sequence[Path]) -> bool:
    """Whether work in ``folder`` may be work in one of ``roots``: it is inside it, or holds it."""
    return any(folder == root or root in folder.parents or folder in root.parents for root in roots)


def is_new(path: Path, since: float) -> bool:
    """Whether a log was written after ``since``; one that is gone by now, or a link to nowhere, was not."""
    try:
        return path.stat().st_mtime >= since
    except OSError:
        return False

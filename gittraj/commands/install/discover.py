"""Finds what an installation can offer on this machine: agents without our hooks here, and past sessions.

It only looks. A program on PATH or a folder of settings in the home directory counts as an agent.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

from gittraj.agents import all_agents
from gittraj.commands.install.agent_hooks import AGENTS
from gittraj.commands.install.inspection import inspect_agent
from gittraj.config import Environ, read_config
from gittraj.git import Repository

_TRACES: dict[str, tuple[str, Callable[[Environ], Path | None]]] = {
    "claude-code": ("claude", lambda environ: environ.claude_dir),
    "codex": ("codex", lambda environ: environ.codex_dir),
    "gemini": ("gemini", lambda environ: environ.gemini_dir),
}
"""By option: the program's name, and the agent's folder. An agent without a row is found by its program."""
_MOST = 1000
"""Sessions to count."""


def find_agents(environ: Environ, raw: Mapping[str, str]) -> tuple[str, ...]:
    """The options of the agents on this machine that git-traj can set up."""
    return tuple(name for name in AGENTS if _is_here(name, environ, raw))


def find_new_agents(repository: Repository, found: tuple[str, ...]) -> tuple[str, ...]:
    """Those of ``found`` that have no hooks of ours in this work tree; none in a bare repository."""
    tree = repository.work_tree
    if tree is None:
        return ()
    states = {name: inspect_agent(repository, name, tree / AGENTS[name].file) for name in found}
    return tuple(name for name, state in states.items() if state == "missing")


def count_sessions(repository: Repository, environ: Environ) -> int:
    """Past sessions of this repository on this machine that ``backfill`` would read, at most 1,000."""
    roots = [tree.path.resolve() for tree in repository.worktrees() if tree.path]
    excluded = read_config(repository).exclude
    agents = (agent for name, agent in all_agents().items() if name not in excluded)
    files = (file for agent in agents for file in agent.sessions(environ, roots, since=0.0))
    return sum(1 for _ in islice(files, _MOST))


def _is_here(name: str, environ: Environ, raw: Mapping[str, str]) -> bool:
    program, folder = _TRACES.get(name, (name, lambda _: None))
    path = folder(environ)
    return (path is not None and path.is_dir()) or shutil.which(program, path=raw.get("PATH", "")) is not None

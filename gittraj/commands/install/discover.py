"""Finds what an installation can offer on this machine: agents without our hooks here, and past sessions.

It only looks. A program on PATH or a folder of settings in the home directory counts as an agent.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from itertools import islice

from gittraj.agents import Agent, all_agents
from gittraj.commands.install.agent_hooks import find_hooks
from gittraj.commands.install.inspection import inspect_agent
from gittraj.config import Environ, read_config
from gittraj.git import Repository

_MOST = 1000
"""Sessions to count."""


def find_agents(environ: Environ, raw: Mapping[str, str]) -> tuple[str, ...]:
    """The options of the agents on this machine that git-traj can set up."""
    return tuple(a.option for a in all_agents().values() if a.hooks and _is_here(a, environ, raw))


def find_new_agents(repository: Repository, found: tuple[str, ...]) -> tuple[str, ...]:
    """Those of ``found`` that have no hooks of ours in this work tree; none in a bare repository."""
    tree = repository.work_tree
    if tree is None:
        return ()
    hooks = find_hooks()
    states = {
        name: inspect_agent(repository, name, tree / hooks[name].file) for name in found if name in hooks
    }
    return tuple(name for name, state in states.items() if state == "missing")


def count_sessions(repository: Repository, environ: Environ) -> int:
    """Past sessions of this repository on this machine that ``backfill`` would read, at most 1,000."""
    roots = [tree.path.resolve() for tree in repository.worktrees() if tree.path]
    excluded = read_config(repository).exclude
    agents = (agent for name, agent in all_agents().items() if name not in excluded)
    files = (file for agent in agents for file in agent.sessions(environ, roots, since=0.0))
    return sum(1 for _ in islice(files, _MOST))


def _is_here(agent: Agent, environ: Environ, raw: Mapping[str, str]) -> bool:
    folder, program = agent.folder(environ), shutil.which(agent.program, path=raw.get("PATH", ""))
    return program is not None or (folder is not None and folder.is_dir())

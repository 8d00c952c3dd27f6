"""Finds what an installation can offer on this machine: agents that have no hooks of git-traj in this
repository, and past sessions. Also creates a key for the user, so that their agents' thinking is not lost.

Except for the key this module changes nothing. An agent counts as present if its program is on PATH, or its
folder of settings is in the home directory.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from itertools import islice

from gittraj.agents import Agent, all_agents
from gittraj.commands.install.agent_hooks import find_hooks
from gittraj.commands.install.inspection import inspect_agent
from gittraj.commands.install.manifest import Step
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.seal.identities import make_identity, own_path
from gittraj.seal.readers import read_readers

_MOST = 1000
"""The maximum number of sessions to count."""


def find_agents(environ: Environ, raw: Mapping[str, str]) -> tuple[str, ...]:
    """Return the agents on this machine that git-traj can set up, by their names for ``--agent``."""
    return tuple(a.option for a in all_agents().values() if a.hooks and _is_present(a, environ, raw))


def find_new_agents(repository: Repository, found: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the agents ``found`` that lack hooks in this work tree; none in a bare repository."""
    tree = repository.work_tree
    if tree is None:
        return ()
    hooks = find_hooks()
    states = {
        name: inspect_agent(repository, name, tree / hooks[name].file) for name in found if name in hooks
    }
    return tuple(name for name, state in states.items() if state == "missing")


def count_sessions(repository: Repository, environ: Environ) -> int:
    """Count this repository's sessions on this machine that ``backfill`` would read, up to 1,000."""
    roots = [tree.path.resolve() for tree in repository.worktrees() if tree.path]
    excluded = read_config(repository).exclude
    agents = (agent for name, agent in all_agents().items() if name not in excluded)
    files = (file for agent in agents for file in agent.sessions(environ, roots, since=0.0))
    return sum(1 for _ in islice(files, _MOST))


def _is_present(agent: Agent, environ: Environ, raw: Mapping[str, str]) -> bool:
    folder, program = agent.folder(environ), shutil.which(agent.program, path=raw.get("PATH", ""))
    return program is not None or (folder is not None and folder.is_dir())


def provide_key(repository: Repository, environ: Environ, *, make: bool, dry_run: bool) -> Iterator[Step]:
    """Make a key (``make``), or report that there is none, if thinking is sealed and has no readers. An error
    is reported as a step and not raised, because an installation is useful without a key."""
    try:
        if read_config(repository).thinking != "seal" or read_readers(repository, environ).recipients:
            return
        path = own_path(environ)
        if not make or path is None:
            text = "Thinking is not stored: you have no key (git traj keys init)"
            yield Step(what="key", name="key", did="skipped", text=text)
            return
        key_file = path if dry_run else make_identity(environ)[0]
        text = (
            f"{'Would create' if dry_run else 'Created'} your key ({key_file}). The agents' thinking is"
            " encrypted with it. Back it up: without it, that thinking cannot be read again."
        )
        yield Step(what="key", name=str(key_file), did="added", text=text)
    except TrajError as error:
        text = f"No key was created: {error.message}"
        yield Step(what="key", name="key", did="skipped", text=text)

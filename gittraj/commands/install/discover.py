"""Finds what an installation can offer on this machine: agents without our hooks here, and past sessions.
Also creates a key for the user, so that none of their agents' thinking is lost.

Except for the key it changes nothing. A program on PATH or a folder of settings in the home directory counts
as an agent.
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
"""The most sessions to count."""


def find_agents(environ: Environ, raw: Mapping[str, str]) -> tuple[str, ...]:
    """The options of the agents on this machine that git-traj can set up."""
    return tuple(a.option for a in all_agents().values() if a.hooks and _is_here(a, environ, raw))


def find_new_agents(repository: Repository, found: tuple[str, ...]) -> tuple[str, ...]:
    """The agents of ``found`` that have no hooks of ours in this work tree; none in a bare repository."""
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


def provide_key(repository: Repository, environ: Environ, *, make: bool, dry_run: bool) -> Iterator[Step]:
    """``make`` a key if thinking is sealed and there are no readers to seal it for. Never raises: an
    installation is useful without it."""
    try:
        if read_config(repository).thinking != "seal" or read_readers(repository, environ).recipients:
            return
        path = own_path(environ)
        if not make or path is None:
            text = "Thinking is not stored: you have no key (git traj keys init)"
            yield Step(what="key", name="key", did="skipped", text=text)
            return
        made = path if dry_run else make_identity(environ)[0]
        text = (
            f"{'Would create' if dry_run else 'Created'} your key ({made}). The agents' thinking is encrypted"
            " with it. Back it up: without it, that thinking cannot be read again."
        )
        yield Step(what="key", name=str(made), did="added", text=text)
    except TrajError as error:
        text = f"No key was created: {error.message}"
        yield Step(what="key", name="key", did="skipped", text=text)

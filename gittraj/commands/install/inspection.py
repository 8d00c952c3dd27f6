"""Inspects git's and the agents' hooks, which fail silently. Changes nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from gittraj.agents import all_agents
from gittraj.commands.install.agent_hooks import find_hooks, script_path
from gittraj.commands.install.configuration import (
    Configured,
    command_for,
    is_supported,
    read_configured,
    scripts_folder,
)
from gittraj.commands.install.hooks_path import (
    HooksFolder,
    find_hooks_folders,
    legacy_of,
    list_hook_paths,
    runs_ours,
)
from gittraj.commands.install.manifest import Manifest, read_manifest
from gittraj.commands.install.settings import find, put
from gittraj.commands.install.shims import HOOKS, PUSHING, HookFile, find_block, render, starts_existing
from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository

AgentLife = Literal["installed", "changed", "missing", "dead", "damaged", "untrusted"]
Life = Literal["installed", "chained", "missing", "foreign", "dead", "damaged", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookState:
    """The state of a hook. ``chained``: another tool's hook runs git-traj's; ``foreign``: there is another
    tool's hook, and it does not run git-traj's; ``dead``: git cannot run the hook, or the interpreter that it
    starts does not exist; ``off``: the hook is switched off in git's configuration."""

    name: str
    path: Path
    state: Life

    @property
    def is_old(self) -> bool:
        """Whether another version of git-traj wrote the hook. It works, but lacks later changes."""
        installed = self.read()
        if installed is None or installed.interpreter is None:
            return installed is not None
        current = find_block(render(self.name, installed.interpreter))
        return current is None or current.block != installed.block

    def read(self) -> HookFile | None:
        """Read git-traj's hook again, if it works. Its file may have been replaced since."""
        path = legacy_of(self.path) if self.state == "chained" else self.path
        works = self.state in ("installed", "chained")
        return find_block(path.read_bytes()) if works and path.exists() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """The state of git-traj's entries in an agent's settings file. ``changed``: some entries are not as
    git-traj wrote them; ``missing``: there are no entries; ``dead``: the script or the interpreter that they
    start does not exist; ``damaged``: the file is no longer strict JSON; ``untrusted``: the user has not
    approved the hooks in Codex, so Codex does not run them."""

    name: str
    path: Path
    state: AgentLife


def find_hooks_folder(repository: Repository) -> HooksFolder:
    """Return the folder of git-traj's hooks: the main worktree's hooks folder, or a folder of git-traj's own
    if git's configuration runs the hooks."""
    if read_configured(repository) and is_supported(repository):
        return HooksFolder(scripts_folder(repository), configured=True)
    return find_hooks_folders(repository)[0]


def inspect_hooks(repository: Repository, folder: HooksFolder) -> tuple[HookState, ...]:
    """Return the state of each of git-traj's hooks; none if git's hooks folder is not this repository's.
    ``folder`` is from :func:`find_hooks_folder`."""
    if folder.configured:
        configured = read_configured(repository)
        names = dict.fromkeys((*HOOKS, *configured))
        return tuple(_inspect_configured(repository, name, configured.get(name)) for name in names)
    states = [
        HookState(name=path.name, path=path, state=_inspect(path)) for path in list_hook_paths(repository)
    ]
    return tuple(s for s in states if s.name != PUSHING or s.state not in ("missing", "foreign"))


def _inspect_configured(repository: Repository, name: str, known: Configured | None) -> HookState:
    script = scripts_folder(repository) / name

    def say(state: Life) -> HookState:
        return HookState(name=name, path=script, state=state)

    if known is None or name not in known.events:
        return say("missing")
    if known.off:
        return say("off")
    return say(_inspect(script) if known.command == command_for(script) else "dead")


def _inspect(path: Path) -> Life:
    if not path.is_file():
        return "missing"
    try:
        hook = find_block(path.read_bytes())
        legacy = find_block(legacy_of(path).read_bytes()) if hook is None and runs_ours(path) else None
    except (TrajError, OSError):
        return "damaged"
    if hook is not None:
        return "installed" if _can_run(path, hook) else "dead"
    if legacy is not None:
        return "chained" if _can_run(legacy_of(path), legacy) else "dead"
    return "foreign"


def _can_run(path: Path, hook: HookFile) -> bool:
    return os.access(path, os.X_OK) and (hook.interpreter is None or hook.interpreter.exists)


def inspect_agents(repository: Repository, environ: Environ) -> tuple[AgentState, ...]:
    """Return the state of those agents' settings that have, or should have, entries of git-traj."""
    manifest = read_manifest(repository) or Manifest()
    states = []
    for tree in (tree.path for tree in repository.worktrees() if tree.path):
        for name, agent in find_hooks().items():
            path = tree / agent.file
            state = inspect_agent(repository, name, path)
            if name == "codex" and state == "installed" and not _is_trusted(path, environ):
                state = "untrusted"
            if str(path) in manifest.settings or state not in ("missing", "damaged"):
                states.append(AgentState(name=name, path=path, state=state))
    return tuple(states)


def inspect_agent(repository: Repository, name: str, path: Path) -> AgentLife:
    """Return the state of git-traj's entries in the settings file ``path`` of agent ``name``."""
    script = script_path(repository)
    try:
        text = path.read_bytes().decode("utf-8") if path.is_file() else "{}"
        if not any(find(text)):
            return "missing"
        if put(text, find_hooks()[name].groups(script)) != text:
            return "changed"
    except (TrajError, OSError, UnicodeError):
        return "damaged"
    return "installed" if starts_existing(script) else "dead"


def _is_trusted(path: Path, environ: Environ) -> bool:
    """Return whether ``config.toml`` has hashes of approved hooks, as Codex 0.169 writes them. Only Codex
    knows from which content they are computed."""
    import tomllib  # noqa: PLC0415 - only for Codex

    codex = all_agents()["codex"].folder(environ)
    try:
        config = tomllib.loads(((codex or Path()) / "config.toml").read_text("utf-8"))
        trusted = [key for key, hook in config["hooks"]["state"].items() if "trusted_hash" in hook]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    events = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower() for event in find_hooks()["codex"].events]
    return all(any(key.startswith(f"{path}:{event}:") for key in trusted) for event in events)

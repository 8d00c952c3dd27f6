"""Inspects hooks, git's and agents', and changes nothing: they fail silently, so something has to check."""

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
from gittraj.commands.install.hooks_path import HooksFolder, find_hooks_folders, legacy_of, runs_ours
from gittraj.commands.install.manifest import Manifest, read_manifest
from gittraj.commands.install.settings import find, put
from gittraj.commands.install.shims import HOOKS, PUSHING, Found, find_block, read_interpreter, render
from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository

AgentLife = Literal["installed", "changed", "missing", "dead", "damaged", "untrusted"]
Life = Literal["installed", "chained", "missing", "foreign", "dead", "damaged", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookState:
    """``chained``: another tool runs ours; ``foreign``: another tool's is there, and ours does not run;
    ``dead``: git cannot run it, or the interpreter that it starts is gone; ``off``: switched off in git's
    configuration."""

    name: str
    path: Path
    state: Life

    @property
    def is_old(self) -> bool:
        """Whether another version of git-traj wrote it: it works, but lacks later changes."""
        path = legacy_of(self.path) if self.state == "chained" else self.path
        if self.state not in ("installed", "chained"):
            return False
        found = find_block(path.read_bytes())
        interpreter = read_interpreter(found.block) if found else None
        if found is None or interpreter is None:
            return found is not None
        ours = find_block(render(self.name, interpreter))
        return ours is None or ours.block != found.block


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """``changed``: some entries are not as we left them; ``missing``: none are left; ``dead``: what
    they start is gone; ``damaged``: the file is no longer strict JSON; ``untrusted``: the user has not
    approved them in Codex, which does not run them."""

    name: str
    path: Path
    state: AgentLife


def find_place(repository: Repository) -> HooksFolder:
    """The folder of our hooks: the main worktree's, or our own if git's configuration runs them."""
    if _reads_configuration(repository):
        return HooksFolder(scripts_folder(repository), configured=True)
    return find_hooks_folders(repository)[0]


def inspect_hooks(repository: Repository) -> tuple[HookState, ...]:
    """The state of each of our hooks; none if git's hooks folder is not this repository's."""
    if _reads_configuration(repository):
        known = read_configured(repository)
        names = (*HOOKS, *(n for n in known if n not in HOOKS))
        return tuple(_inspect_configured(repository, n, known.get(n)) for n in names)
    folders = [folder.path for folder in find_hooks_folders(repository) if not folder.refused]
    paths = [folder / name for folder in folders for name in (*HOOKS, PUSHING)]
    states = [HookState(name=path.name, path=path, state=_inspect(path)) for path in paths]
    return tuple(s for s in states if s.name != PUSHING or s.state not in ("missing", "foreign"))


def _reads_configuration(repository: Repository) -> bool:
    return bool(read_configured(repository)) and is_supported(repository)


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
        found = find_block(path.read_bytes())
        legacy = find_block(legacy_of(path).read_bytes()) if found is None and runs_ours(path) else None
    except (TrajError, OSError):
        return "damaged"
    if found is not None:
        return "installed" if _runs(path, found) else "dead"
    if legacy is not None:
        return "chained" if _runs(legacy_of(path), legacy) else "dead"
    return "foreign"


def _runs(path: Path, found: Found) -> bool:
    interpreter = read_interpreter(found.block)
    return os.access(path, os.X_OK) and (interpreter is None or os.access(interpreter.path, os.X_OK))


def inspect_agents(repository: Repository, environ: Environ) -> tuple[AgentState, ...]:
    """The settings in each work tree that were installed, or contain entries of ours."""
    manifest = read_manifest(repository) or Manifest()
    found = []
    for tree in (tree.path for tree in repository.worktrees() if tree.path):
        for name, agent in find_hooks().items():
            path = tree / agent.file
            state = inspect_agent(repository, name, path)
            if name == "codex" and state == "installed" and not _is_trusted(path, environ):
                state = "untrusted"
            if str(path) in manifest.settings or state not in ("missing", "damaged"):
                found.append(AgentState(name=name, path=path, state=state))
    return tuple(found)


def inspect_agent(repository: Repository, name: str, path: Path) -> AgentLife:
    script = script_path(repository)
    try:
        text = path.read_bytes().decode("utf-8") if path.is_file() else "{}"
        if not any(find(text)):
            return "missing"
        if put(text, find_hooks()[name].groups(script)) != text:
            return "changed"
    except (TrajError, OSError, UnicodeError):
        return "damaged"
    return "installed" if script.is_file() and _starts(script.read_bytes()) else "dead"


def _starts(script: bytes) -> bool:
    block = find_block(script)
    interpreter = read_interpreter(block.block) if block else None
    return interpreter is not None and os.access(interpreter.path, os.X_OK)


def _is_trusted(path: Path, environ: Environ) -> bool:
    """Whether ``config.toml`` has hashes of approved hooks, as Codex 0.169 writes them; only Codex knows of
    which content."""
    import tomllib  # noqa: PLC0415 - only for Codex

    codex = all_agents()["codex"].folder(environ)
    try:
        config = tomllib.loads(((codex or Path()) / "config.toml").read_text("utf-8"))
        known = [key for key, hook in config["hooks"]["state"].items() if "trusted_hash" in hook]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    events = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower() for event in find_hooks()["codex"].events]
    return all(any(key.startswith(f"{path}:{event}:") for key in known) for event in events)

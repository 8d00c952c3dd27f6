"""Installs, safely as often as one likes: what is there already stays as it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from gittraj.commands.install.agent_hooks import find_hooks, install_agent, script_path, write_script
from gittraj.commands.install.hooks import install_hooks
from gittraj.commands.install.instructions import find_files, instruct_agent
from gittraj.commands.install.manifest import FILE, Manifest, Step, read_manifest, write_manifest
from gittraj.commands.install.refspecs import add_refspecs, recover_manifest
from gittraj.commands.install.shims import find_interpreter
from gittraj.config import read_choice
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.codec import to_json
from gittraj.state.folder import LocalState, installed_positions, reflog_positions
from gittraj.state.precommit_flag import update_watch

_BARE = "a bare repository has no commits of its own; the hooks serve its worktrees"


def install(
    repository: Repository,
    *,
    agents: Sequence[str] = (),
    fetch_refspec: bool | None = True,
    dry_run: bool = False,
) -> list[Step]:
    """Put hooks, fetch refspecs and local state into ``repository``; says each thing that was done.

    ``agents`` (their options) get hooks of their own, where they have any, in the work tree, and an
    instruction to read.
    ``fetch_refspec``: None keeps what was said when it was installed.
    With ``dry_run`` nothing is written. Raises TrajError; then nothing was touched, for the local state,
    without which the rest is of no use, is written first.
    """
    find_interpreter()
    read_choice(repository, "push")
    local = LocalState.of(repository)
    steps = [_begin(repository, local, dry_run=dry_run)]
    manifest = read_manifest(repository) or Manifest()
    if fetch_refspec is not None:
        manifest = replace(manifest, fetch=fetch_refspec)
    manifest, hooks = install_hooks(repository, manifest, dry_run=dry_run)
    if not dry_run:
        write_manifest(repository, manifest)
        update_watch(repository)
    steps += hooks
    if repository.worktrees()[0].path is None:
        steps.append(Step(what="hook", name="hooks", did="unchanged", text=_BARE))
    if not dry_run and (agents or script_path(repository).exists()):
        write_script(repository)
    for name in dict.fromkeys(agents):
        manifest, told = _install_agent(repository, name, manifest, dry_run=dry_run)
        steps += told
    if manifest.fetch:
        manifest, added = add_refspecs(repository, manifest, dry_run=dry_run)
        if not dry_run:
            write_manifest(repository, manifest)
        steps += added
    return steps


def _install_agent(
    repository: Repository, name: str, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, list[Step]]:
    """Its hooks, where it has any, then its instruction, unless the hooks failed."""
    steps = []
    if name in find_hooks():
        manifest, step = install_agent(repository, name, manifest, dry_run=dry_run)
        steps.append(step)
        if not dry_run:
            write_manifest(repository, manifest)
    if name in find_files() and not any(step.did == "failed" for step in steps):
        manifest, told = instruct_agent(repository, name, manifest, dry_run=dry_run)
        steps += told
        if not dry_run:
            write_manifest(repository, manifest)
    return manifest, steps


def is_installed(local: LocalState) -> bool:
    """Whether this clone records."""
    try:
        installed_positions(local.read(FILE))
    except TrajError:
        return False
    return True


def _begin(repository: Repository, local: LocalState, *, dry_run: bool) -> Step:
    """Make ``installed.json`` where there is none that can be used.

    An installation that stands keeps its ``time`` and ``reflogs``: what came after is to be recorded.
    """
    fresh = not is_installed(local)
    if fresh and not dry_run:
        made = not local.exists
        local.create()
        manifest = read_manifest(repository) or (
            recover_manifest(repository) if (local.folder / FILE).exists() else Manifest()
        )
        start = {"time": time.time(), "reflogs": reflog_positions(repository), "undo": to_json(manifest)}
        try:
            local.write(FILE, start)
        except TrajError:
            if made:
                local.folder.rmdir()
            raise
    verb = "was already" if not fresh else "would be" if dry_run else "is"
    text = f"Recording {verb} on in this repository ({local.folder})"
    return Step(what="state", name=str(local.folder), did="added" if fresh else "unchanged", text=text)

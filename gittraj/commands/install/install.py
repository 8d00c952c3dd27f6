"""Installs git-traj in a repository. A repeated installation adds and renews only what is needed."""

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
    """Install hooks, fetch refspecs and local state in ``repository``, and return the steps.

    For the ``agents`` (names for ``--agent``), hooks and an instruction are installed in the work tree, as
    far as the agent supports them. ``fetch_refspec``: whether to add fetch refspecs; None keeps the choice of
    the earlier installation. With ``dry_run`` nothing is written. Raises TrajError, and then nothing was
    changed, because the local state, without which all else is useless, is written first.
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
        manifest, done = _install_agent(repository, name, manifest, dry_run=dry_run)
        steps += done
    if manifest.fetch:
        manifest, added = add_refspecs(repository, manifest, dry_run=dry_run)
        if not dry_run:
            write_manifest(repository, manifest)
        steps += added
    return steps


def _install_agent(
    repository: Repository, name: str, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, list[Step]]:
    """Install an agent's hooks, if it has any, then its instruction, unless the hooks failed."""
    steps = []
    if name in find_hooks():
        manifest, step = install_agent(repository, name, manifest, dry_run=dry_run)
        steps.append(step)
        if not dry_run:
            write_manifest(repository, manifest)
    if name in find_files() and not any(step.did == "failed" for step in steps):
        manifest, done = instruct_agent(repository, name, manifest, dry_run=dry_run)
        steps += done
        if not dry_run:
            write_manifest(repository, manifest)
    return manifest, steps


def is_installed(local: LocalState) -> bool:
    """Return whether git-traj is installed in this clone."""
    try:
        installed_positions(local.read(FILE))
    except TrajError:
        return False
    return True


def _begin(repository: Repository, local: LocalState, *, dry_run: bool) -> Step:
    """Make ``installed.json`` unless there is a usable one. An existing installation keeps its ``time`` and
    ``reflogs``, so that the work since then is recorded."""
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

"""Installs the agents' own hooks, and removes them again: entries in the settings files of one work tree.

Every entry runs the script ``traj/agent-hook``, and only this script contains the interpreter's path. So the
settings do not change with this path, and Codex, which trusts a hook by its text, does not ask the user
again. This module must not write outside the work tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gittraj.agents import HookSettings, all_agents
from gittraj.commands.install.edits import edit, ignore, make_folder, read_own, restore, write_file
from gittraj.commands.install.manifest import Did, Manifest, Step
from gittraj.commands.install.settings import SCRIPT, WRAPPER, find, put, take
from gittraj.commands.install.shims import find_interpreter, render
from gittraj.errors import StoreError, TrajError
from gittraj.git import Repository
from gittraj.state.folder import FOLDER

_BARE = "not installed: an agent works in a work tree, and this repository has none here"
_TRACKED = "git tracks the file: keep these entries out of your commits"


def find_hooks() -> dict[str, HookSettings]:
    """Return the hook settings of the agents that have hooks, by the agent's name for ``--agent``."""
    return {agent.option: agent.hooks for agent in all_agents().values() if agent.hooks}


def install_agent(
    repository: Repository, name: str, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, Step]:
    """Merge the entries of agent ``name`` into its settings of this work tree."""

    def say(did: Did, *clauses: str | None) -> Step:
        return Step(what="agent", name=name, did=did, text="; ".join(filter(None, clauses)))

    agent, tree = find_hooks()[name], repository.work_tree
    if tree is None:
        return manifest, say("skipped", _BARE)
    path = tree / agent.file
    try:
        before, after = _merge_entries(repository, tree, agent)
    except TrajError as error:
        return manifest, say("failed", error.message, error.hint)
    if after == before:
        return manifest, say("unchanged", f"already there ({agent.file})")
    tracked = before is not None and bool(repository.run("ls-files", "--", agent.file, check=False).out)
    if not dry_run:
        try:
            manifest = make_folder(path.parent, manifest)
            edited = edit(path, after, manifest.settings.get(str(path)))
            manifest = replace(manifest, settings={**manifest.settings, str(path): edited})
            if before is None:
                manifest = ignore(repository, agent.file, manifest)
        except OSError as error:
            return manifest, say("failed", f"not installed: {path} cannot be written ({error.strerror})")
    did: Did = "renewed" if before and any(find(before.decode("utf-8"))) else "added"
    put_in = f"would be {did}" if dry_run else did
    return manifest, say(did, f"hooks {put_in} in {agent.file}", agent.advice, _TRACKED if tracked else None)


def _merge_entries(repository: Repository, tree: Path, agent: HookSettings) -> tuple[bytes | None, bytes]:
    """Return the content of an agent's settings file (None: there is no file), and the content with
    git-traj's entries. Raises TrajError."""
    path = tree / agent.file
    try:
        before = read_own(tree, path)
        after = put((before or b"").decode("utf-8"), agent.groups(script_path(repository))).encode("utf-8")
    except StoreError as error:
        raise StoreError(f"not installed: {error.message}") from None
    except UnicodeError:  # in the script's path
        raise StoreError(f"not installed: {path} would not be UTF-8") from None
    except TrajError as error:
        why = f"not installed, {agent.file} stays as it is: {error.message}"
        raise TrajError(why, error.hint) from None
    return before, after


def script_path(repository: Repository) -> Path:
    return repository.common_dir / FOLDER / SCRIPT


def wrapper_path(repository: Repository) -> Path:
    """Return the path of a script that runs ``git traj`` even if ``git-traj`` is not on PATH."""
    return repository.common_dir / FOLDER / WRAPPER


def write_script(repository: Repository) -> None:
    """Write the script and the wrapper, for this interpreter. Raises TrajError if a hook cannot start this
    interpreter, or a file cannot be written."""
    for path in (script_path(repository), wrapper_path(repository)):
        text = render(path.name, find_interpreter())
        try:
            if not path.exists() or path.read_bytes() != text:
                write_file(path, text)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def uninstall_agents(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    """Restore each settings file; if somebody changed it since, remove only git-traj's entries."""
    agents = find_hooks()
    for path in map(Path, dict.fromkeys((*manifest.settings, *_list_settings(repository)))):
        names = (name for name, agent in agents.items() if str(path).endswith(agent.file))
        name = next(names, path.name)  # the agent's plug-in may be switched off now
        edited = manifest.settings.get(str(path))
        try:
            changed = restore(path, edited, _take_entries, dry_run=dry_run)
        except (OSError, UnicodeError, TrajError) as error:
            if edited is None:
                continue  # the manifest does not say that git-traj ever wrote this file
            why = error.message if isinstance(error, TrajError) else str(error)
            yield Step(what="agent", name=name, did="failed", text=f"kept: {path}: {why}")
            continue
        if changed:
            yield Step(what="agent", name=name, did="removed", text=f"removed from {path}")


def _list_settings(repository: Repository) -> Iterator[str]:
    """Yield the paths that the agents' settings files have in the work trees."""
    for tree in repository.worktrees():
        for agent in find_hooks().values() if tree.path else ():
            path = Path(tree.path or "", agent.file)
            if repository.owns(path):
                yield str(path)


def _take_entries(content: bytes) -> bytes:
    return take(content.decode("utf-8")).encode("utf-8")

"""Installs the agents' own hooks, and removes them again: entries in the settings files of one work tree.

Every entry runs the script ``traj/agent-hook``, and only that has the interpreter's path: when the path
changes, the settings do not, and Codex, which trusts a hook by its text, does not ask again. It must not
write outside the work tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gittraj.agents import HookSettings, all_agents
from gittraj.commands.install.edits import edit, ignore, make_folder, read_own, restore, write_file
from gittraj.commands.install.manifest import Did, Manifest, Step
from gittraj.commands.install.settings import SCRIPT, WRAPPER, put, take
from gittraj.commands.install.shims import find_interpreter, render
from gittraj.errors import StoreError, TrajError
from gittraj.git import Repository
from gittraj.state.folder import FOLDER

_BARE = "not installed: an agent works in a work tree, and this repository has none here"
_TRACKED = "git tracks the file: keep these entries out of your commits"


def find_hooks() -> dict[str, HookSettings]:
    """The hook settings of the agents that have some, by option."""
    return {agent.option: agent.hooks for agent in all_agents().values() if agent.hooks}


def install_agent(
    repository: Repository, name: str, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, Step]:
    """Merge the entries of agent ``name`` into its settings of this work tree."""

    def say(did: Did, *words: str) -> Step:
        return Step(what="agent", name=name, did=did, text="; ".join(word for word in words if word))

    agent, tree = find_hooks()[name], repository.work_tree
    if tree is None:
        return manifest, say("skipped", _BARE)
    path = tree / agent.file
    try:
        before = read_own(tree, path)
        text = (before or b"").decode("utf-8")
        after = put(text, agent.groups(script_path(repository))).encode("utf-8")
    except StoreError as error:
        return manifest, say("failed", f"not installed: {error.message}")
    except UnicodeError:  # in the script's path
        return manifest, say("failed", f"not installed: {path} would not be UTF-8")
    except TrajError as error:
        why = f"not installed, {agent.file} stays as it is: {error.message}"
        return manifest, say("failed", why, error.hint or "")
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
    did: Did = "renewed" if before and take(text) != text else "added"
    put_in = f"would be {did}" if dry_run else did
    return manifest, say(did, f"hooks {put_in} in {agent.file}", agent.advice, _TRACKED if tracked else "")


def script_path(repository: Repository) -> Path:
    return repository.common_dir / FOLDER / SCRIPT


def wrapper_path(repository: Repository) -> Path:
    """A script that runs ``git traj`` even if that is not on PATH."""
    return repository.common_dir / FOLDER / WRAPPER


def write_script(repository: Repository) -> None:
    """Write the script and the wrapper, for this interpreter. Raises TrajError if that cannot be started from
    a hook, or a file cannot be written."""
    for path in (script_path(repository), wrapper_path(repository)):
        text = render(path.name, find_interpreter())
        try:
            if not path.exists() or path.read_bytes() != text:
                write_file(path, text)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def uninstall_agents(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    """Restore each settings file; from one that somebody changed since, remove only our entries."""
    agents = find_hooks()
    trees = [tree.path for tree in repository.worktrees() if tree.path]
    places = [tree / agent.file for tree in trees for agent in agents.values()]
    here = [str(path) for path in places if repository.owns(path)]
    for path in map(Path, dict.fromkeys((*manifest.settings, *here))):
        names = (name for name, agent in agents.items() if str(path).endswith(agent.file))
        name = next(names, path.name)  # of a plug-in that is switched off now
        edited = manifest.settings.get(str(path))
        try:
            takes = lambda now: take(now.decode("utf-8")).encode("utf-8")  # noqa: E731
            changed = restore(path, edited, takes, dry_run=dry_run)
        except (OSError, UnicodeError, TrajError) as error:
            if edited is None:
                continue  # nothing says that we ever wrote there
            why = error.message if isinstance(error, TrajError) else str(error)
            yield Step(what="agent", name=name, did="failed", text=f"left: {path}: {why}")
            continue
        if changed:
            yield Step(what="agent", name=name, did="removed", text=f"removed from {path}")

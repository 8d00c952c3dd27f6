"""Lets a plain ``git fetch`` also fetch records, to refs of their own, but not the sessions' events.

Only ``remote.NAME.fetch`` is changed: a ``remote.NAME.push`` would change what a plain ``git push`` pushes.
The refspec is not ``refs/notes/*:refs/notes/*``, which would overwrite notes that were not pushed yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from gittraj.commands.install.configuration import change
from gittraj.commands.install.manifest import Did, Manifest, Step, read_manifest
from gittraj.errors import GitError
from gittraj.git import Repository


def refspecs(remote: str) -> tuple[str, str]:
    """Return the refspecs to add for one remote: they fetch its records to a copy, but not its segments."""
    return f"+refs/notes/traj*:refs/notes-remote/{remote}/traj*", "^refs/notes/traj-data*"


def find_remotes(repository: Repository) -> tuple[str, ...]:
    """Return the remotes that ``git remote`` lists: all that have a setting."""
    keys = (setting.key.removeprefix("remote.") for setting in repository.settings(r"remote\..*\."))
    names = {key.rpartition(".")[0] for key in keys}
    return tuple(sorted((name for name in names if not name.startswith("/")), key=os.fsencode))


def add_refspecs(repository: Repository, manifest: Manifest, *, dry_run: bool) -> tuple[Manifest, list[Step]]:
    """Add the missing refspecs of all remotes, and return a step for each remote."""
    steps = []
    for remote in find_remotes(repository):
        manifest, did, text = _add_to_remote(repository, remote, manifest, dry_run=dry_run)
        steps.append(Step(what="refspec", name=remote, did=did, text=text))
    return manifest, steps


def _add_to_remote(
    repository: Repository, remote: str, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, Did, str]:
    values = repository.config_all(f"remote.{remote}.fetch")
    if why := _reason_against(values):
        return manifest, "skipped", f"left as it is: {why}"
    missing = [value for value in refspecs(remote) if value not in values]
    if not missing:
        return manifest, "unchanged", "already fetches records"
    try:
        for value in missing if not dry_run else ():
            manifest = _add(repository, manifest, remote, value)
    except GitError as error:
        return manifest, "failed", error.message
    brings = "would also bring" if dry_run else "now also brings"
    return manifest, "added", f"git fetch {brings} records ({refspecs(remote)[0]})"


def find_unfetching(repository: Repository) -> Iterator[str]:
    """Yield the remotes whose records git fetch does not fetch, such as those added after the installation;
    none if git-traj is not installed, or refspecs are not wanted."""
    manifest = read_manifest(repository)
    for remote in find_remotes(repository) if manifest and manifest.fetch else ():
        values = repository.config_all(f"remote.{remote}.fetch")
        if not (_reason_against(values) or any(":refs/notes" in value for value in values)):
            yield remote


def _reason_against(values: tuple[str, ...]) -> str | None:
    if not values:
        return "it has no fetch refspec, and with ours it would no longer fetch its HEAD"
    if any(value.endswith(":refs/*") for value in values):
        return "it is a mirror, which fetches every ref already"
    return None


def _add(repository: Repository, manifest: Manifest, remote: str, value: str) -> Manifest:
    manifest = change(repository, manifest, "--add", f"remote.{remote}.fetch", value)
    values = dict.fromkeys((*manifest.refspecs.get(remote, ()), value))
    return replace(manifest, refspecs={**manifest.refspecs, remote: tuple(values)})


def recover_manifest(repository: Repository) -> Manifest:
    """Rebuild the manifest if ``installed.json`` is damaged, by assuming that git-traj added all values which
    it would add, and that refspecs were not wanted if no remote has such a value."""
    current = {remote: repository.config_all(f"remote.{remote}.fetch") for remote in find_remotes(repository)}
    ours = {remote: tuple(v for v in refspecs(remote) if v in values) for remote, values in current.items()}
    return Manifest(
        refspecs={remote: values for remote, values in ours.items() if values},
        fetch=any(ours.values()) or not current,
    )


def remove_refspecs(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    """Remove git-traj's refspecs that ``configuration.undo`` could not remove, because somebody changed the
    configuration since."""
    for remote, values in manifest.refspecs.items():
        ours = () if dry_run else values
        for value in set(ours).intersection(repository.config_all(f"remote.{remote}.fetch")):
            repository.run(
                *("config", "--local", "--fixed-value", "--unset-all", f"remote.{remote}.fetch", value),
                check=False,  # status 5: the value is in another file, where git-traj never wrote
            )
        yield Step(what="refspec", name=remote, did="removed", text="fetches as before")

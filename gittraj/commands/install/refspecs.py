"""Lets a plain ``git fetch`` also bring records, to refs apart from ours, and never the sessions' events.

Only ``remote.NAME.fetch`` is changed: a ``remote.NAME.push`` would change what a plain ``git push`` pushes,
and ``refs/notes/*:refs/notes/*`` would overwrite notes that were not pushed yet.
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
    """The values added for one remote: its records are fetched to a copy of their own, its segments not."""
    return f"+refs/notes/traj*:refs/notes-remote/{remote}/traj*", "^refs/notes/traj-data*"


def find_remotes(repository: Repository) -> tuple[str, ...]:
    """The remotes that ``git remote`` lists: all that have a setting."""
    keys = (setting.key.removeprefix("remote.") for setting in repository.settings(r"remote\..*\."))
    names = {key.rpartition(".")[0] for key in keys}
    return tuple(sorted((name for name in names if not name.startswith("/")), key=os.fsencode))


def add_refspecs(repository: Repository, manifest: Manifest, *, dry_run: bool) -> tuple[Manifest, list[Step]]:
    steps = []
    for remote in find_remotes(repository):
        values = repository.config_all(f"remote.{remote}.fetch")
        missing = tuple(value for value in refspecs(remote) if value not in values)
        why = _reason_against(values)
        if why or not missing:
            text = f"left as it is: {why}" if why else "already fetches records"
            did: Did = "skipped" if why else "unchanged"
            steps.append(Step(what="refspec", name=remote, did=did, text=text))
            continue
        try:
            for value in missing if not dry_run else ():
                manifest = _add(repository, manifest, remote, value)
        except GitError as error:
            steps.append(Step(what="refspec", name=remote, did="failed", text=error.message))
            continue
        brings = "would also bring" if dry_run else "now also brings"
        text = f"git fetch {brings} records ({refspecs(remote)[0]})"
        steps.append(Step(what="refspec", name=remote, did="added", text=text))
    return manifest, steps


def find_unfetching(repository: Repository) -> Iterator[str]:
    """The remotes, such as those added after the installation, whose records git fetch does not bring; none
    if nothing is installed, or refspecs are not wanted."""
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
    """Rebuild the manifest if ``installed.json`` is damaged: values that equal ours were ours, and refspecs
    were not wanted if no remote has any."""
    left = {remote: repository.config_all(f"remote.{remote}.fetch") for remote in find_remotes(repository)}
    ours = {remote: tuple(v for v in refspecs(remote) if v in values) for remote, values in left.items()}
    return Manifest(
        refspecs={remote: values for remote, values in ours.items() if values},
        fetch=any(ours.values()) or not left,
    )


def remove_refspecs(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    """Remove our values, if somebody changed the configuration since: else ``configuration.undo`` did."""
    for remote, values in manifest.refspecs.items():
        ours = () if dry_run else values
        for value in set(ours).intersection(repository.config_all(f"remote.{remote}.fetch")):
            repository.run(
                *("config", "--local", "--fixed-value", "--unset-all", f"remote.{remote}.fetch", value),
                check=False,  # 5: it is in another file of the configuration, where we never wrote
            )
        yield Step(what="refspec", name=remote, did="removed", text="fetches as before")

"""Removes git-traj from a repository: restores files byte for byte, and keeps the edits of others. Lists what
remains (records in this clone and on remotes, the key, the program), each with the command that removes it.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from gittraj.commands.install.agent_hooks import uninstall_agents
from gittraj.commands.install.configuration import forget_answers, remove_configured
from gittraj.commands.install.edits import stop_ignoring
from gittraj.commands.install.hooks import leave_folders
from gittraj.commands.install.instructions import remove_instructions
from gittraj.commands.install.manifest import FILE, Manifest, Step, read_manifest
from gittraj.commands.install.refspecs import find_remotes, recover_manifest, remove_refspecs
from gittraj.commands.install.settings import SCRIPT, WRAPPER
from gittraj.config import Environ
from gittraj.errors import GitError, StoreError
from gittraj.git import Repository
from gittraj.index.schema import FOLDER as INDEX
from gittraj.notes.refs import delete_ref
from gittraj.notes.unjoined import COPIES
from gittraj.seal.identities import own_path
from gittraj.state.folder import LocalState
from gittraj.state.precommit_flag import FILE as WATCH

_CACHES = ("spool", "cursors.json", "drain.lock", WATCH)
"""Files because of which a later installation would record work from the time in between."""


def uninstall(repository: Repository, *, purge: bool = False, dry_run: bool = False) -> list[Step]:
    """Remove git-traj from ``repository``. The notes stay; without ``purge`` most of the local state stays,
    too. A ``dry_run`` only returns the steps.

    A failure is reported as a step, and does not prevent the other steps. A repeated call does what is left.
    """
    local = LocalState.of(repository)
    manifest = read_manifest(repository)
    known = manifest or Manifest()
    steps = [*_leave_others(known), *uninstall_agents(repository, known, dry_run=dry_run)]
    steps += remove_instructions(repository, known, dry_run=dry_run)
    steps += [] if dry_run else stop_ignoring(repository, known)
    steps += _undo_hooks(repository, known, dry_run=dry_run)
    try:
        steps += forget_answers(repository, dry_run=dry_run)
        steps += remove_configured(repository, known, dry_run=dry_run)
        if manifest is None and _was_installed(local, steps):
            known = recover_manifest(repository)
        steps += remove_refspecs(repository, known, dry_run=dry_run)
    except (GitError, StoreError) as error:
        steps.append(Step(what="refspec", name="remotes", did="failed", text=error.message))
    if not dry_run:
        _delete_derived(repository, purge=purge)
    if not any(step.did == "failed" for step in steps):
        steps += _end_recording(local, purge=purge, dry_run=dry_run)
    return steps


def _was_installed(local: LocalState, steps: Sequence[Step]) -> bool:
    """Return whether git-traj was installed: if the manifest was deleted, removed hooks show it."""
    return (local.folder / FILE).exists() or any(step.did == "removed" for step in steps)


def _delete_derived(repository: Repository, *, purge: bool) -> None:
    """Delete the index, and with ``purge`` the copies of remotes' refs. This is not a step: all of this data
    is also in this clone's refs or on a remote."""
    import shutil  # noqa: PLC0415 - it imports all compressors

    if purge:
        for ref in list_copies(repository):
            delete_ref(repository, ref, check=False)
    shutil.rmtree(repository.common_dir / INDEX, ignore_errors=True)


def _leave_others(manifest: Manifest) -> Iterator[Step]:
    """Report the files that belong to another repository now: they are not changed."""
    for path in map(Path, manifest.outside):
        if path.exists():
            yield Step(
                what="state", name=path.name, did="skipped", text=f"kept: {path} is outside this repository"
            )


def _undo_hooks(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    yield from leave_folders(repository, manifest, dry_run=dry_run)
    for folder in map(Path, () if dry_run else reversed(manifest.folders)):
        try:
            folder.rmdir()
        except OSError:
            pass  # somebody has put files there since


def _end_recording(local: LocalState, *, purge: bool, dry_run: bool) -> Iterator[Step]:
    if not local.exists or not (purge or (local.folder / FILE).exists()):
        return
    say = partial(Step, what="state", name=str(local.folder))
    try:
        if not dry_run:
            _empty(local, purge=purge)
    except StoreError as error:
        yield say(did="failed", text=error.message)
    else:
        kept = "kept, but no longer records (--purge removes it)"
        yield say(did="removed", text="removed" if purge else kept)


def _empty(local: LocalState, *, purge: bool) -> None:
    """Delete the state under the drain's lock, so that no worker writes it again."""
    with local.locked(wait=5.0) as is_locked:
        if not is_locked:
            raise StoreError("a worker is recording just now", "try again in a moment")
        try:
            for name in (FILE, SCRIPT, WRAPPER, *_CACHES):
                (local.folder / name).unlink(missing_ok=True)
            if purge:
                import shutil  # noqa: PLC0415

                shutil.rmtree(local.folder)
        except OSError as error:
            raise StoreError(f"{local.folder} cannot be written: {error.strerror}") from None


_REFS = "refs/notes/traj", "refs/notes/traj-data-*"
_OWN = "local", "worktree", "global"
"""The scopes of settings that a user may remove."""
_COPIES = f"{COPIES}**/traj", f"{COPIES}**/traj-data-*"


def list_copies(repository: Repository) -> list[str]:
    """Return the copies of remotes' refs that a fetch or a push made."""
    return _list_refs(repository, _COPIES)


def list_remaining(
    repository: Repository, environ: Environ, copies: Sequence[str], *, purged: bool
) -> Iterator[tuple[str, str]]:
    """Yield what an uninstallation leaves, each with the command that removes it. ``copies`` are the copies
    of remotes' refs before the uninstallation; ``purged``: the local state is, or would be, deleted."""
    if not purged and LocalState.of(repository).exists:
        yield "this clone's own state", "git traj uninstall --purge"
    if _list_refs(repository, (*_REFS, *_COPIES)):
        patterns = " ".join(f"'{pattern}'" for pattern in (*_REFS, *_COPIES))
        command = f"git for-each-ref --format='delete %(refname)' {patterns} | git update-ref --stdin"
        # the index, too: a command that reads records before this is run creates it again
        command += f"; {shlex.join(('rm', '-rf', str(repository.common_dir / INDEX)))}"
        yield "the records here (git gc --prune=now then deletes their objects)", command
    yield from _list_remote_records(repository, copies)
    yield from _list_settings(repository)
    key = own_path(environ)
    if key is not None and key.exists():
        yield "your key, for every repository", shlex.join(("rm", "-r", str(key.parent)))
    yield "the program", uninstall_command(Path(sys.prefix))


def _list_remote_records(repository: Repository, copies: Sequence[str]) -> Iterator[tuple[str, str]]:
    for remote in find_remotes(repository):
        start = f"{COPIES}{remote}/"
        refs = [f"refs/notes/{ref.removeprefix(start)}" for ref in copies if ref.startswith(start)]
        if refs:
            yield (
                f"the records that {remote} has, for everybody (a clone that has them puts them back)",
                shlex.join(("git", "push", remote, "--delete", *refs)),
            )
        else:  # never fetched, or deleted by a purge: it is unknown what the remote has
            yield f"records that {remote} may have", shlex.join(("git", "ls-remote", remote, _REFS[0] + "*"))


def _list_settings(repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield the user's own settings of git-traj, without the one that ``forget_answers`` removes."""
    for scope, key in dict.fromkeys((s.scope, s.key) for s in repository.settings(r"traj\.")):
        if scope in _OWN and (scope, key) != ("local", "traj.trust"):
            what = f"your setting {key}{', for every repository' * (scope == 'global')}"
            yield what, shlex.join(("git", "config", f"--{scope}", "--unset-all", key))


def uninstall_command(prefix: Path) -> str:
    """Return the command that uninstalls the program from the folder ``prefix``: Homebrew, pipx and uv are
    recognised by the names of their folders."""
    if "Cellar" in prefix.parts:
        return "brew uninstall git-traj"
    if "pipx" in prefix.parts:
        return "pipx uninstall git-traj"
    if prefix.parts[-3:-1] == ("uv", "tools"):
        return "uv tool uninstall git-traj"
    return shlex.join((sys.executable, "-m", "pip", "uninstall", "git-traj"))


def _list_refs(repository: Repository, patterns: Sequence[str]) -> list[str]:
    return repository.run("for-each-ref", "--format=%(refname)", *patterns).text.splitlines()

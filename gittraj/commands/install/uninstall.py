"""Removes everything again: restores files byte for byte, and keeps the edits of others. It lists what it
leaves (records here and at remotes, the key, the program), each with the command that removes it.
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
from gittraj.commands.install.instructions import take_back
from gittraj.commands.install.manifest import FILE, Manifest, Step, read_manifest
from gittraj.commands.install.refspecs import recover_manifest, remove_refspecs
from gittraj.commands.install.settings import SCRIPT, WRAPPER
from gittraj.config import Environ
from gittraj.errors import GitError, StoreError
from gittraj.git import Repository
from gittraj.index.fast_open import FOLDER as INDEX
from gittraj.notes.refs import delete_ref
from gittraj.notes.unjoined import COPIES
from gittraj.seal.identities import own_path
from gittraj.state.folder import LocalState
from gittraj.state.precommit_flag import FILE as WATCH

_CACHES = ("spool", "cursors.json", "drain.lock", WATCH)
"""Files that would make a later installation record what happened in between, which it must not."""


def uninstall(repository: Repository, *, purge: bool = False, dry_run: bool = False) -> list[Step]:
    """Remove git-traj from ``repository``; the notes stay, and without ``purge`` the local state too. A
    ``dry_run`` only returns the steps.

    A failure is a step of its own: the rest is done, and running it again does what is left.
    """
    local = LocalState.of(repository)
    manifest = read_manifest(repository)
    known = manifest or Manifest()
    steps = [*_leave_others(known), *uninstall_agents(repository, known, dry_run=dry_run)]
    steps += take_back(repository, known, dry_run=dry_run)
    steps += [] if dry_run else stop_ignoring(repository, known)
    steps += _undo_hooks(repository, known, dry_run=dry_run)
    try:
        steps += forget_answers(repository, dry_run=dry_run)
        steps += remove_configured(repository, known, dry_run=dry_run)
        # the manifest is gone or damaged: if hooks of ours were removed, something was installed
        lost = manifest is None and ((local.folder / FILE).exists() or any(s.did == "removed" for s in steps))
        fetched = recover_manifest(repository) if lost else known
        steps += remove_refspecs(repository, fetched, dry_run=dry_run)
    except (GitError, StoreError) as error:
        steps.append(Step(what="refspec", name="remotes", did="failed", text=error.message))
    import shutil  # noqa: PLC0415 - with all of its compressors

    # no steps of their own: they contain nothing that is not in the refs, ours or a remote's
    if purge and not dry_run:
        drop_copies(repository)
    if not dry_run:
        shutil.rmtree(repository.common_dir / INDEX, ignore_errors=True)
    ending = local.exists and (purge or (local.folder / FILE).exists())
    if ending and not any(step.did == "failed" for step in steps):
        steps.append(_end(local, purge=purge, dry_run=dry_run))
    return steps


def _leave_others(manifest: Manifest) -> Iterator[Step]:
    for path in map(Path, manifest.outside):
        if path.exists():
            yield Step(
                what="state", name=path.name, did="skipped", text=f"left: {path} is outside this repository"
            )


def _undo_hooks(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    yield from leave_folders(repository, manifest, dry_run=dry_run)
    for made in map(Path, () if dry_run else reversed(manifest.folders)):
        try:
            made.rmdir()
        except OSError:
            pass  # somebody uses it by now


def _end(local: LocalState, *, purge: bool, dry_run: bool) -> Step:
    say = partial(Step, what="state", name=str(local.folder))
    try:
        if not dry_run:
            _empty(local, purge=purge)
    except StoreError as error:
        return say(did="failed", text=error.message)
    kept = "kept, but no longer records (--purge removes it)"
    return say(did="removed", text="removed" if purge else kept)


def _empty(local: LocalState, *, purge: bool) -> None:
    """Under the drain's lock, so that no worker writes after it."""
    with local.locked(wait=5.0) as had:
        if not had:
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
_COPIES = f"{COPIES}**/traj", f"{COPIES}**/traj-data-*"


def list_copies(repository: Repository) -> list[str]:
    """The copies of remotes' refs that a fetch or a push left."""
    return _list_refs(repository, _COPIES)


def drop_copies(repository: Repository) -> None:
    for ref in list_copies(repository):
        delete_ref(repository, ref, check=False)


def name_what_is_left(
    repository: Repository, environ: Environ, copies: Sequence[str], *, purged: bool
) -> Iterator[tuple[str, str]]:
    """What is left, and the command that removes it. ``copies``: as they were before; ``purged``: the local
    state is gone, or would be."""
    if not purged and LocalState.of(repository).exists:
        yield "this clone's own state", "git traj uninstall --purge"
    if _list_refs(repository, (*_REFS, *_COPIES)):
        patterns = " ".join(f"'{pattern}'" for pattern in (*_REFS, *_COPIES))
        command = f"git for-each-ref --format='delete %(refname)' {patterns} | git update-ref --stdin"
        # a command that reads records before then creates it again
        command += f"; {shlex.join(('rm', '-rf', str(repository.common_dir / INDEX)))}"
        yield "the records here (git gc --prune=now then deletes their objects)", command
    for remote in repository.run("remote").out.decode("utf-8", "surrogateescape").splitlines():
        start = f"{COPIES}{remote}/"
        refs = [f"refs/notes/{ref.removeprefix(start)}" for ref in copies if ref.startswith(start)]
        if refs:
            yield (
                f"the records that {remote} has, for everybody (a clone that has them puts them back)",
                shlex.join(("git", "push", remote, "--delete", *refs)),
            )
        elif purged:  # gone with --purge, and with it what is known of remotes
            yield f"records that {remote} may have", shlex.join(("git", "ls-remote", remote, _REFS[0] + "*"))
    own = own_path(environ)
    if own is not None and own.exists():
        yield "your key, for every repository", shlex.join(("rm", "-r", str(own.parent)))
    yield "the program", uninstall_command(Path(sys.prefix))


def uninstall_command(prefix: Path) -> str:
    """The command that uninstalls the program, by its folder: Homebrew's, pipx' and uv's have these names."""
    if "Cellar" in prefix.parts:
        return "brew uninstall git-traj"
    if "pipx" in prefix.parts:
        return "pipx uninstall git-traj"
    if prefix.parts[-3:-1] == ("uv", "tools"):
        return "uv tool uninstall git-traj"
    return shlex.join((sys.executable, "-m", "pip", "uninstall", "git-traj"))


def _list_refs(repository: Repository, patterns: Sequence[str]) -> list[str]:
    found = repository.run("for-each-ref", "--format=%(refname)", *patterns)
    return found.out.decode("utf-8", "surrogateescape").splitlines()

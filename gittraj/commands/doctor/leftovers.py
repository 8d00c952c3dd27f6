"""What killed processes, a power failure or a hand left behind in local state, refs and settings.

What it mends holds no record: files that nobody finished, locks that nobody holds, a ref's file in which
nothing stands, the refspec that was installed; and it points deleted refs to where they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from gittraj.commands.doctor.finding import Finding
from gittraj.commands.install.manifest import read_manifest
from gittraj.commands.install.refspecs import find_remotes
from gittraj.errors import GitError, StoreError
from gittraj.git import Repository, read_reflog
from gittraj.notes.recovery import restore_deleted
from gittraj.notes.refs import is_broken, set_ref, stale_locks
from gittraj.notes.store import RECORDS_REF
from gittraj.state.folder import LocalState


def check_leftovers(repository: Repository, deleted: Mapping[str, str]) -> Iterator[Finding]:
    """``deleted``: refs of ours, as ``find_deleted`` tells. Raises GitError."""
    local = LocalState.of(repository)
    unfinished = local.unfinished()
    if unfinished:
        yield Finding(
            code="unfinished",
            severity="note",
            text=f"a killed process left {len(unfinished)} unfinished files ({unfinished[0]} …)",
            remedy="git traj doctor --fix removes them; so does the next drain",
            fix=local.tidy,
        )
    for lock in stale_locks(repository):
        yield Finding(
            code="ref-lock",
            text=f"a killed process left {lock}: no other process can write",
            remedy=f"if no git process runs, remove {lock}",
            fix=partial(lock.unlink, missing_ok=True),
        )
    if deleted:
        yield Finding(
            code="records-deleted",
            text=f"deleted or overwritten: {', '.join(sorted(deleted))}; its content is still in this clone",
            remedy="git traj doctor --fix restores it, and so does an agent's next commit",
            fix=partial(_restore_deleted, repository, deleted),
        )
    for path in sorted((repository.common_dir / RECORDS_REF).parent.glob("traj*")):
        ref = path.relative_to(repository.common_dir).as_posix()
        if path.suffix != ".lock" and is_broken(repository, ref):
            yield _broken(repository, ref)
    manifest = read_manifest(repository)
    for remote in find_remotes(repository):
        ours = manifest.refspecs.get(remote, ()) if manifest else ()
        gone = [value for value in ours if value not in repository.config_all(f"remote.{remote}.fetch")]
        if gone:
            yield Finding(
                code="refspec-missing",
                severity="note",
                text=f"git fetch {remote} no longer brings records: {gone[0]} was taken out",
                remedy="git traj install adds it again; git traj fetch gets records once",
                fix=partial(_add, repository, remote, gone),
            )


def _broken(repository: Repository, ref: str) -> Finding:
    """A ref whose file was never written to its end; its reflog may tell where it was."""
    path = repository.common_dir / ref
    moves = read_reflog(repository, repository.common_dir, None, ref=ref)[0]
    last = next((m.new for m in reversed(moves) if repository.objects.kind(m.new) == "commit"), None)
    told = f"its reflog has it last at {last[:12]}" if last else "and its reflog does not say where it was"
    return Finding(
        code="ref-broken",
        text=f"{ref} names no commit ({path}); {told}",
        remedy="git traj doctor --fix points it there" if last else f"remove {path}, then git traj fetch",
        fix=partial(_restore, repository, ref, last) if last else None,
    )


def _restore(repository: Repository, ref: str, commit: str) -> None:
    if not is_broken(repository, ref):
        return  # somebody was faster
    (repository.common_dir / ref).unlink()  # git moves no ref that it cannot read
    packed = repository.objects.resolve(ref) or "0" * len(commit)
    set_ref(repository, ref, commit, message="git-traj: restored", old=packed)


def _add(repository: Repository, remote: str, values: list[str]) -> None:
    for value in values:
        try:
            repository.run("config", "--local", "--add", f"remote.{remote}.fetch", value)
        except GitError as error:
            raise StoreError(error.message) from error


def _restore_deleted(repository: Repository, deleted: Mapping[str, str]) -> None:
    for why in restore_deleted(repository, deleted).values():
        if why:
            raise why

"""Finds what killed processes, a power failure or a person left behind in local state, refs and settings.

Its fixes change no record: they remove unfinished files and stale locks, repair a ref whose file is empty,
add an installed refspec again, and set deleted refs to the commits that they pointed to. It also finds
differences between this clone and its remotes, as far as these were fetched: removed notes, which come back
with a sync, and purges that only one side knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from gittraj.commands.doctor.finding import Finding, note  # a note is information, not a problem
from gittraj.commands.install.manifest import read_manifest
from gittraj.commands.install.refspecs import find_remotes, refspecs
from gittraj.errors import StoreError
from gittraj.git import Repository
from gittraj.model.words import count
from gittraj.notes.epoch import Epoch, read_epoch
from gittraj.notes.recovery import restore_deleted
from gittraj.notes.refs import find_last, find_remedy, is_broken, set_ref, stale_locks
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF, DataRefs, NotesRef
from gittraj.notes.tree import note_paths
from gittraj.notes.unjoined import COPIES, may_have_copies
from gittraj.state.folder import LocalState
from gittraj.sync.purge_merge import is_purge_applied, merge_purged_segments
from gittraj.sync.traces import clear_traces


def check_leftovers(repository: Repository, deleted: Mapping[str, str]) -> Iterator[Finding]:
    """Report unfinished files, stale locks, and deleted or broken refs and refspecs. ``deleted`` are the
    deleted refs, as ``find_deleted`` returns them. Raises GitError."""
    local = LocalState.of(repository)
    unfinished = local.unfinished()
    if unfinished:
        yield note(
            "unfinished",
            f"a killed process left {len(unfinished)} unfinished files ({unfinished[0]} …)",
            "git traj doctor --fix removes them; so does the next drain",
            fix=local.tidy,
        )
    for lock in stale_locks(repository):
        yield Finding(
            "ref-lock",
            f"a killed process left {lock}: no other process can write",
            f"if no git process runs, remove {lock}",
            fix=partial(lock.unlink, missing_ok=True),
        )
    if deleted:
        yield Finding(
            "records-deleted",
            f"deleted or overwritten: {', '.join(sorted(deleted))}; its content is still in this clone",
            "git traj doctor --fix restores it, and so does an agent's next commit",
            fix=partial(_restore_deleted, repository, deleted),
        )
    for path in sorted((repository.common_dir / RECORDS_REF).parent.glob("traj*")):
        ref = path.relative_to(repository.common_dir).as_posix()
        if path.suffix != ".lock" and is_broken(repository, ref):
            yield _broken(repository, ref)
    yield from _check_installed_refspecs(repository)


def _check_installed_refspecs(repository: Repository) -> Iterator[Finding]:
    manifest = read_manifest(repository)
    for remote in find_remotes(repository):
        installed = manifest.refspecs.get(remote, ()) if manifest else ()
        current = repository.config_all(f"remote.{remote}.fetch")
        removed = [value for value in installed if value not in current]
        if removed:
            yield note(
                "refspec-missing",
                f"git fetch {remote} no longer brings records: {removed[0]} was taken out",
                "git traj install adds it again; git traj fetch gets records once",
                fix=partial(_add, repository, remote, removed),
            )


def _broken(repository: Repository, ref: str) -> Finding:
    """Return the finding for a ref whose file is incomplete. Its reflog may show where it pointed."""
    path = repository.common_dir / ref
    last = find_last(repository, ref)
    where = f"its reflog has it last at {last[:12]}" if last else "and its reflog does not say where it was"
    return Finding(
        "ref-broken",
        f"{ref} names no commit ({path}); {where}",
        find_remedy(repository, ref) + " points it there" * bool(last),
        fix=partial(_restore, repository, ref, last) if last else None,
    )


def _restore(repository: Repository, ref: str, commit: str) -> None:
    if not is_broken(repository, ref):
        return  # another process was faster
    (repository.common_dir / ref).unlink()  # git does not move a ref that it cannot read
    packed = repository.objects.resolve(ref) or "0" * len(commit)
    set_ref(repository, ref, commit, message="git-traj: restored", old=packed)


def _add(repository: Repository, remote: str, values: list[str]) -> None:
    for value in values:
        repository.run("config", "--local", "--add", f"remote.{remote}.fetch", value)


def _restore_deleted(repository: Repository, deleted: Mapping[str, str]) -> None:
    for why in restore_deleted(repository, deleted).values():
        if why:
            raise why


def check_removed(repository: Repository) -> Iterator[Finding]:
    """Report the notes removed in this clone since it was last in sync with a remote. Raises GitError."""
    for remote in find_remotes(repository) if may_have_copies(repository) else ():
        removed = _find_removed(repository, f"{COPIES}{remote}/traj")
        if removed:
            yield note(
                "removed",
                f"removed here with git notes, and still on {remote}: {count(len(removed), 'note')}, "
                f"such as that of commit {removed[-1][:12]}",
                "git traj sync brings them back; git traj unlink removes a record everywhere",
            )


def _find_removed(repository: Repository, tracking: str) -> list[str]:
    """Return the commits with a note in the ``tracking`` ref, whose note was removed in this clone."""
    ours, theirs = NotesRef(repository).tip(), NotesRef(repository, tracking).tip()
    if ours is None or theirs is None:
        return []
    base = repository.run("merge-base", ours, theirs, check=False).text.split()
    if not base:
        return []
    objects = repository.objects
    here, there = (objects.commit(tip).tree for tip in (ours, theirs))
    return [
        commit
        for commit in NotesRef(repository).changed(base[0], ours)
        if not note_paths(objects, here, commit) and note_paths(objects, there, commit)
    ]


def check_purges(repository: Repository) -> Iterator[Finding]:
    """Report purges that are unfinished, or that only one side knows. Raises GitError."""
    resolve = repository.objects.resolve
    if LocalState.of(repository).is_purging:
        yield Finding(
            "purge-unfinished",
            "a purge was not finished: reflogs or the index may still contain the purged data",
            "run the purge again; if it was made elsewhere, git traj fetch does the rest",
        )
    elif months := [m for m in DataRefs(repository).months() if not _is_settled(repository, m)]:
        refs = ", ".join(DATA_PREFIX + month for month in months)
        yield Finding(
            "purge-unfinished",
            f"may still contain what was purged from the records: {refs}",
            "git traj doctor --fix removes it; git traj push --replace removes it from remotes",
            fix=partial(_settle, repository, months),
        )
    remotes = find_remotes(repository) if may_have_copies(repository) else ()
    # this clone's own ref is checked too, because a plain fetch may have moved it
    for remote, ref in (("", RECORDS_REF), *((name, f"{COPIES}{name}/traj") for name in remotes)):
        tip = resolve(ref)
        try:
            ours, theirs = (read_epoch(repository.objects, each) for each in (resolve(RECORDS_REF), tip))
        except StoreError as error:
            yield Finding("purge", error.message, error.hint or "install a later git-traj")
            continue
        if tip:
            yield from _compare_epochs(remote, ours, theirs)


def _is_settled(repository: Repository, month: str) -> bool:
    tip = repository.objects.resolve(DATA_PREFIX + month)
    try:
        return tip is None or is_purge_applied(repository, month, tip)
    except StoreError:
        return True  # a later version's purge, which is reported as such


def _settle(repository: Repository, months: list[str]) -> None:
    local = LocalState.of(repository)
    with local.writing(), local.purging():
        for month in months:
            merge_purged_segments(repository, month, message="git-traj: purge")
        clear_traces(repository)


def _compare_epochs(remote: str, ours: Epoch, theirs: Epoch) -> Iterator[Finding]:
    if not ours.covers(theirs):
        text = f"{remote} was purged, and this clone still has the purged data"
        yield Finding("purge", text, f"git traj fetch {remote}")
    elif not theirs.covers(ours):
        text = f"{remote} still has data that was purged here"
        yield Finding("purge", text, f"git traj push --replace {remote}")


def check_refspecs(repository: Repository) -> Iterator[Finding]:
    """Report refspecs with which a plain ``git fetch`` would overwrite records that were not pushed."""
    for remote in find_remotes(repository):
        for value in repository.config_all(f"remote.{remote}.fetch"):
            target = value.partition(":")[2]
            prefix, star, _ = target.partition("*")
            if value.startswith("+") and (
                target == RECORDS_REF or (star and RECORDS_REF.startswith(prefix) and prefix != "refs/")
            ):
                yield Finding(
                    "refspec-clobbers",
                    f"git fetch {remote} overwrites records that were not pushed ({value})",
                    f"git config --fixed-value --unset remote.{remote}.fetch '{value}'; "
                    f"{refspecs(remote)[0]} is enough",
                )

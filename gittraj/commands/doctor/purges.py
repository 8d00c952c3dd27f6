"""Purges that one side knows of and the other does not, as far as was fetched."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.commands.doctor.finding import Finding
from gittraj.commands.install.refspecs import find_remotes
from gittraj.errors import StoreError
from gittraj.git import Repository
from gittraj.notes.epoch import read_epoch
from gittraj.notes.store import RECORDS_REF
from gittraj.state.purge_mark import is_unfinished


def check_purges(repository: Repository) -> Iterator[Finding]:
    """Raises GitError."""
    resolve = repository.objects.resolve
    if is_unfinished(repository):
        yield Finding(
            code="purge-unfinished",
            text="a purge was not finished: reflogs or the index may still contain the purged data",
            remedy="run it again; where it was made elsewhere, git traj fetch does the rest",
        )
    for remote in find_remotes(repository):
        tip = resolve(f"refs/notes-remote/{remote}/traj")
        try:
            ours, theirs = (read_epoch(repository.objects, each) for each in (resolve(RECORDS_REF), tip))
        except StoreError as error:
            yield Finding(code="purge", text=error.message, remedy=error.hint or "install a later git-traj")
            continue
        if tip and not ours.covers(theirs):
            yield Finding(
                code="purge",
                text=f"{remote} was purged, and this clone still has the purged data",
                remedy=f"git traj fetch {remote}",
            )
        elif tip and not theirs.covers(ours):
            yield Finding(
                code="purge",
                text=f"{remote} still has data that was purged here",
                remedy=f"git traj push --replace {remote}",
            )

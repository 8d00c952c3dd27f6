"""Clears what a purge leaves behind in a clone besides the refs: reflogs, remote-tracking refs, caches.

All of this can be rebuilt. The module must not touch a ref or a reflog that is not ours.
"""

from __future__ import annotations

import re

from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.index.file import LISTINGS, UnusableError, drop
from gittraj.index.remote_records import VETTED
from gittraj.index.schema import FOLDER as INDEX
from gittraj.index.text import TEXTS
from gittraj.notes.epoch import read_epoch, survey
from gittraj.notes.refs import delete_ref, expire_reflog
from gittraj.notes.store import DATA_PREFIX, RECORDS_REF
from gittraj.notes.unjoined import COPIES
from gittraj.state.folder import LocalState
from gittraj.state.sharing import own_folder
from gittraj.sync.join import join_records, join_segments
from gittraj.sync.purge_merge import is_purge_applied

_FILE = "replaced.json"
_KEPT = 200


def read_replaced(repository: Repository) -> frozenset[str]:
    """The remotes' tips that this clone joined before a purge replaced them; they are never fetched again."""
    return frozenset(map(str, LocalState.of(repository).read(_FILE) or ()))


_OURS = re.compile(r"refs/notes(?:-remote/.+)?/traj(?:-data-\d{4}-\d{2})?")


def our_refs(repository: Repository) -> list[str]:
    """The records ref and the monthly refs, ours and the copies of remotes'."""
    listed = ("for-each-ref", "--format=%(refname)", "refs/notes/", COPIES)
    return [ref for ref in repository.run(*listed).text.splitlines() if _OURS.fullmatch(ref)]


def clear_traces(repository: Repository) -> None:
    """Delete our refs' reflogs, the copies of what remotes had before the purge (other records there are
    joined first), and the caches made from the refs. Harmless when repeated. Raises TrajError."""
    local = LocalState.of(repository)
    local.create()
    _join_old(repository, local)
    for ref in our_refs(repository):
        expire_reflog(repository, ref)
    (own_folder(local.folder) / "cursors.json").unlink(missing_ok=True)  # it names segments that are gone
    try:
        if (repository.common_dir / INDEX).is_dir():
            for book in (LISTINGS, TEXTS, VETTED):
                drop(repository.common_dir, book)
    except UnusableError as error:
        raise TrajError(
            f"the index could not be removed: {error.message}", "remove .git/traj-index"
        ) from None


def _join_old(repository: Repository, local: LocalState) -> None:
    """Join the copies of remotes' refs from before the purge, remember their tips, and delete them."""
    old = _find_old(repository)
    for ref, tip in old.items():
        month = ref.rpartition("traj-data-")[2]
        if ref.endswith("/traj"):
            join_records(repository, tip, ref)
        elif repository.objects.resolve(DATA_PREFIX + month):
            join_segments(repository, month, tip, ref)
    if old:
        known = [each for each in local.read(_FILE) or () if each not in old.values()]
        local.write(_FILE, [*known, *old.values()][-_KEPT:])
    for ref in old:
        delete_ref(repository, ref)


def _find_old(repository: Repository) -> dict[str, str]:
    tracked = [ref for ref in our_refs(repository) if ref.startswith(COPIES)]
    tips = ((ref, repository.objects.resolve(ref)) for ref in tracked)
    return {ref: tip for ref, tip in tips if tip and _is_from_before(repository, ref, tip)}


def _is_from_before(repository: Repository, ref: str, tip: str) -> bool:
    objects = repository.objects
    month = ref.rpartition("traj-data-")[2]
    ours = objects.resolve(RECORDS_REF if ref.endswith("/traj") else DATA_PREFIX + month)
    if ours is None:
        return not is_purge_applied(repository, month, tip)
    epoch = read_epoch(objects, ours)
    return bool(epoch) and tip not in survey(repository, [tip], epoch).clean

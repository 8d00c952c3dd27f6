"""Copies of commits that are not here, as in a fresh clone: all that is left of them is a patch-id."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gittraj.git import Repository, patch_ids
from gittraj.history.history import Rewrite, group
from gittraj.history.reading import read_history


def find_absent(
    repository: Repository, patches: Mapping[str, str], *, taken: Collection[str] = ()
) -> list[Rewrite]:
    """The reachable commits with the patches of ``patches`` (commit: patch-id as ``gittraj.git.patch_id``
    tells it), where only one commit had that patch, and the copies say that they are of one.

    It compares every commit that there is. Raises GitError.
    """
    if not patches:
        return []
    history = read_history(repository, ())
    targets = [c for c in history.reachable if c not in taken and history.change(c)]
    ids = patch_ids(repository, targets)
    news = group(ids, ids.get)
    olds = group(patches, patches.get)
    return [
        Rewrite(old[0], new, "patch-id")
        for patch, old in olds.items()
        if len(old) == 1 and len({history.commits[c].identity for c in news.get(patch, ())}) == 1
        for new in sorted(news[patch])
    ]

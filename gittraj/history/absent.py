"""Finds copies of commits that are not here, as in a fresh clone: only a patch-id is left of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gittraj.git import Repository, patch_ids
from gittraj.history.history import Rewrite, group
from gittraj.history.reading import read_history


def find_absent(
    repository: Repository, patches: Mapping[str, str], *, taken: Collection[str] = ()
) -> list[Rewrite]:
    """Find the reachable commits that have the patch of an absent one. ``patches`` maps each absent commit to
    its patch-id, as ``gittraj.git.changes`` computes it. A patch-id counts only if one absent commit has it,
    and all commits that have it here agree in author, date and subject. Commits in ``taken`` are ignored.

    Compares every reachable commit. Raises GitError.
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

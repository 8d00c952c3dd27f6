"""Amends the last commit of a ref instead of adding one, while nobody else has that commit: so ``git log
--all`` shows one of git-traj's commits per push, not one per drain.

The replaced commit stays in the reflog, which ``gittraj.notes.recovery`` reads; without a reflog (in a bare
repository) no commit is replaced. This module must not move a ref.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gittraj.git import Objects, Repository, read_reflog

RECORDED = "git-traj: record"
"""The reflog's message for a move that removed no record, even if it replaced a commit."""
_SUBJECT = r"git-traj: (\d+) (?:commit|segment)s?\n?"


def add_commit(
    repository: Repository,
    ref: str,
    tip: str | None,
    tree: str,
    *,
    noun: str,
    count: Callable[[str | None], int],
) -> str:
    """Write the commit with ``tree`` to which ``ref`` will move from ``tip``.

    Its message says how many ``noun``s (commits or segments) it changes: the result of ``count`` plus, if it
    replaces ``tip``, the number in the message of ``tip``. ``count`` gets the tree of the new commit's parent
    (None: it has none), and leaves out what ``tip`` already changed in that tree. Raises StoreError.
    """
    objects = repository.objects
    parents: tuple[str, ...] = (tip,) if tip else ()
    number = 0
    if tip:
        last = objects.commit(tip)
        match = re.fullmatch(_SUBJECT, last.message.decode("utf-8", "replace"))
        if match and len(last.parents) < 2 and _is_unshared(repository, ref, tip):
            parents, number = last.parents, int(match[1])
    number += count(objects.commit(parents[0]).tree if parents else None)
    message = f"git-traj: {number} {noun}{'' if number == 1 else 's'}"
    return objects.write_commit(tree=tree, parents=parents, message=message)


def _is_unshared(repository: Repository, ref: str, tip: str) -> bool:
    """Whether git-traj moved ``ref`` to ``tip`` in this clone, and no other ref has that commit: a push or a
    fetch would have left it in a copy of the remote's ref."""
    moves, _ = read_reflog(repository, repository.common_dir, None, ref=ref)
    if not moves or (moves[-1].new, moves[-1].message) != (tip, RECORDED):
        return False
    queries = (
        (f"--contains={tip}", "refs/notes", "refs/notes-remote"),
        (f"--points-at={tip}",),  # wherever the user's own refspec puts a copy
    )
    refs = [repository.run("for-each-ref", "--format=%(refname)", *words, check=False) for words in queries]
    return all(each.code == 0 and each.text.split() == [ref] for each in refs)


def newest_without(objects: Objects, tip: str | None, has: Callable[[str], bool]) -> list[str]:
    """The newest commits in the history of ``tip`` for whose tree ``has`` is false. They become the parents
    of a new commit, so their history is kept. The newer commits, which have what ``has`` looks for,
    are dropped: no history that is kept contains it."""
    newest: dict[str, None] = {}
    queue = [tip] if tip else []
    seen = set(queue)
    while queue:
        oid = queue.pop()
        commit = objects.commit(oid)
        if not has(commit.tree):
            newest[oid] = None
            continue
        queue += [parent for parent in commit.parents if parent not in seen]
        seen.update(commit.parents)
    return list(newest)

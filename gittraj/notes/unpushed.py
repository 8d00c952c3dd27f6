"""Amends the last commit of a ref with what is written while nobody else has that commit: ``git log --all``
shows one commit of ours for each push, not one for each drain.

The replaced commit stays in the reflog, which ``gittraj.notes.recovery`` reads; without a reflog (in a bare
repository) nothing is replaced. It must not move a ref.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gittraj.git import Objects, Repository

RECORDED = "git-traj: record"
"""The reflog's message for a move that removed nothing, whatever commit it replaced."""
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
    """Write the commit with ``tree`` that ``ref`` moves to from ``tip``. ``count`` gets its parent's tree
    (None: empty) and returns how many of the things that change now are the same there as at ``tip``. Raises
    StoreError."""
    objects = repository.objects
    parents: tuple[str, ...] = (tip,) if tip else ()
    number = 0
    if tip:
        last = objects.commit(tip)
        match = re.fullmatch(_SUBJECT, last.message.decode("utf-8", "replace"))
        if match and len(last.parents) < 2 and _is_ours_alone(repository, ref, tip):
            parents, number = last.parents, int(match[1])
    number += count(objects.commit(parents[0]).tree if parents else None)
    message = f"git-traj: {number} {noun}{'' if number == 1 else 's'}"
    return objects.write_commit(tree=tree, parents=parents, message=message)


def _is_ours_alone(repository: Repository, ref: str, tip: str) -> bool:
    """Whether a write of ours moved the ref to ``tip`` here, and no other ref has it, such as the copy of a
    remote's ref that a push or a fetch would have left."""
    last = ("-c", "log.showSignature=false", "log", "-g", "-1", "--format=%H %gs", ref, "--")
    if repository.run(*last, check=False).out.decode("utf-8", "replace").strip() != f"{tip} {RECORDED}":
        return False
    asked = (
        (f"--contains={tip}", "refs/notes", "refs/notes-remote"),
        (f"--points-at={tip}",),  # wherever the user's own refspec puts a copy
    )
    found = [repository.run("for-each-ref", "--format=%(refname)", *words, check=False) for words in asked]
    return all(each.code == 0 and each.text.split() == [ref] for each in found)


def newest_without(objects: Objects, tip: str | None, holds: Callable[[str], bool]) -> list[str]:
    """The newest commits in the history of ``tip`` for whose tree ``holds`` is false: their history is kept.
    Nothing of it can have been pushed together with what ``holds`` looks for."""
    newest: dict[str, None] = {}
    queue = [tip] if tip else []
    seen = set(queue)
    while queue:
        oid = queue.pop()
        commit = objects.commit(oid)
        if not holds(commit.tree):
            newest[oid] = None
            continue
        queue += [parent for parent in commit.parents if parent not in seen]
        seen.update(commit.parents)
    return list(newest)

"""Puts what is written into the last commit of a ref while nobody else has that: ``git log --all`` shows one
commit of ours for each push, not one for each drain.

The replaced commit stays in the ref's reflog, where ``gittraj.notes.recovery`` looks; without a reflog (in a
bare repository) nothing is replaced. It must not move a ref.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gittraj.git import Objects, Repository

RECORDED = "git-traj: record"
"""What the reflog says of a move that took nothing away, whatever it replaced."""
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
    """Write the commit with ``tree`` that ``ref`` moves to from ``tip``. ``count``: how many of what changes
    now are in the tree of the base (None: empty) as they are at ``tip``. Raises StoreError."""
    objects = repository.objects
    parents: tuple[str, ...] = (tip,) if tip else ()
    number = 0
    if tip:
        last = objects.commit(tip)
        said = re.fullmatch(_SUBJECT, last.message.decode("utf-8", "replace"))
        if said and len(last.parents) < 2 and _is_ours_alone(repository, ref, tip):
            parents, number = last.parents, int(said[1])
    number += count(objects.commit(parents[0]).tree if parents else None)
    message = f"git-traj: {number} {noun}{'' if number == 1 else 's'}"
    return objects.write_commit(tree=tree, parents=parents, message=message)


def _is_ours_alone(repository: Repository, ref: str, tip: str) -> bool:
    """Whether a write of ours moved the ref to ``tip`` here, and no other ref has it: no copy of a remote's,
    which a push or a fetch would have left."""
    last = ("-c", "log.showSignature=false", "log", "-g", "-1", "--format=%H %gs", ref, "--")
    if repository.run(*last, check=False).out.decode("utf-8", "replace").strip() != f"{tip} {RECORDED}":
        return False
    asked = (
        (f"--contains={tip}", "refs/notes", "refs/notes-remote"),
        (f"--points-at={tip}",),  # wherever a refspec of the user's puts a copy
    )
    found = [repository.run("for-each-ref", "--format=%(refname)", *words, check=False) for words in asked]
    return all(each.code == 0 and each.text.split() == [ref] for each in found)


def newest_without(objects: Objects, tip: str | None, holds: Callable[[str], bool]) -> list[str]:
    """The newest commits in the history of ``tip`` whose tree does not hold something, and so whose own
    history is kept. Nothing of theirs can have been pushed together with it."""
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

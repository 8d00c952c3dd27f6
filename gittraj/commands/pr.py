"""Finds the branch with which ``git traj pr`` compares a change, and returns the change as JSON."""

from __future__ import annotations

from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.query.change import Change

_BASES = ("@{upstream}", "origin/HEAD", "origin/main", "origin/master", "main", "master")


def find_base(repository: Repository, head: str) -> str:
    """Return the first usual base that exists and is not ``head`` itself. Raises TrajError."""
    tip, same = repository.find_commit(head), None
    for name in _BASES:
        commit = repository.find_commit(name)
        if commit and commit != tip:
            return name
        same = name if commit else same
    why = f": {head} is {same} itself" if same else ""
    raise TrajError(f"there is no branch to compare with{why}", "git traj pr --base BRANCH")


def change_to_json(change: Change, *, base: str, markdown: str) -> dict[str, object]:
    """Return the document that ``git traj pr --json`` prints."""
    return {
        "version": 1,
        "markdown": markdown,
        "head": change.head,
        "base": base,
        "commits": len(change.own),
        "recorded": len(change.recorded),
        "sessions": change.sessions,
    }

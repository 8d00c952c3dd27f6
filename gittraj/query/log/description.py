"""Describes commits as ``log --json`` does, chooses the one to show for a group of copies, and finds their
branches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from gittraj.errors import GitError
from gittraj.git import Repository
from gittraj.query.log.reverted import Reverts

BATCH = 500
"""How many commits one process describes."""
_MAX_BRANCHES, _MAX_COMMITS = 4, 50
"""The maximum number of branches to find, and of commits for which they are looked up."""


def read_fields(repository: Repository, commits: Sequence[str], *fields: str) -> Iterator[list[str]]:
    """Yield for each commit the ``fields`` of ``git log --format``, in the commits' order, with one process.
    Raises GitError when this clone lacks one of them."""
    if not commits:
        return  # git would describe HEAD
    listed = repository.run(
        *("log", "--no-walk=unsorted", "--stdin", "-z", f"--format={'%x00'.join(fields)}"),
        *("--encoding=UTF-8", "--no-show-signature", "--no-notes", "--no-patch"),
        input="".join(f"{commit}\n" for commit in commits).encode(),
    )
    values = listed.out.decode("utf-8", "replace").split("\0")
    yield from (values[at : at + len(fields)] for at in range(0, len(values) - 1, len(fields)))


def describe_all(repository: Repository, commits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Describe commits as ``log --json`` does, without files and trajectories, with one process. Raises
    GitError when this clone lacks one of them."""
    rows = read_fields(repository, commits, "%H", "%h", "%s", "%aN", "%aE", "%aI")
    return {
        commit: {
            "commit": commit,
            "short": short,
            "subject": subject,
            "author": {"name": name, "email": email},
            "date": date,
        }
        for commit, short, subject, name, email, date in rows
    }


def describe_present(repository: Repository, commits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Describe those of ``commits`` that are in this clone."""
    try:
        return describe_all(repository, commits)
    except GitError:
        return describe_all(repository, [c for c in commits if repository.objects.exists(c)])


def describe_places(repository: Repository, groups: Sequence[Collection[str]]) -> list[dict[str, Any] | None]:
    """Return for each group of copies the commit to show, preferably one that HEAD reaches; None if this
    clone has none of them."""
    described = describe_present(repository, sorted({c for group in groups for c in group}))
    several = {c for group in groups if len(group) > 1 for c in group if c in described}
    stray = _find_stray(repository, several)
    Reverts(repository).mark(described.values())
    return [
        min(
            (described[c] for c in group if c in described),
            key=lambda entry: (entry["commit"] in stray, entry["date"]),
            default=None,
        )
        for group in groups
    ]


def _find_stray(repository: Repository, commits: Collection[str]) -> set[str]:
    """Return those of ``commits`` that HEAD does not reach."""
    if not commits:
        return set()
    listed = repository.run("rev-list", *sorted(commits), "--not", "HEAD", "--", check=False).out
    return {*commits} & {*listed.decode().split()}


def find_branches(repository: Repository, commits: Sequence[str]) -> list[str]:
    """Return some branches, ours or a remote's, that have one of the first of these ``commits``."""
    contains = [f"--contains={commit}" for commit in commits[:_MAX_COMMITS]]
    query = ("for-each-ref", f"--count={_MAX_BRANCHES}", "--format=%(refname:short)", *contains)
    listed = repository.run(*query, "refs/heads", "refs/remotes", check=False)
    return listed.out.decode("utf-8", "replace").split()

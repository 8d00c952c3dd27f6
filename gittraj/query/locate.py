"""Which commit represents a group of copies: one that exists here, and that HEAD reaches if possible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gittraj.errors import GitError
from gittraj.git import Repository
from gittraj.query.log.description import describe_all


def describe_places(repository: Repository, groups: Sequence[Collection[str]]) -> list[dict[str, Any] | None]:
    """For each group the commit to show, as ``log --json`` describes it; None where none exists here."""
    described = _describe(repository, sorted({c for group in groups for c in group}))
    several = {c for group in groups if len(group) > 1 for c in group if c in described}
    stray = _find_stray(repository, several)
    return [
        min(
            (described[c] for c in group if c in described),
            key=lambda entry: (entry["commit"] in stray, entry["date"]),
            default=None,
        )
        for group in groups
    ]


def _describe(repository: Repository, commits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Those that exist here."""
    try:
        return describe_all(repository, commits)
    except GitError:
        return describe_all(repository, [c for c in commits if repository.objects.exists(c)])


def _find_stray(repository: Repository, commits: Collection[str]) -> set[str]:
    """Those that HEAD does not reach."""
    if not commits:
        return set()
    listed = repository.run("rev-list", *sorted(commits), "--not", "HEAD", "--", check=False).out
    return {*commits} & {*listed.decode().split()}

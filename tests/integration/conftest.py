"""Repositories for the tests that use a real git."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gittraj.git import Repository
from tests.integration.repository import Git

KINDS = {
    "libgit2": ("sha1", "libgit2"),
    "plumbing": ("sha1", "plumbing"),
    "sha256": ("sha256", "auto"),
}


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """An empty repository with a work tree."""
    return Git.init(tmp_path / "repo")


@pytest.fixture(params=KINDS)
def each_git(request: pytest.FixtureRequest, tmp_path: Path) -> Git:
    """The test runs once per way of storing: through libgit2, through git's commands, and with SHA-256."""
    return Git.init(tmp_path / "repo", f"--object-format={KINDS[request.param][0]}")


@pytest.fixture
def repository(request: pytest.FixtureRequest, each_git: Git) -> Iterator[Repository]:
    """The repository of ``each_git``, opened with the backend under test."""
    kind = request.node.callspec.params["each_git"]
    with each_git.open(KINDS[kind][1]) as opened:  # type: ignore[arg-type]
        yield opened

"""What is known of a pull request, whatever its host.

Titles, branches, labels, paths and messages are untrusted data: escape them where they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from github_action.errors import Unreachable

COMMITS, FILES = 250, 3000
"""The most that GitHub lists: https://docs.github.com/en/rest/pulls/pulls (list commits, list files)."""
COMMITS_MOST = 1_000
"""Commits to examine, at most."""
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """``head_repository`` and ``head_url`` (to clone from) are None if the fork was deleted.

    ``merged_as``: the commit that the merge made on the base branch; the last one of a rebase.
    """

    number: int
    title: str
    head: str
    head_repository: str | None
    head_url: str | None
    base: str
    merged_as: str | None
    labels: tuple[str, ...]
    commit_count: int
    file_count: int
    fork: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """``made``: when it was committed, as its committer says."""

    sha: str
    parents: tuple[str, ...]
    message: str
    made: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullDetails:
    """``files``: of each path the hunks, empty where they are too large for the host to show."""

    pull: Pull
    commits: tuple[Commit, ...]
    files: Mapping[str, str]

    @property
    def commits_unlisted(self) -> int:
        """How many GitHub did not list; git has them."""
        return max(0, self.pull.commit_count - len(self.commits))

    @property
    def files_unlisted(self) -> int:
        return max(0, self.pull.file_count - len(self.files))


def check_sha(text: str) -> str:
    """A validated commit id: it goes into links and command lines. Raises Unreachable."""
    if not isinstance(text, str) or not _SHA.fullmatch(text):
        raise Unreachable("the host's answer cannot be read: it has no commit where one belongs")
    return text

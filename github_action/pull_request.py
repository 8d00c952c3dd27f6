"""Reads a pull request from GitHub in few requests: one, plus one for each hundred commits or files. GitHub
lists only 250 commits of a pull request; for more, its base and head are compared.

Titles, branches, labels, paths and messages are untrusted data: escape them where they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from github.Commit import Commit as Listed
from github.PullRequest import PullRequest

from github_action.api import Api, translated
from github_action.errors import ForgeError, Unreachable

COMMITS, FILES = 250, 3000
"""The maximum that GitHub lists: https://docs.github.com/en/rest/pulls/pulls (list commits, list files)."""
COMMITS_MOST = 1_000
"""The maximum number of commits to examine."""
_PAGE = 300
"""Maximum number of files of a commit in one response, https://docs.github.com/en/rest/commits/commits#get-a-commit."""
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request. ``head_repository`` and ``head_url`` (to clone from) are None if the fork was deleted.

    ``merged_as`` is the commit that the merge made on the base branch; after a rebase, the last such commit.
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
    """A commit of a pull request; ``made`` is its committer's date."""

    sha: str
    parents: tuple[str, ...]
    message: str
    made: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullDetails:
    """A pull request with its commits and files. ``files`` maps a path to its hunks, which are empty if they
    are too large for the host to show."""

    pull: Pull
    commits: tuple[Commit, ...]
    files: Mapping[str, str]

    @property
    def commits_unlisted(self) -> int:
        """The number of commits that GitHub did not list; git has them."""
        return max(0, self.pull.commit_count - len(self.commits))

    @property
    def files_unlisted(self) -> int:
        return max(0, self.pull.file_count - len(self.files))


def read_pull(api: Api, number: int) -> Pull:
    """Read a pull request without its commits and files, with one request. Raises ForgeError."""
    with translated(f"reading pull request {number}"):
        return _pull(api.repository.get_pull(number))


def read_details(api: Api, number: int) -> PullDetails:
    """Read a pull request with its commits and files. Raises ForgeError."""
    with translated(f"reading pull request {number}"):
        request = api.repository.get_pull(number)
        pull = _pull(request)
        commits = _compared(api, pull) or _commits(request.get_commits())
        files = {file.filename: file.patch or "" for file in request.get_files()}
    return PullDetails(pull=pull, commits=commits, files=files)


def read_files(api: Api, commit: str) -> tuple[str, ...] | None:
    """The first files that ``commit`` changed, with one request; None on any error, without a retry."""
    try:
        with translated(f"reading commit {commit[:12]}"):
            files = api.repository.get_commit(commit).files
            return tuple(file.filename for file in islice(files, _PAGE))
    except ForgeError:
        return None


def find_pulls(api: Api, *, head: str, branch: str, repository: str) -> tuple[int, ...]:
    """Numbers of the open pull requests from ``branch`` of ``repository`` (OWNER/NAME) whose head still is
    ``head``. The payload of ``workflow_run`` does not have them for forks. Raises ForgeError."""
    owner = repository.partition("/")[0]
    with translated("finding the run's pull request"):
        pulls = api.repository.get_pulls(state="open", head=f"{owner}:{branch}")
        return tuple(
            pull.number
            for pull in pulls
            if pull.head.sha == head and pull.head.repo and pull.head.repo.full_name == repository
        )


def merged_pulls(api: Api, commit: str, *, branch: str) -> tuple[int, ...]:
    """Numbers of the pull requests that merged ``commit`` into ``branch``. Raises ForgeError."""
    with translated(f"finding what merged {commit[:12]}"):
        pulls = api.repository.get_commit(commit).get_pulls()
        return tuple(pull.number for pull in pulls if pull.merged_at and pull.base.ref == branch)


def _compared(api: Api, pull: Pull) -> tuple[Commit, ...]:
    """The commits of a pull request that has more than GitHub lists; empty for any other, or on an error."""
    if pull.commit_count <= COMMITS:
        return ()
    try:
        with translated(f"comparing the ends of pull request {pull.number}"):
            ends = api.repository.compare(pull.base, pull.head, comparison_commits_per_page=100)
            return _commits(islice(ends.commits, COMMITS_MOST))
    except ForgeError:
        return ()


def _commits(listed: Iterable[Listed]) -> tuple[Commit, ...]:
    return tuple(
        Commit(
            sha=check_sha(commit.sha),
            parents=tuple(check_sha(parent.sha) for parent in commit.parents),
            message=commit.commit.message,
            made=commit.commit.committer.date.isoformat(),
        )
        for commit in listed
    )


def _pull(request: PullRequest) -> Pull:
    home = request.head.repo  # None when the fork was deleted, although PyGithub's annotation excludes it
    name = home.full_name if home else None
    return Pull(
        number=request.number,
        title=request.title,
        head=check_sha(request.head.sha),
        head_repository=name,
        head_url=home.clone_url if home else None,
        base=check_sha(request.base.sha),
        merged_as=check_sha(request.merge_commit_sha) if request.merged else None,
        labels=tuple(label.name for label in request.labels),
        commit_count=request.commits,
        file_count=request.changed_files,
        fork=name != request.base.repo.full_name,
    )


def check_sha(text: str) -> str:
    """Return a commit id if it is valid: it will be part of links and command lines. Raises Unreachable."""
    if not isinstance(text, str) or not _SHA.fullmatch(text):
        raise Unreachable("the host's response cannot be read: it has no commit where one belongs")
    return text

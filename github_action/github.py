"""Pull requests of GitHub and its Enterprise Server (https://docs.github.com/en/rest): what of it we use.

GitHub lists only 250 commits of a pull request; for more, its base and head are compared. Titles, branches,
labels, paths and messages are untrusted data: escape them where they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from github_action.comments import Comment
from github_action.errors import ForgeError
from github_action.pull_request import COMMITS, COMMITS_MOST, FILES, Commit, Pull, PullDetails, check_sha
from github_action.rest import Rest, RestThread, readable
from github_action.token import Token

VERSION = "2022-11-28"
"""https://docs.github.com/en/rest/about-the-rest-api/api-versions: without one, GitHub picks it."""
_PAGE = 300
"""Files of one commit in one answer, https://docs.github.com/en/rest/commits/commits#get-a-commit."""
_PULLS = 1_000
_ALL = {"per_page": "100"}


class GitHub:
    """See ``forge.Forge``."""

    hint = "the job needs 'permissions: {contents: read, pull-requests: write}'"

    def __init__(self, rest: Rest, *, server: str, repository: str) -> None:
        self._rest = rest
        self.budget = rest.budget
        self._at = f"/repos/{repository}"

    @staticmethod
    def headers(token: Token) -> dict[str, str]:
        return {"Authorization": f"token {token.reveal()}", "X-GitHub-Api-Version": VERSION}

    def pull(self, number: int) -> Pull:
        doing = f"reading pull request {number}"
        with readable(doing):
            return read_pull(self._rest.get(f"{self._at}/pulls/{number}", doing=doing))

    def head(self, number: int) -> str:
        return self.pull(number).head

    def details(self, number: int) -> PullDetails:
        pull, doing, at = self.pull(number), f"reading pull request {number}", f"{self._at}/pulls/{number}"
        with readable(doing):
            commits = self._compared(pull)
            if not commits:
                commits = _commits(self._rest.pages(f"{at}/commits", doing=doing, most=COMMITS, **_ALL))
            listed = self._rest.pages(f"{at}/files", doing=doing, most=FILES, **_ALL)
            files = {told["filename"]: told.get("patch") or "" for told in listed}
            return PullDetails(pull=pull, commits=commits, files=files)

    def _compared(self, pull: Pull) -> tuple[Commit, ...]:
        """The commits of a pull request with more than GitHub lists; none if it has fewer, or on an error."""
        if pull.commit_count <= COMMITS:
            return ()
        doing, path = "comparing the ends", f"{self._at}/compare/{pull.base}...{pull.head}"
        try:
            with readable(doing):
                told = self._rest.pages(path, doing=doing, most=COMMITS_MOST, of="commits", **_ALL)
                return _commits(told)
        except ForgeError:
            return ()

    def files_of(self, commit: str) -> tuple[str, ...] | None:
        doing = f"reading commit {commit[:12]}"
        try:
            with readable(doing):
                told = self._rest.get(f"{self._at}/commits/{commit}", doing=doing)
                return tuple(file["filename"] for file in told["files"][:_PAGE])
        except ForgeError:
            return None

    def viewer(self) -> str:
        """``github-actions[bot]`` for a workflow's own token, to which ``GET /user`` is closed."""
        doing, asked = "asking who we are", {"query": "query { viewer { login } }", "variables": {}}
        with readable(doing):
            told = self.budget.retry(lambda: self._rest.send("POST", "/graphql", asked, doing=doing))
            return str(told["data"]["viewer"]["login"])

    def thread(self, number: int) -> RestThread:
        at = f"{self._at}/issues"
        return RestThread(
            self._rest, f"{at}/{number}/comments", f"{at}/comments", "PATCH", read_comment, **_ALL
        )

    def relabel(self, number: int, labels: Mapping[str, bool]) -> None:
        doing, at = "setting labels", f"{self._at}/issues/{number}/labels"
        with readable(doing):
            there = {told["name"] for told in self._rest.pages(at, doing=doing, most=_PULLS, **_ALL)}
            new = [name for name, wanted in labels.items() if wanted and name not in there]
            if new:
                self._rest.send("POST", at, {"labels": new}, doing=doing)
            for name, wanted in labels.items():
                if not wanted and name in there:
                    self._rest.delete(f"{at}/{quote(name, safe='')}", doing=doing)

    def find_pulls(self, *, head: str, branch: str, repository: str) -> tuple[int, ...]:
        """Numbers of the open pull requests from ``branch`` of ``repository`` (OWNER/NAME) whose head still
        is ``head``. For ``workflow_run``, whose payload lists none for forks. Raises ForgeError."""
        doing, owner = "finding the run's pull request", repository.partition("/")[0]
        asked = {"state": "open", "head": f"{owner}:{branch}", **_ALL}
        with readable(doing):
            return tuple(
                told["number"]
                for told in self._rest.pages(f"{self._at}/pulls", doing=doing, most=_PULLS, **asked)
                if told["head"]["sha"] == head and (told["head"]["repo"] or {}).get("full_name") == repository
            )

    def merged_pulls(self, commit: str, *, branch: str) -> tuple[int, ...]:
        """Numbers of the pull requests that merged ``commit`` into ``branch``. Raises ForgeError."""
        doing, path = f"finding what merged {commit[:12]}", f"{self._at}/commits/{commit}/pulls"
        with readable(doing):
            listed = self._rest.pages(path, doing=doing, most=_PULLS, **_ALL)
            return tuple(p["number"] for p in listed if p["merged_at"] and p["base"]["ref"] == branch)

    def make_check(self, check: Mapping[str, object]) -> None:
        """A check run. Raises ForgeError."""
        self._rest.send("POST", f"{self._at}/check-runs", check, doing="making a check run")

    def reviewed(self, number: int, author: str) -> set[tuple[str, str]]:
        """Path and text of the review comments by ``author``. Raises ForgeError."""
        doing, path = "listing review comments", f"{self._at}/pulls/{number}/comments"
        names = (author.lower(), f"{author.lower()}[bot]")
        with readable(doing):
            listed = [*self._rest.pages(path, doing=doing, most=_PULLS, **_ALL)]
            return {
                (c["path"], c["body"]) for c in listed if c["user"] and c["user"]["login"].lower() in names
            }

    def review(self, number: int, commit: str, comments: Sequence[Mapping[str, object]]) -> None:
        """One review with these comments. Raises ForgeError."""
        review = {"commit_id": commit, "event": "COMMENT", "comments": comments}
        self._rest.send("POST", f"{self._at}/pulls/{number}/reviews", review, doing="writing review comments")


def read_comment(told: Any) -> Comment:
    author = told["user"]["login"] if told.get("user") else ""  # of a deleted account
    return Comment(id=int(told["id"]), author=author, body=told["body"] or "", url=told["html_url"])


def read_pull(told: Any) -> Pull:
    """Of GitHub, and of Gitea, which counts no commits."""
    head, base = told["head"], told["base"]
    home = head.get("repo")  # None when the fork was deleted
    return Pull(
        number=told["number"],
        title=told["title"],
        head=check_sha(head["sha"]),
        head_repository=home["full_name"] if home else None,
        head_url=home["clone_url"] if home else None,
        base=check_sha(base["sha"]),
        merged_as=check_sha(told["merge_commit_sha"]) if told.get("merged") else None,
        labels=tuple(label["name"] for label in told.get("labels") or ()),
        commit_count=int(told.get("commits") or 0),
        file_count=int(told.get("changed_files") or 0),
        fork=not home or home["full_name"] != base["repo"]["full_name"],
    )


def read_commit(told: Any) -> Commit:
    return Commit(
        sha=check_sha(told["sha"]),
        parents=tuple(check_sha(parent["sha"]) for parent in told["parents"] or ()),
        message=told["commit"]["message"],
        made=told["commit"]["committer"]["date"],
    )


def _commits(listed: Iterable[Any]) -> tuple[Commit, ...]:
    return tuple(read_commit(told) for told in listed)

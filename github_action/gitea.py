"""Reads and writes pull requests of Gitea and Forgejo (https://docs.gitea.com/api,
https://forgejo.org/docs/latest/user/api-usage). Both run Actions like GitHub's, with GitHub's variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from github_action.comments import Comment
from github_action.errors import ForgeError
from github_action.pull_request import COMMITS_MOST, FILES, Commit, Pull, PullDetails, check_sha
from github_action.rest import Rest, RestThread, readable
from github_action.token import Token
from gittraj.query.diff import split_patches

_COLOUR = "#ededed"


class Gitea:
    """One repository on Gitea or Forgejo: see ``forge.Forge``."""

    def __init__(self, rest: Rest, *, server: str, repository: str) -> None:
        self._rest = rest
        self.budget = rest.budget
        self._at = f"/repos/{repository}"
        self._files: dict[str, tuple[str, ...]] = {}

    @staticmethod
    def headers(token: Token) -> dict[str, str]:
        return {"Authorization": f"token {token.reveal()}"} if token else {}

    def details(self, number: int) -> PullDetails:
        doing, at = f"reading pull request {number}", f"{self._at}/pulls/{number}"
        with readable(doing):
            pull = _pull(self._rest.get(at, doing=doing))
            listed = self._rest.pages(
                f"{at}/commits", doing=doing, most=COMMITS_MOST, files="true", verification="false"
            )
            commits = tuple(self._commit(raw) for raw in listed)[::-1]  # Gitea lists the newest first
            names = [raw["filename"] for raw in self._rest.pages(f"{at}/files", doing=doing, most=FILES)]
            patches = split_patches(self._patches(at, doing))
            files = {name: patches.get(name, "") for name in names}
            return PullDetails(pull=pull, commits=commits, files=files)

    def _patches(self, at: str, doing: str) -> str:
        """The diff; empty on an error, since annotating lines is optional."""
        try:
            return self._rest.text(f"{at}.diff", doing=doing).decode("utf-8", "replace")
        except ForgeError:
            return ""

    def _commit(self, raw: Any) -> Commit:
        sha = check_sha(raw["sha"])
        self._files[sha] = tuple(file["filename"] for file in raw.get("files") or ())
        return Commit(
            sha=sha,
            parents=tuple(check_sha(parent["sha"]) for parent in raw["parents"] or ()),
            message=raw["commit"]["message"],
            made=raw["commit"]["committer"]["date"],
        )

    def head(self, number: int) -> str:
        doing = f"reading pull request {number}"
        with readable(doing):
            return check_sha(self._rest.get(f"{self._at}/pulls/{number}", doing=doing)["head"]["sha"])

    def files_of(self, commit: str) -> tuple[str, ...] | None:
        return self._files.get(commit)

    def viewer(self) -> str:
        with readable("asking who we are"):
            return str(self._rest.get("/user", doing="asking who we are")["login"])

    def thread(self, number: int) -> RestThread:
        at = f"{self._at}/issues"
        return RestThread(self._rest, f"{at}/{number}/comments", f"{at}/comments", "PATCH", _comment)

    def relabel(self, number: int, labels: Mapping[str, bool]) -> None:
        doing, at = "setting labels", f"{self._at}/issues/{number}/labels"
        with readable(doing):
            present = {raw["name"]: int(raw["id"]) for raw in self._rest.get(at, doing=doing)}
            new = [name for name, wanted in labels.items() if wanted and name not in present]
            if new:
                self._rest.send("POST", at, {"labels": self._find_labels(new, doing)}, doing=doing)
            for name, label_id in present.items():
                if not labels.get(name, True):
                    self._rest.delete(f"{at}/{label_id}", doing=doing)

    def _find_labels(self, names: list[str], doing: str) -> list[int]:
        """Return the labels' numbers; create labels that the repository does not have."""
        path = f"{self._at}/labels"
        known = {raw["name"]: raw["id"] for raw in self._rest.pages(path, doing=doing, most=1_000)}
        for name in names:
            if name not in known:
                created = self._rest.send("POST", path, {"name": name, "color": _COLOUR}, doing=doing)
                known[name] = created["id"]
        return [int(known[name]) for name in names]


def _comment(raw: Any) -> Comment:
    author = raw["user"]["login"] if raw.get("user") else ""  # null for a deleted account
    return Comment(id=int(raw["id"]), author=author, body=raw["body"] or "", url=raw["html_url"])


def _pull(raw: Any) -> Pull:
    head, base = raw["head"], raw["base"]
    home = head.get("repo")  # None when the fork was deleted
    return Pull(
        number=raw["number"],
        title=raw["title"],
        head=check_sha(head["sha"]),
        head_repository=home["full_name"] if home else None,
        head_url=home["clone_url"] if home else None,
        base=check_sha(base["sha"]),
        merged_as=check_sha(raw["merge_commit_sha"]) if raw.get("merged") else None,
        labels=tuple(label["name"] for label in raw.get("labels") or ()),
        commit_count=0,
        file_count=int(raw.get("changed_files") or 0),
        fork=not home or home["full_name"] != base["repo"]["full_name"],
    )

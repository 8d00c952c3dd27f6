"""Reads and writes merge requests of GitLab (https://docs.gitlab.com/api/merge_requests), and translates a
pipeline's variables into those of a GitHub job.

A job's own token may read git, but not merge requests: they need a project access token.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from github_action.comments import Comment
from github_action.errors import EventError, ForgeError
from github_action.pull_request import COMMITS_MOST, FILES, Commit, Pull, PullDetails, check_sha
from github_action.rest import Rest, RestThread, readable
from github_action.settings import INPUTS, variable
from github_action.token import Token


class GitLab:
    """One project on GitLab: see ``forge.Forge``."""

    def __init__(self, rest: Rest, *, server: str, repository: str) -> None:
        self._rest = rest
        self.budget = rest.budget
        self._repository = repository
        self._web = f"{server}/{repository}/-/merge_requests"
        self._at = f"/projects/{quote(repository, safe='')}"

    @staticmethod
    def headers(token: Token) -> dict[str, str]:
        return {"PRIVATE-TOKEN": token.reveal()} if token else {}

    def details(self, number: int) -> PullDetails:
        doing, at = f"reading merge request {number}", f"{self._at}/merge_requests/{number}"
        with readable(doing):
            raw = self._rest.get(at, doing=doing)
            fork = raw["source_project_id"] != raw["target_project_id"]
            home = (
                self._project(raw["source_project_id"]) if fork else {"path_with_namespace": self._repository}
            )
            listed = self._rest.pages(f"{at}/commits", doing=doing, most=COMMITS_MOST, per_page="100")
            commits = tuple(_commit(each) for each in listed)[::-1]  # GitLab lists the newest first
            diffs = self._rest.pages(f"{at}/diffs", doing=doing, most=FILES, per_page="100")
            files = {diff["new_path"]: diff.get("diff") or "" for diff in diffs}
            return PullDetails(pull=_pull(raw, home, fork=fork), commits=commits, files=files)

    def _project(self, number: int | None) -> Any:
        """The data of a fork's project; empty if it is gone or hidden."""
        try:
            return self._rest.get(f"/projects/{int(number)}", doing="reading the fork") if number else {}
        except ForgeError:
            return {}

    def head(self, number: int) -> str:
        doing = f"reading merge request {number}"
        with readable(doing):
            return check_sha(self._rest.get(f"{self._at}/merge_requests/{number}", doing=doing)["sha"])

    def files_of(self, commit: str) -> tuple[str, ...] | None:
        path, doing = f"{self._at}/repository/commits/{commit}/diff", f"reading commit {commit[:12]}"
        try:
            with readable(doing):
                listed = self._rest.pages(path, doing=doing, most=100, per_page="100")
                return tuple(raw["new_path"] for raw in listed)
        except ForgeError:
            return None

    def viewer(self) -> str:
        with readable("asking who we are"):
            return str(self._rest.get("/user", doing="asking who we are")["username"])

    def thread(self, number: int) -> RestThread:
        at, page = f"{self._at}/merge_requests/{number}/notes", f"{self._web}/{number}"
        order = {"sort": "asc", "order_by": "created_at", "per_page": "100"}
        return RestThread(self._rest, at, at, "PUT", partial(_comment, page), **order)

    def relabel(self, number: int, labels: Mapping[str, bool]) -> None:
        change = {
            "add_labels": [name for name, wanted in labels.items() if wanted],
            "remove_labels": [name for name, wanted in labels.items() if not wanted],
        }
        with readable("setting labels"):
            body = {name: value for name, value in change.items() if value}
            self._rest.send("PUT", f"{self._at}/merge_requests/{number}", body, doing="setting labels")


def _comment(page: str, raw: Any) -> Comment | None:
    """The comment; None if GitLab itself wrote it. ``page`` is the address of the merge request."""
    author, number = raw["author"]["username"], int(raw["id"])
    if raw.get("system"):
        return None
    return Comment(id=number, author=author, body=raw["body"], url=f"{page}#note_{number}")


def _commit(raw: Any) -> Commit:
    return Commit(
        sha=check_sha(raw["id"]),
        parents=tuple(check_sha(parent) for parent in raw.get("parent_ids") or ()),
        message=raw["message"],
        made=raw["committed_date"],
    )


def _pull(raw: Any, home: Any, *, fork: bool) -> Pull:
    head = check_sha(raw["sha"])
    merged = raw.get("merge_commit_sha") or raw.get("squash_commit_sha") or head
    return Pull(
        number=raw["iid"],
        title=raw["title"],
        head=head,
        head_repository=home.get("path_with_namespace"),
        head_url=home.get("http_url_to_repo"),
        base=check_sha((raw.get("diff_refs") or {}).get("base_sha") or head),
        merged_as=check_sha(merged) if raw["state"] == "merged" else None,
        labels=tuple(raw.get("labels") or ()),
        commit_count=0,
        file_count=int((raw.get("changes_count") or "0").rstrip("+")),
        fork=fork,
    )


def as_github(environ: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Translate a GitLab job's variables (https://docs.gitlab.com/ci/variables/predefined_variables) into the
    variables and the event of an equivalent GitHub job. Inputs are variables ``GIT_TRAJ_…``. Raises
    EventError."""

    def text(name: str) -> str:
        if not environ.get(name):
            raise EventError(f"{name} is not set", "run this in a merge request's pipeline of GitLab")
        return environ[name]

    inputs = {f"INPUT_{name}": environ.get(f"GIT_TRAJ_{name}", "") for name in map(variable, INPUTS)}
    path = text("CI_PROJECT_PATH")
    variables = {
        **environ,
        **inputs,
        "GITHUB_API_URL": text("CI_API_V4_URL"),
        "GITHUB_SERVER_URL": text("CI_SERVER_URL"),
        "GITHUB_RUN_ID": text("CI_PIPELINE_ID"),
        "GITHUB_REPOSITORY": environ.get("CI_MERGE_REQUEST_PROJECT_PATH") or path,
        "GITHUB_REPOSITORY_ID": environ.get("CI_MERGE_REQUEST_PROJECT_ID") or text("CI_PROJECT_ID"),
        "GITHUB_WORKFLOW_REF": f"a/b/{environ.get('CI_JOB_NAME', '')}",
        "GITHUB_EVENT_NAME": _event(environ),
        "INPUT_TOKEN": environ.get("GIT_TRAJ_TOKEN", ""),
    }
    if "pull_request" not in variables["GITHUB_EVENT_NAME"]:
        return variables, {}
    sha = environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or text("CI_COMMIT_SHA")
    source = environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH") or path
    request = {
        "number": int(text("CI_MERGE_REQUEST_IID")),
        "head": {"sha": sha, "repo": {"full_name": source}},
    }
    return variables, {"pull_request": request}


def _event(environ: Mapping[str, str]) -> str:
    """The equivalent GitHub event's name. A pipeline that runs in a fork has no token for this project: as on
    ``pull_request``, it can only read."""
    if not environ.get("CI_MERGE_REQUEST_IID"):
        return f"{environ.get('CI_PIPELINE_SOURCE', 'unknown')} pipeline"
    own = environ.get("CI_PROJECT_ID") == environ.get("CI_MERGE_REQUEST_PROJECT_ID")
    return "pull_request_target" if own else "pull_request"

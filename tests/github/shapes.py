"""Answers of GitHub's API for a repository ``acme/app``, made from GitHub's own examples."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.github.description import example

REPOSITORY = "acme/app"
HEAD, BASE = "a" * 40, "b" * 40


@dataclass
class PullState:
    """``head_repository``: None once the fork is deleted; ``server``: where people clone from. ``messages``,
    ``parents``, ``dates`` and ``changed`` files are by commit id, ``patches`` (a file's hunks) by path."""

    number: int = 7
    head: str = HEAD
    branch: str = "topic"
    head_repository: str | None = REPOSITORY
    title: str = "Amazing new feature"
    state: str = "open"
    merged_as: str | None = None
    labels: list[str] = field(default_factory=list)
    commits: list[str] = field(default_factory=lambda: [HEAD])
    files: list[str] = field(default_factory=lambda: ["src/app.py"])
    server: str = "https://github.com"
    base: str = BASE
    messages: dict[str, str] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)
    patches: dict[str, str] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    changed: dict[str, list[str]] = field(default_factory=dict)


def pull_value(url: str, pull: PullState) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("pull-request"), number=pull.number)
    _fill(value, pull)
    value |= {"merged": pull.merged_as is not None, "commits": len(pull.commits)}
    value |= {
        "changed_files": len(pull.files),
        "labels": [value["labels"][0] | {"name": n} for n in pull.labels],
    }
    return value


def simple_value(url: str, pull: PullState) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("pull-request-simple-items")[0], number=pull.number)
    _fill(value, pull)
    return value


def _fill(value: dict[str, Any], pull: PullState) -> None:
    value |= {
        "number": pull.number,
        "title": pull.title,
        "state": pull.state,
        "merge_commit_sha": pull.merged_as,
    }
    value["merged_at"] = "2026-01-02T03:04:05Z" if pull.merged_as else None
    value["base"] |= {"sha": pull.base, "ref": "main"}
    value["head"] |= {"sha": pull.head, "ref": pull.branch, "label": f"x:{pull.branch}"}
    if pull.head_repository is None:
        value["head"]["repo"] = None
    else:
        home = f"{pull.server}/{pull.head_repository}.git"
        value["head"]["repo"] |= {"full_name": pull.head_repository, "clone_url": home}


def commit_value(url: str, sha: str, pull: PullState) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("commit-items")[0])
    value["sha"] = sha
    value["commit"]["message"] = pull.messages.get(sha, f"Commit {sha[:7]}")
    if sha in pull.dates:
        value["commit"]["committer"] |= {"date": pull.dates[sha]}
    if sha in pull.parents:
        value["parents"] = [value["parents"][0] | {"sha": parent} for parent in pull.parents[sha]]
    return value


def whole_commit_value(url: str, sha: str, pull: PullState) -> dict[str, Any]:
    """Return a commit with the files that it changed."""
    value: dict[str, Any] = _localised(url, example("commit")) | commit_value(url, sha, pull)
    return value | {"files": [file_value(path, pull) for path in pull.changed.get(sha, ())]}


def comparison_value(url: str, commits: list[str], pull: PullState) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("commit-comparison"))
    values = [commit_value(url, sha, pull) for sha in commits]
    return value | {"total_commits": len(pull.commits), "ahead_by": len(pull.commits), "commits": values}


def check_value(url: str, asked: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("check-run-example-of-completed-conclusion"))
    return value | {name: asked[name] for name in ("name", "head_sha", "status", "conclusion")}


def review_comment_value(url: str, asked: dict[str, Any], author: str) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("pull-request-review-comment-items")[0])
    value["user"] |= {"login": author}
    return value | {name: asked[name] for name in ("path", "line", "side", "body")}


def review_value(url: str) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("pull-request-review"))
    return value | {"state": "COMMENTED"}


def label_value(name: str) -> dict[str, Any]:
    value: dict[str, Any] = example("label-items")[0] | {"name": name}
    return value


def file_value(path: str, pull: PullState) -> dict[str, Any]:
    """Return a changed file; the path ``NEW<-OLD`` is a renamed one."""
    new, _, old = path.partition("<-")
    value: dict[str, Any] = example("diff-entry-items")[0] | {"filename": new}
    if new in pull.patches:
        value["patch"] = pull.patches[new]
    return value | ({"status": "renamed", "previous_filename": old} if old else {})


def comment_value(url: str, number: int, body: str, *, author: str, number_of_pull: int) -> dict[str, Any]:
    value: dict[str, Any] = _localised(url, example("issue-comment-items")[0])
    value["user"] |= {"login": author, "type": "Bot" if author.endswith("[bot]") else "User"}
    here = f"{url}/repos/{REPOSITORY}/issues"
    return value | {
        "id": number,
        "body": body,
        "url": f"{here}/comments/{number}",
        "issue_url": f"{here}/{number_of_pull}",
        "html_url": f"https://github.com/{REPOSITORY}/pull/{number_of_pull}#issuecomment-{number}",
    }


def _localised(url: str, value: Any, *, number: int = 0) -> Any:
    """Return the example with this server's addresses, our repository's name, and this ``number``."""
    text = json.dumps(value).replace("https://api.github.com", url).replace("octocat/Hello-World", REPOSITORY)
    return json.loads(text.replace("/1347", f"/{number}"))

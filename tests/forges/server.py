"""A GitLab, and a Gitea or Forgejo, with one repository, on loopback. Each request and answer is checked
against the host's description; a test ends with ``violations == []``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from tests.forges.description import Description
from tests.github.faults import Fault
from tests.github.server import BOT, TOKEN
from tests.github.shapes import REPOSITORY, PullState
from tests.integration.services import Asked, Reply, serve

DATE = "2026-01-02T03:04:05Z"


@dataclass
class Forge:
    """A host like ``tests.github.server.GitHub``; a subclass for each kind. ``viewer``: the token's account;
    ``grants``: what the token may write; ``pause`` is called before and after a request is answered."""

    name: ClassVar[str]
    prefix: ClassVar[str]
    viewer: str = BOT
    grants: set[str] = field(default_factory=lambda: {"pull-requests"})
    pulls: dict[int, PullState] = field(default_factory=dict)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    pause: Callable[[], None] = lambda: None
    calls: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    url: str = ""
    _last: int = 100
    _lock: RLock = field(default_factory=RLock)

    def __post_init__(self) -> None:
        self._description = Description(self.name)

    @contextmanager
    def running(self) -> Iterator[Forge]:
        with serve(self.answer) as service:
            self.url = service.url + self.prefix
            yield self

    def add_comment(self, body: str, *, author: str | None = None, number: int = 7) -> int:
        with self._lock:
            self._last += 1
            self.comments[self._last] = self._comment(self._last, body, author or self.viewer, number)
            return self._last

    def bodies(self, author: str | None = None) -> list[str]:
        return [
            c["body"] for _, c in sorted(self.comments.items()) if self._author(c) == (author or self.viewer)
        ]

    def answer(self, request: Asked) -> Reply:
        self.pause()
        with self._lock:
            reply = self._answer(request)
        self.pause()
        return reply

    def _answer(self, request: Asked) -> Reply:
        parts = urlsplit(request.path)
        path, query = parts.path.removeprefix(self.prefix), dict(parse_qsl(parts.query))
        self.calls.append(f"{request.method} {path}")
        match = self._description.find(request.method, path) if parts.path.startswith(self.prefix) else None
        if match is None:
            self.violations.append(f"unknown: {request.method} {request.path}")
            return self._refusal(404)
        route, names = match
        wrong = list(self._description.faults_of_request(route, query, request.body))
        if wrong:
            self.violations += wrong
            return self._refusal(400)
        for fault in self.faults:
            if fault.meets(f"{request.method} {request.path}"):
                if fault.after:
                    self._handle(route, names, query, request)
                return fault.reply
        if not self._may(request):
            return self._refusal(403 if self._token(request) else 401)
        reply = self._handle(route, names, query, request)
        value = reply.value.decode() if isinstance(reply.value, bytes) else reply.value
        self.violations += self._description.faults_of_answer(route, reply.status, value)
        return Reply(reply.status, reply.body, reply.headers)  # as bytes, within the lock

    def _may(self, request: Asked) -> bool:
        token = self._token(request)
        reads = request.method == "GET" and not request.path.endswith("/user")
        return (token is None and reads) or (
            token == TOKEN and (request.method == "GET" or "pull-requests" in self.grants)
        )

    def _change(self, number: int, change: Callable[[], Any], status: int) -> Reply:
        if number not in self.comments:
            return self._refusal(404)
        if self._author(self.comments[number]) != self.viewer:
            return self._refusal(403)
        change()
        return Reply(status, self.comments[number] if status == 200 else b"")

    def _page(self, values: list[Any], query: dict[str, str], request: Asked, *, size: int = 20) -> Reply:
        size, page = min(int(query.get("per_page", size)), 100), int(query.get("page", 1))
        following = f'<{self.url}{urlsplit(request.path).path}?page={page + 1}>; rel="next"'
        headers = {"Link": following} if page * size < len(values) else {}
        return Reply(200, values[(page - 1) * size : page * size], headers)

    def _refusal(self, status: int) -> Reply:
        return Reply(status, {"message": "no", "url": "x"})

    def _token(self, request: Asked) -> str | None:
        raise NotImplementedError

    def _author(self, comment: dict[str, Any]) -> str:
        raise NotImplementedError

    def _comment(self, number: int, body: str, author: str, pull: int) -> dict[str, Any]:
        raise NotImplementedError

    def _handle(self, route: str, names: dict[str, str], query: dict[str, str], request: Asked) -> Reply:
        raise NotImplementedError


@dataclass
class Gitea(Forge):
    name = "gitea"
    prefix = "/api/v1"

    def _token(self, request: Asked) -> str | None:
        return (
            request.headers["authorization"].removeprefix("token ")
            if "authorization" in request.headers
            else None
        )

    def _author(self, comment: dict[str, Any]) -> str:
        return str(comment["user"]["login"])

    def _comment(self, number: int, body: str, author: str, pull: int) -> dict[str, Any]:
        page = f"https://forge.example/{REPOSITORY}/pulls/{pull}"
        user = {"id": 9, "login": author, "full_name": ""}
        pages = {"html_url": f"{page}#issuecomment-{number}", "pull_request_url": page, "issue_url": ""}
        return {"id": number, "body": body, "user": user, "created_at": DATE, "updated_at": DATE} | pages

    def _label(self, name: str) -> dict[str, Any]:
        if name not in self.labels:
            self.labels.append(name)
        return {
            "id": self.labels.index(name) + 1,
            "name": name,
            "color": "ededed",
            "description": "",
            "url": "",
        }

    def _handle(self, route: str, names: dict[str, str], query: dict[str, str], request: Asked) -> Reply:
        verb, _, template = route.partition(" ")
        pull = self.pulls.get(int(names.get("index", 7)))
        if pull is None or (template != "/user" and f"{names['owner']}/{names['repo']}" != REPOSITORY):
            return self._refusal(404)
        match verb, template.rpartition("{repo}")[2]:
            case "GET", "/user":
                return Reply(200, {"id": -2, "login": self.viewer, "full_name": ""})
            case "GET", "/pulls/{index}":
                return Reply(200, self._pull(pull))
            case "GET", "/pulls/{index}.{diffType}":
                head = "diff --git a/{0} b/{0}\nindex 1..2 100644\n--- a/{0}\n+++ b/{0}\n"
                return Reply(200, "".join(head.format(p) + h for p, h in pull.patches.items()).encode())
            case "GET", "/pulls/{index}/commits":
                return self._page([self._commit(sha, pull) for sha in reversed(pull.commits)], query, request)
            case "GET", "/pulls/{index}/files":
                return self._page([self._file(path) for path in pull.files], query, request)
            case "GET", "/issues/{index}/comments":
                return Reply(200, [c for _, c in sorted(self.comments.items())])
            case "POST", "/issues/{index}/comments":
                return Reply(201, self.comments[self.add_comment(request.body["body"])])
            case "GET", "/issues/{index}/labels":
                return Reply(200, [self._label(name) for name in pull.labels])
            case "POST", "/issues/{index}/labels":
                pull.labels += [self.labels[number - 1] for number in request.body["labels"]]
                return Reply(200, [self._label(name) for name in pull.labels])
            case "DELETE", "/issues/{index}/labels/{id}":
                pull.labels.remove(self.labels[int(names["id"]) - 1])
                return Reply(204, b"")
            case "GET", "/labels":
                return self._page([self._label(name) for name in self.labels], query, request)
            case "POST", "/labels":
                return Reply(201, self._label(request.body["name"]))
            case "PATCH", _:
                number = int(names["id"])
                return self._change(number, lambda: self.comments[number].update(request.body), 200)
            case _:
                number = int(names["id"])
                return self._change(number, lambda: self.comments.pop(number), 204)

    def _pull(self, pull: PullState) -> dict[str, Any]:
        def home(name: str | None) -> dict[str, Any] | None:
            return name and {
                "id": 1,
                "full_name": name,
                "clone_url": f"{pull.server}/{name}.git",
                "private": False,
            }

        base, head = home(REPOSITORY), home(pull.head_repository)
        return {
            "number": pull.number, "title": pull.title, "state": pull.state, "draft": False,
            "merged": pull.merged_as is not None, "merge_commit_sha": pull.merged_as,
            "merge_base": pull.base, "changed_files": len(pull.files),
            "labels": [self._label(name) for name in pull.labels],
            "head": {"label": pull.branch, "ref": pull.branch, "sha": pull.head, "repo_id": 1, "repo": head},
            "base": {"label": "main", "ref": "main", "sha": pull.base, "repo_id": 1, "repo": base},
        }  # fmt: skip

    def _commit(self, sha: str, pull: PullState) -> dict[str, Any]:
        made = {"name": "x", "email": "y", "date": pull.dates.get(sha, DATE)}
        return {
            "sha": sha, "parents": [{"sha": parent} for parent in pull.parents.get(sha, ())],
            "commit": {"message": pull.messages.get(sha, "x"), "committer": made},
            "files": [{"filename": path, "status": "modified"} for path in pull.changed.get(sha, ())],
        }  # fmt: skip

    def _file(self, path: str) -> dict[str, Any]:
        return {"filename": path, "status": "changed", "additions": 1, "deletions": 0, "changes": 1}


@dataclass
class GitLab(Forge):
    name = "gitlab"
    prefix = "/api/v4"

    def _token(self, request: Asked) -> str | None:
        return request.headers.get("private-token")

    def _author(self, comment: dict[str, Any]) -> str:
        return str(comment["author"]["username"])

    def _comment(self, number: int, body: str, author: str, pull: int) -> dict[str, Any]:
        user = {"id": 9, "username": author, "name": "git-traj", "state": "active"}
        return {"id": number, "body": body, "author": user, "created_at": DATE, "updated_at": DATE,
                "system": False, "noteable_iid": pull, "internal": False}  # fmt: skip

    def _handle(self, route: str, names: dict[str, str], query: dict[str, str], request: Asked) -> Reply:
        verb, _, template = route.partition(" ")
        pull, number = self.pulls.get(int(names.get("iid", 7))), int(names.get("note_id", 0))
        project = {REPOSITORY: REPOSITORY, "1": REPOSITORY, "2": pull and pull.head_repository}.get(
            names.get("id", "1")
        )
        if pull is None or project is None:
            return self._refusal(404)
        match verb, template.partition("{iid}")[2] or template:
            case "GET", "/user":
                return Reply(200, {"id": 9, "username": self.viewer, "name": "git-traj", "state": "active"})
            case "GET", "/projects/{id}":
                home = f"{pull.server}/{project}.git"
                return Reply(200, {"id": 2, "path_with_namespace": project, "http_url_to_repo": home})
            case "GET", "/projects/{id}/merge_requests/{iid}":
                return Reply(200, self._pull(pull))
            case "PUT", "/projects/{id}/merge_requests/{iid}":
                gone = request.body.get("remove_labels", [])
                new = [name for name in request.body.get("add_labels", []) if name not in pull.labels]
                pull.labels = [name for name in pull.labels if name not in gone] + new
                return Reply(200, self._pull(pull))
            case "GET", "/commits":
                return self._page([self._commit(sha, pull) for sha in reversed(pull.commits)], query, request)
            case "GET", "/diffs":
                return self._page([self._diff(path, pull) for path in pull.files], query, request)
            case "GET", "/projects/{id}/repository/commits/{sha}/diff":
                paths = pull.changed.get(names["sha"], [])
                return self._page([self._diff(path, pull) for path in paths], query, request)
            case "GET", "/notes":
                note = self._comment(1, "assigned to @x", "root", 7) | {"system": True}
                return self._page([note, *(c for _, c in sorted(self.comments.items()))], query, request)
            case "POST", "/notes":
                return Reply(201, self.comments[self.add_comment(request.body["body"])])
            case "PUT", _:
                return self._change(number, lambda: self.comments[number].update(request.body), 200)
            case _:
                return self._change(number, lambda: self.comments.pop(number), 204)

    def _pull(self, pull: PullState) -> dict[str, Any]:
        source = 1 if pull.head_repository == REPOSITORY else 2 if pull.head_repository else None
        state = "merged" if pull.merged_as else {"open": "opened"}.get(pull.state, pull.state)
        return {
            "iid": pull.number, "title": pull.title, "state": state, "draft": False, "sha": pull.head,
            "source_branch": pull.branch, "target_branch": "main", "source_project_id": source,
            "target_project_id": 1, "labels": pull.labels, "merge_commit_sha": pull.merged_as,
            "squash_commit_sha": None, "changes_count": str(len(pull.files)),
            "diff_refs": {"base_sha": pull.base, "head_sha": pull.head, "start_sha": pull.base},
        }  # fmt: skip

    def _commit(self, sha: str, pull: PullState) -> dict[str, Any]:
        message = pull.messages.get(sha, "x")
        made, parents = pull.dates.get(sha, DATE), pull.parents.get(sha, [])
        return {"id": sha, "short_id": sha[:8], "title": message, "message": message,
                "parent_ids": parents, "committed_date": made}  # fmt: skip

    def _diff(self, path: str, pull: PullState) -> dict[str, Any]:
        return {"old_path": path, "new_path": path, "a_mode": "100644", "b_mode": "100644",
                "diff": pull.patches.get(path, ""), "collapsed": False, "too_large": False, "new_file": False,
                "renamed_file": False, "deleted_file": False}  # fmt: skip

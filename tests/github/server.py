"""A GitHub with one repository, on loopback. Its requests and answers are checked against GitHub's
description.

Routes that the description does not have, parameters, bodies and answers that do not match it, and requests
without a version or a token are violations; a test ends with ``violations == []``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from graphql import build_schema, graphql_sync

from tests.github import description
from tests.github.faults import Fault
from tests.github.shapes import (
    PullState,
    check_value,
    comment_value,
    commit_value,
    comparison_value,
    file_value,
    label_value,
    pull_value,
    review_comment_value,
    review_value,
    simple_value,
    whole_commit_value,
)
from tests.integration.services import Asked, Reply, serve

BOT = "github-actions[bot]"
TOKEN = "-".join(("the", "token", "of", "a", "job"))
LONGEST = 65536  # characters of a comment, as GitHub's own error message says
_GRAPHQL = build_schema("type Query { viewer: User! } type User { login: String! databaseId: Int }")


@dataclass
class GitHub:
    """``prefix`` is ``/api/v3`` on an Enterprise Server. ``grants``: the permissions of the token in addition
    to reading. ``pause`` is called before a request is handled and before its answer is sent, outside of any
    lock."""

    prefix: Literal["", "/api/v3"] = ""
    viewer: str = BOT
    grants: set[str] = field(default_factory=lambda: {"pull-requests"})
    pulls: dict[int, PullState] = field(default_factory=dict)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    reviewed: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    pause: Callable[[], None] = lambda: None
    calls: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    url: str = ""
    _last: int = 100
    _lock: RLock = field(default_factory=RLock)

    @contextmanager
    def running(self) -> Iterator[GitHub]:
        with serve(self.answer) as service:
            self.url = service.url + self.prefix
            yield self

    def add_comment(self, body: str, *, author: str = BOT, number: int = 7) -> int:
        with self._lock:
            self._last += 1
            self.comments[self._last] = comment_value(
                self.url, self._last, body, author=author, number_of_pull=number
            )
            return self._last

    def bodies(self, author: str = BOT) -> list[str]:
        return [c["body"] for _, c in sorted(self.comments.items()) if c["user"]["login"] == author]

    def answer(self, request: Asked) -> Reply:
        self.pause()
        with self._lock:
            reply = self._answer(request)
        self.pause()
        return reply

    def _answer(self, request: Asked) -> Reply:
        parts = urlsplit(request.path)
        self.calls.append(f"{request.method} {parts.path.removeprefix(self.prefix)}")
        if request.headers.get("authorization") not in (f"token {TOKEN}", f"Bearer {TOKEN}"):
            return _refusal(401, "Bad credentials")
        if parts.path == ("/api/graphql" if self.prefix else "/graphql"):
            return self._faulty(request, lambda: self._graphql(request))
        route = description.find(request.method, parts.path.removeprefix(self.prefix))
        if route is None or not parts.path.startswith(self.prefix):
            self.violations.append(f"unknown: {request.method} {request.path}")
            return _refusal(404, "Not Found")
        query = dict(parse_qsl(parts.query))
        wrong = [*route.faults_of_request(query, request.body)]
        if request.headers.get("x-github-api-version") != "2022-11-28":
            wrong.append("no version")
        if wrong:
            self.violations += wrong
            return _refusal(400, "Bad Request")
        return self._faulty(request, lambda: self._route(route, query, request))

    def _faulty(self, request: Asked, answer: Callable[[], Reply]) -> Reply:
        for fault in self.faults:
            if fault.meets(f"{request.method} {request.path}"):
                if fault.after:
                    answer()
                return fault.reply
        return answer()

    def _graphql(self, request: Asked) -> Reply:
        root = {"viewer": {"login": self.viewer, "databaseId": 41898282}}
        done = graphql_sync(_GRAPHQL, request.body["query"], root, variable_values=request.body["variables"])
        if done.errors:
            self.violations.append(str(done.errors))
        return Reply(200, done.formatted)

    def _route(self, route: description.Route, query: dict[str, str], request: Asked) -> Reply:
        reply = self._handle(route, query, request)
        if reply.status < 400:
            self.violations += route.faults_of_answer(
                reply.status, None if reply.value == b"" else reply.value
            )
        # the reply as bytes, made within the lock: its comments may change before it is sent
        return Reply(reply.status, reply.body, reply.headers)

    def _handle(self, route: description.Route, query: dict[str, str], request: Asked) -> Reply:
        number = int(route.names.get("pull_number") or route.names.get("issue_number") or 0)
        found = int(route.names.get("comment_id", 0))
        if (number and number not in self.pulls) or (found and found not in self.comments):
            return _refusal(404, "Not Found")
        wanted = "checks" if route.template.endswith("/check-runs") else "pull-requests"
        if route.method != "get" and wanted not in self.grants:
            return _refusal(403, "Resource not accessible by integration")
        if request.body and len(request.body.get("body", "")) > LONGEST:
            return _invalid(f"body is too long (maximum is {LONGEST} characters)")
        match route.method, route.template.rpartition("{repo}")[2]:
            case "get", "/pulls/{pull_number}":
                return Reply(200, pull_value(self.url, self.pulls[number]))
            case "get", "/pulls/{pull_number}/commits":
                pull = self.pulls[number]
                return self._page(
                    [commit_value(self.url, sha, pull) for sha in pull.commits[:250]], query, request
                )
            case "get", "/pulls/{pull_number}/files":
                return self._page(
                    [file_value(path, self.pulls[number]) for path in self.pulls[number].files[:3000]],
                    query,
                    request,
                )
            case "get", "/pulls":
                wanted = [p for p in self.pulls.values() if _is_asked_for(p, query)]
                return self._page([simple_value(self.url, p) for p in wanted], query, request)
            case "get", "/compare/{basehead}":
                for pull in self.pulls.values():
                    if route.names["basehead"] == f"{pull.base}...{pull.head}":
                        page = self._page(pull.commits, query, request)
                        return Reply(200, comparison_value(self.url, page.value, pull), page.headers)
                return _refusal(404, "Not Found")
            case "get", "/commits/{ref}":
                for pull in self.pulls.values():
                    if route.names["ref"] in pull.commits:
                        return Reply(200, whole_commit_value(self.url, route.names["ref"], pull))
                return _refusal(404, "Not Found")
            case "get", "/commits/{commit_sha}/pulls":
                sha = route.names["commit_sha"]
                wanted = [p for p in self.pulls.values() if sha in (p.merged_as, *p.commits)]
                return self._page([simple_value(self.url, p) for p in wanted], query, request)
            case "get", "/issues/{issue_number}/comments":
                there = [c for _, c in sorted(self.comments.items()) if c["issue_url"].endswith(f"/{number}")]
                return self._page(there, query, request)
            case "post", "/check-runs":
                self.checks.append(request.body)
                return Reply(201, check_value(self.url, request.body))
            case "get", "/pulls/{pull_number}/comments":
                comments = [review_comment_value(self.url, each, self.viewer) for each in self.reviewed]
                return self._page(comments, query, request)
            case "post", "/pulls/{pull_number}/reviews":
                self.reviewed += request.body["comments"]
                return Reply(200, review_value(self.url))
            case "get", "/issues/{issue_number}/labels":
                return self._page([label_value(name) for name in self.pulls[number].labels], query, request)
            case "post", "/issues/{issue_number}/labels":
                labels = self.pulls[number].labels
                labels += [name for name in request.body["labels"] if name not in labels]
                return Reply(200, [label_value(name) for name in labels])
            case "delete", "/issues/{issue_number}/labels/{name}":
                self.pulls[number].labels.remove(unquote(route.names["name"]))
                return Reply(200, [label_value(name) for name in self.pulls[number].labels])
            case "post", _:
                made = self.add_comment(request.body["body"], author=self.viewer, number=number)
                return Reply(201, self.comments[made])
            case "patch", _:
                return self._change(found, lambda: self.comments[found].update(request.body), 200)
            case _:
                return self._change(found, lambda: self.comments.pop(found), 204)

    def _change(self, number: int, change: Callable[[], Any], status: int) -> Reply:
        if self.comments[number]["user"]["login"] != self.viewer:
            return _refusal(403, "Resource not accessible by integration")
        change()
        return Reply(status, self.comments[number] if status == 200 else b"")

    def _page(self, values: list[Any], query: dict[str, str], request: Asked) -> Reply:
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        headers = {}
        if page * size < len(values):
            address = f"{self.url.removesuffix(self.prefix)}{urlsplit(request.path).path}"
            rest = "".join(f"&{k}={v}" for k, v in query.items() if k not in ("page", "per_page"))
            headers["Link"] = f'<{address}?per_page={size}&page={page + 1}{rest}>; rel="next"'
        return Reply(200, values[(page - 1) * size : page * size], headers)


def _is_asked_for(pull: PullState, query: dict[str, str]) -> bool:
    owner = (pull.head_repository or "").partition("/")[0]
    open_enough = query.get("state", "open") == "all" or pull.state == query.get("state", "open")
    return open_enough and query.get("head", "") in ("", f"{owner}:{pull.branch}")


def _refusal(status: int, message: str) -> Reply:
    return Reply(
        status, {"message": message, "documentation_url": "https://docs.github.com", "status": str(status)}
    )


def _invalid(message: str) -> Reply:
    error = {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": message}
    return Reply(422, {"message": "Validation Failed", "documentation_url": "x", "errors": [error]})

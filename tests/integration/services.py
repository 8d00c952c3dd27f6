"""Local stand-ins for task services: each checks requests against the service's published API.

GitHub: https://docs.github.com/en/rest/issues/issues; Jira: https://developer.atlassian.com/cloud/jira/platform/
rest/v2/api-group-issues; Linear: the schema of its API; the types used here are below.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jsonschema
from graphql import GraphQLError, build_schema, graphql_sync

KEY = "-".join(("a", "key", "of", "a", "service"))


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a service received."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """``drip`` yields the body in fragments, if it is to arrive slowly."""

    status: int
    value: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: Callable[[], Iterator[bytes]] | None = None

    @property
    def body(self) -> bytes:
        return self.value if isinstance(self.value, bytes) else json.dumps(self.value).encode()


Answering = Callable[[Asked], Reply]


@dataclass
class Service:
    """A running service: the requests so far, and the function that answers them."""

    url: str
    answer: Answering
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def serve(answer: Answering) -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            asked = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            service.asked.append(asked)
            reply = service.answer(asked)
            try:
                self.send_response(reply.status)
                headers = {"Content-Type": "application/json", "Content-Length": str(len(reply.body))}
                for name, value in (headers | dict(reply.headers)).items():
                    self.send_header(name, value)
                self.end_headers()
                for part in reply.drip() if reply.drip else (reply.body,):
                    self.wfile.write(part)
            except OSError:
                pass  # the client closed the connection

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = Service(f"http://127.0.0.1:{server.server_port}", answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


ISSUE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["url", "number", "title", "state", "html_url"],
    "properties": {
        "url": {"type": "string"},
        "html_url": {"type": "string"},
        "number": {"type": "integer"},
        "title": {"type": "string"},
        "state": {"enum": ["open", "closed"]},
        "state_reason": {"enum": [None, "completed", "reopened", "not_planned", "duplicate"]},
        "pull_request": {"type": "object", "required": ["url", "html_url", "diff_url", "patch_url"]},
    },
}
UPDATE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "title": {"type": ["string", "integer", "null"]},
        "state": {"enum": ["open", "closed"]},
        "state_reason": {"enum": ["completed", "not_planned", "duplicate", "reopened", None]},
    },
}


def github(issues: dict[int, dict[str, Any]]) -> Answering:
    """GitHub with the issues of acme/app, by their numbers."""

    def answer(asked: Asked) -> Reply:
        if asked.headers.get("authorization") not in (f"token {KEY}", f"Bearer {KEY}", None):
            return Reply(401, {"message": "Bad credentials", "documentation_url": "x", "status": "401"})
        found = re.fullmatch(r"/repos/acme/app/issues/(\d+)", asked.path)
        issue = issues.get(int(found[1])) if found else None
        if issue is None:
            return Reply(404, {"message": "Not Found", "documentation_url": "x", "status": "404"})
        if asked.method == "PATCH":
            jsonschema.validate(asked.body, UPDATE_SCHEMA)
            issue.update(asked.body)
        jsonschema.validate(issue, ISSUE_SCHEMA)
        return Reply(200, issue)

    return answer


def jira(issues: Mapping[str, tuple[str, str]], *, user: str | None = None) -> Answering:
    """Jira (Cloud with ``user``, else Data Center) with summaries and statuses of issues by their keys."""
    basic = base64.b64encode(f"{user}:{KEY}".encode()).decode()
    wanted = f"Basic {basic}" if user else f"Bearer {KEY}"

    def answer(asked: Asked) -> Reply:
        found = re.fullmatch(r"/base/rest/api/2/issue/([^/?]+)\?fields=summary,status", asked.path)
        assert found, asked.path
        assert asked.method == "GET"
        authorization = asked.headers.get("authorization")
        wrong = authorization not in (wanted, None)
        if wrong and not user:
            return Reply(401, b"<html>Unauthorized</html>")
        if wrong or authorization is None or found[1] not in issues:
            why = "Issue does not exist or you do not have permission to see it."
            headers = {"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"} if wrong else {}
            return Reply(404, {"errorMessages": [why], "errors": {}}, headers)
        summary, status = issues[found[1]]
        category = {"id": 1, "key": "done" if status == "Done" else "indeterminate", "self": "x"}
        state = {"id": "3", "name": status, "self": "x", "statusCategory": category}
        fields = {"summary": summary, "status": state}
        return Reply(200, {"id": "10002", "key": found[1], "self": "x", "fields": fields})

    return answer


LINEAR = build_schema("""
    type Query { issue(id: String!): Issue! }
    type Mutation { issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload! }
    type Issue { id: ID! identifier: String! title: String! url: String! state: WorkflowState! team: Team! }
    type WorkflowState { id: ID! name: String! type: String! position: Float! }
    type Team {
        id: ID!
        key: String!
        states(after: String, filter: WorkflowStateFilter, first: Int): WorkflowStateConnection!
    }
    type WorkflowStateConnection { nodes: [WorkflowState!]! }
    input WorkflowStateFilter { name: StringComparator, type: StringComparator }
    input StringComparator { eq: String, in: [String!] }
    input IssueUpdateInput { stateId: String, title: String }
    type IssuePayload { success: Boolean!, lastSyncId: Float!, issue: Issue }
""")
_PROBLEMS = {
    "AUTHENTICATION_ERROR": (401, "Authentication required, not authenticated"),
    "INPUT_ERROR": (200, "Entity not found: Issue"),
    "RATELIMITED": (400, "Rate limit exceeded"),
}


def linear_problem(code: str) -> Reply:
    status, message = _PROBLEMS[code]
    return Reply(status, {"data": None, "errors": [{"message": message, "extensions": {"code": code}}]})


@dataclass
class Workspace:
    """Linear with one issue, ENG-456, of a team with these states: id -> type, name, position."""

    states: dict[str, tuple[str, str, float]]
    state: str
    title: str = "Add login"
    url: str = "https://linear.app/acme/issue/ENG-456/add-login"

    def answer(self, asked: Asked) -> Reply:
        assert (asked.method, asked.path) == ("POST", "/graphql")
        assert asked.headers["content-type"] == "application/json"
        if asked.headers.get("authorization") != KEY:
            return linear_problem("AUTHENTICATION_ERROR")
        root = {"issue": self._issue, "issueUpdate": self._update}
        done = graphql_sync(LINEAR, asked.body["query"], root, variable_values=asked.body["variables"])
        if done.errors and done.errors[0].extensions != {"code": "INPUT_ERROR"}:
            raise AssertionError(done.errors)
        return linear_problem("INPUT_ERROR") if done.errors else Reply(200, done.formatted)

    def _issue(self, _: Any, id: str) -> dict[str, Any]:  # noqa: A002
        if id not in ("ENG-456", "uuid-of-456"):
            raise GraphQLError("Entity not found: Issue", extensions={"code": "INPUT_ERROR"})
        team = {"id": "uuid-of-eng", "key": "ENG", "states": self._states}
        return {"id": "uuid-of-456", "identifier": "ENG-456", "title": self.title, "url": self.url,
                "state": self._state(self.state), "team": team}  # fmt: skip

    def _states(self, _: Any, filter: dict[str, Any], **_rest: Any) -> dict[str, Any]:  # noqa: A002
        wanted = filter["type"]["eq"]
        return {"nodes": [self._state(key) for key, state in self.states.items() if state[0] == wanted]}

    def _state(self, id: str) -> dict[str, Any]:  # noqa: A002
        return {"id": id, **dict(zip(("type", "name", "position"), self.states[id], strict=True))}

    def _update(self, info: Any, id: str, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002
        issue = self._issue(info, id)
        self.state = input["stateId"]
        return {"success": True, "lastSyncId": 1.0, "issue": issue}

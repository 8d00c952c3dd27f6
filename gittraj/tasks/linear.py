"""Looks up and moves Linear's issues, with the GraphQL API (https://linear.app/developers/graphql).

``issue`` and ``issueUpdate`` accept an identifier such as ``ENG-456`` as the id. The header ``Authorization``
is a personal key, or ``Bearer`` and an OAuth token. After too many requests the answer has status 400 and the
code ``RATELIMITED``; for an unknown issue, status 200 and ``INPUT_ERROR``.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from gittraj.errors import TaskError
from gittraj.model.values import TaskSource
from gittraj.tasks import wire
from gittraj.tasks.naming import find_key, parse_key
from gittraj.tasks.system import Known, Site, Status, one_line

name = "linear"
local = False  # only the environment shows that the system is in use
KEY = "LINEAR_API_KEY"
URL = "LINEAR_API_URL"
variables = (KEY, URL)
_API = "https://api.linear.app/graphql"
_ADDRESS = re.compile(
    r"https://linear\.app/([\w-]+)/issue/([A-Za-z][A-Za-z0-9]{0,9}-\d+)(?:[/?#]\S*)?", re.ASCII
)
_ISSUE = "query Issue($id: String!) { issue(id: $id) { title url state { name type } } }"
_STATES = """query States($id: String!, $type: String!) { issue(id: $id) { id state { type }
team { states(filter: {type: {eq: $type}}) { nodes { id position } } } } }"""
_MOVE = """mutation Move($id: String!, $state: String!) {
issueUpdate(id: $id, input: {stateId: $state}) { success } }"""


def is_here(site: Site) -> bool:
    return site.variable(KEY) is not None


def parse(text: str, site: Site, *, named: bool = False) -> TaskSource | None:
    if match := _ADDRESS.fullmatch(text):
        key = match[2].upper()
        return TaskSource(system=name, id=key, url=f"https://linear.app/{match[1]}/issue/{key}")
    return _source(parse_key(text, loose=named))


def find(branch: str, site: Site) -> TaskSource | None:
    return _source(find_key(branch, small=True))


def _source(key: str | None) -> TaskSource | None:
    return TaskSource(system=name, id=key) if key else None


def fetch(source: TaskSource, site: Site, *, timeout: float) -> Known:
    issue = _issue(_query(_ISSUE, {"id": source.id}, site, timeout))
    title, url, state = issue.get("title"), issue.get("url"), issue.get("state")
    if not isinstance(title, str):
        raise wire.unreadable(name)
    state = state if isinstance(state, dict) else {}
    status, kind = state.get("name"), state.get("type")
    is_linear = isinstance(url, str) and urlsplit(url)[:2] == ("https", "linear.app")
    return Known(
        title=title,
        url=url if is_linear else None,
        status=status if isinstance(status, str) else None,
        begun=kind == "started",
        closed=kind in ("completed", "canceled"),
        dropped=kind == "canceled",
    )


def report(source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
    """Move the issue to the team's first workflow state of the type ``status``: types are the same for all
    teams, while each team names its own states."""
    issue = _issue(_query(_STATES, {"id": source.id, "type": status}, site, timeout))
    try:
        if issue["state"]["type"] == status:
            return
        states = sorted((float(s["position"]), str(s["id"])) for s in issue["team"]["states"]["nodes"])
        uuid = str(issue["id"])
    except (KeyError, TypeError, ValueError):
        raise wire.unreadable(name) from None
    if not states:
        why = f"in Linear, {one_line(source.id, 80)}'s team has no workflow state of type '{status}'"
        raise TaskError(why, reason="unsupported")
    moved = _query(_MOVE, {"id": uuid, "state": states[0][1]}, site, timeout).get("issueUpdate")
    if not isinstance(moved, dict) or moved.get("success") is not True:
        raise wire.unreadable(name)


def _issue(data: dict[str, Any]) -> dict[str, Any]:
    issue = data.get("issue")
    if not isinstance(issue, dict):
        raise wire.unreadable(name)
    return issue


def _query(query: str, values: dict[str, str], site: Site, timeout: float) -> dict[str, Any]:
    """Send a query and return the data of its answer. Raises TaskError, also if the answer has errors."""
    key = site.variable(KEY)
    if key is None:
        where = "create one at linear.app/settings/account/security"
        raise TaskError(f"{KEY} is not set, so Linear was not called", where, reason="key")
    headers = {"Authorization": f"Bearer {key}" if key.startswith("lin_oauth_") else key}
    body = {"query": query, "variables": values}
    url = site.variable(URL) or _API
    answer = wire.ask(url, service=name, key=KEY, headers=headers, body=body, timeout=timeout)
    codes = _codes(answer) if answer.status in (200, 400, 401, 403) else set()
    task = values["id"]
    if "RATELIMITED" in codes:
        raise wire.limited(name, answer.headers.get("retry-after"))
    if codes & {"AUTHENTICATION_ERROR", "FORBIDDEN"}:
        raise wire.wrong_key(name, KEY)
    if "INPUT_ERROR" in codes:
        raise wire.unknown(name, task)
    if answer.status != 200:
        raise wire.refusal(answer, service=name, key=KEY, task=task)
    data = answer.value(name).get("data")
    if codes or not isinstance(data, dict):
        raise wire.unreadable(name)
    return data


def _codes(answer: wire.Answer) -> set[str]:
    """The codes of an answer's errors; an error without one has an empty code."""
    try:
        errors = answer.value(name).get("errors") or []
    except TaskError:
        return set()  # not Linear's, such as a proxy's page: the status says more
    if not isinstance(errors, list):
        return {""}
    extensions = (e.get("extensions") if isinstance(e, dict) else None for e in errors)
    return {str(fields.get("code", "")) if isinstance(fields, dict) else "" for fields in extensions}

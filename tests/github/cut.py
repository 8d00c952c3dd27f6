"""Makes ``data/openapi.json``: GitHub's description of its API, cut to the routes that the pull request bot
calls.

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
    python -m tests.github.cut package/generated/api.github.com.json > tests/github/data/openapi.json

and ``data/events.json``: GitHub's examples of the events that start a workflow, the first of each kind,
without links, counts and times:

    npm pack @octokit/webhooks-examples@7.6.1 && tar xzf octokit-webhooks-examples-7.6.1.tgz
    python -m tests.github.cut package/api.github.com/index.json > tests/github/data/events.json

The description is GitHub's (https://github.com/github/rest-api-description, MIT). Prose is left out,
OpenAPI 3.0's ``nullable`` becomes JSON Schema's null, a head's repository may be null, and two of GitHub's
examples that break GitHub's schema are mended.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_REPO = "/repos/{owner}/{repo}"
ROUTES = {
    f"{_REPO}/pulls": ("get",),
    f"{_REPO}/pulls/{{pull_number}}": ("get",),
    f"{_REPO}/pulls/{{pull_number}}/commits": ("get",),
    f"{_REPO}/pulls/{{pull_number}}/files": ("get",),
    f"{_REPO}/commits/{{ref}}": ("get",),
    f"{_REPO}/commits/{{commit_sha}}/pulls": ("get",),
    f"{_REPO}/compare/{{basehead}}": ("get",),
    f"{_REPO}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{_REPO}/issues/comments/{{comment_id}}": ("patch", "delete"),
    f"{_REPO}/issues/{{issue_number}}/labels": ("get", "post"),
    f"{_REPO}/issues/{{issue_number}}/labels/{{name}}": ("delete",),
    f"{_REPO}/check-runs": ("post",),
    f"{_REPO}/pulls/{{pull_number}}/comments": ("get",),
    f"{_REPO}/pulls/{{pull_number}}/reviews": ("post",),
}
_PROSE = (
    "description",
    "summary",
    "title",
    "externalDocs",
    "x-github",
    "tags",
    "example",
    "format",
    "x-multi-segment",
)


def cut(whole: dict[str, Any]) -> dict[str, Any]:
    paths = {
        path: {method: _operation(whole["paths"][path][method]) for method in methods}
        for path, methods in ROUTES.items()
    }
    components: dict[str, dict[str, Any]] = {}
    waiting = list(_references(paths))
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name not in components.setdefault(kind, {}):
            found = whole["components"][kind][name]
            components[kind][name] = found if kind == "examples" else _plain(found)
            waiting += _references(components[kind][name])
    _mend(components["examples"])
    for request in ("pull-request", "pull-request-simple"):  # null if the fork is gone, as in the events
        head = components["schemas"][request]["properties"]["head"]["properties"]
        head["repo"] = {"anyOf": [head["repo"], {"type": "null"}]}
    source = f"npm @octokit/openapi {whole['info']['version']}, generated/api.github.com.json"
    return {"info": {"source": source, "license": "MIT"}, "paths": paths, "components": components}


def _operation(operation: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = _plain(
        {k: operation[k] for k in ("parameters", "requestBody", "responses") if k in operation}
    )
    return kept


def _plain(value: Any, *, names: bool = False) -> Any:
    """Return ``value`` without prose. With ``names``, its keys are names of properties, and all are kept."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {k: _plain(v, names=k == "properties") for k, v in value.items() if names or k not in _PROSE}
    return kept if names or not kept.pop("nullable", False) else {"anyOf": [kept, {"type": "null"}]}


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _references(item)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from _references(item)


def _mend(examples: dict[str, Any]) -> None:
    for request in (examples["pull-request"]["value"], *examples["pull-request-simple-items"]["value"]):
        for team in request["requested_teams"]:
            team["type"] = "organization"
    for side in ("head", "base"):
        examples["pull-request"]["value"][side]["repo"]["language"] = "Python"


def cut_events(examples: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the first example of each ``event`` or ``event/action``."""
    source = "npm @octokit/webhooks-examples 7.6.1, api.github.com/index.json"
    found: dict[str, Any] = {"info": {"source": source, "license": "MIT"}}
    for event in examples:
        for payload in event["examples"] if event["name"] in _EVENTS else ():
            name = "/".join(filter(None, (event["name"], payload.get("action"))))
            found.setdefault(name, _shortened(payload))
    return found


_EVENTS = ("pull_request", "workflow_run", "push", "workflow_dispatch", "merge_group")


def _shortened(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {k: _shortened(v) for k, v in value.items() if not k.endswith(("_url", "_links", "_count", "_at"))}


if __name__ == "__main__":
    read = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    done = cut_events(read) if isinstance(read, list) else cut(read)
    json.dump(done, sys.stdout, separators=(",", ":"), sort_keys=True)
    sys.stdout.write("\n")

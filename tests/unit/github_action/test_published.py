"""The tests' descriptions of GitLab, Gitea and Forgejo, compared with what the hosts publish."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.forges.published import Published

_FORGES = Path(__file__).parents[2] / "forges" / "data"
PUBLISHED = {
    "gitlab.yaml": ("gitlab", "/api/v4"),  # doc/api/openapi/openapi_v3.yaml of gitlab-org/gitlab
    "gitea.json": ("gitea", ""),  # swagger.v1.json of an installation
    "forgejo.json": ("gitea", ""),
}


def ours(name: str) -> Any:
    return yaml.safe_load((_FORGES / f"{name}.yml").read_text("utf-8"))


@pytest.mark.parametrize("file", PUBLISHED)
def test_our_description_equals_what_the_host_publishes(file: str) -> None:
    path = Path(os.environ.get("GIT_TRAJ_E2E_APIS", "")) / file
    if not path.is_file():
        pytest.skip(f"GIT_TRAJ_E2E_APIS does not name a folder with {file}")
    name, prefix = PUBLISHED[file]
    published = yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    assert list(Published(published, prefix).differences(ours(name))) == []


def test_a_difference_is_named() -> None:
    note = {"type": "object", "properties": {"id": {"type": "string"}}}
    answers = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}}}
    get = {
        "parameters": [{"in": "query", "name": "page", "schema": {"type": "integer"}}],
        "responses": answers,
    }
    published = {"paths": {"/api/notes/{id}": {"get": get}}, "components": {"schemas": {"Note": note}}}
    item = {"type": "object", "properties": {"id": {"type": "integer"}, "body": {"type": "string"}}}
    routes = {
        "GET /notes/{number}": {
            "query": {"page": {"type": "integer"}, "sort": {"type": "string"}},
            "answers": {200: {"type": "array", "items": item}},
        },
        "DELETE /notes/{number}": {"answers": {204: {}}},
    }
    assert list(Published(published, "/api").differences({"routes": routes, "schemas": {}})) == [
        "GET /notes/{number} query.sort is not there",
        "GET /notes/{number} 200[].id is string, not integer",
        "GET /notes/{number} 200[].body is not there",
        "DELETE /notes/{number} is not there",
    ]

"""GitHub's description of its API (``data/openapi.json``, made by ``cut``), to check requests and answers
against."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

DESCRIPTION: dict[str, Any] = json.loads(
    Path(__file__).with_name("data").joinpath("openapi.json").read_text("utf-8")
)
_ROOT = "urn:github"
_REGISTRY: Registry[Any] = Registry().with_resource(_ROOT, DRAFT202012.create_resource(DESCRIPTION))


def example(name: str) -> Any:
    """Return a copy of one of GitHub's own examples."""
    return json.loads(json.dumps(DESCRIPTION["components"]["examples"][name]["value"]))


@dataclass(frozen=True, slots=True)
class Route:
    template: str
    method: str
    names: Mapping[str, str]

    @property
    def _operation(self) -> dict[str, Any]:
        operation: dict[str, Any] = DESCRIPTION["paths"][self.template][self.method]
        return operation

    def faults_of_request(self, query: Mapping[str, str], body: Any) -> Iterator[str]:
        allowed = {p["name"]: p for p in map(_resolved, self._operation["parameters"]) if p["in"] == "query"}
        for name, value in query.items():
            if name not in allowed:
                yield f"{self.template} has no parameter {name}"
            else:
                yield from _faults(allowed[name]["schema"], int(value) if value.isdecimal() else value)
        wanted = self._operation.get("requestBody")
        if wanted is None:
            yield from [f"{self.method} {self.template} takes no body"] if body is not None else []
            return
        schema = wanted["content"]["application/json"]["schema"]
        closed = {} if "oneOf" in schema else {"additionalProperties": False}
        yield from _faults({**schema, **closed}, body)

    def faults_of_answer(self, status: int, body: Any) -> Iterator[str]:
        answers = self._operation["responses"]
        if str(status) not in answers:
            yield f"{self.method} {self.template} does not answer {status}"
            return
        content = _resolved(answers[str(status)]).get("content")
        if content is None:
            yield from [f"{status} has no body"] if body is not None else []
        else:
            yield from _faults(content["application/json"]["schema"], body)


def find(method: str, path: str) -> Route | None:
    for template, methods in DESCRIPTION["paths"].items():
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(template))
        match = re.fullmatch(pattern, path)
        if match and method.lower() in methods:
            return Route(template, method.lower(), match.groupdict())
    return None


def _resolved(value: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in value:
        return value
    _, _, kind, name = value["$ref"].split("/")
    component: dict[str, Any] = DESCRIPTION["components"][kind][name]
    return component


def _faults(schema: Any, value: Any) -> list[str]:
    """Return the faults of ``value``; cached, as a test of races requests a pull request again and again."""
    return list(_checked(json.dumps(schema), json.dumps(value)))


@functools.lru_cache(maxsize=512)
def _checked(schema: str, value: str) -> tuple[str, ...]:
    rooted = json.loads(schema.replace('"#/components/', f'"{_ROOT}#/components/'))
    errors = Draft202012Validator(rooted, registry=_REGISTRY).iter_errors(json.loads(value))
    return tuple(f"{error.json_path}: {error.message[:200]}" for error in errors)

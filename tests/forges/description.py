"""Checks requests and answers against our descriptions of a host's API (``data/*.yml``, which name their
sources)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml
from jsonschema import Draft202012Validator


class Description:
    def __init__(self, name: str) -> None:
        data = yaml.safe_load(Path(__file__).with_name("data").joinpath(f"{name}.yml").read_text("utf-8"))
        self._schemas: dict[str, Any] = data["schemas"]
        self._routes: dict[str, Any] = data["routes"]

    def find(self, method: str, path: str) -> tuple[str, dict[str, str]] | None:
        """Return a path's route, and the values of its parameters by name; None if there is no such route."""
        # "pulls/{index}.{diffType}" comes before "pulls/{index}", which would match "pulls/7.diff", too
        for route in sorted(self._routes, key=lambda each: "{index}." not in each):
            verb, _, template = route.partition(" ")
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+?)", re.escape(template))
            match = re.fullmatch(pattern, path)
            if verb == method and match:
                return route, {name: unquote(value) for name, value in match.groupdict().items()}
        return None

    def faults_of_request(self, route: str, query: Mapping[str, str], body: Any) -> Iterator[str]:
        known = self._routes[route].get("query", {})
        for name, value in query.items():
            if name not in known:
                yield f"{route} has no parameter {name}"
            else:
                yield from self._faults(known[name], int(value) if value.isdecimal() else value)
        wanted = self._routes[route].get("body")
        if wanted is None and body is not None:
            yield f"{route} takes no body"
        elif wanted is not None:
            yield from self._faults(wanted, body)

    def faults_of_answer(self, route: str, status: int, value: Any) -> Iterator[str]:
        answers = self._routes[route]["answers"]
        if status not in answers:
            yield f"{route} does not answer {status}"
        else:
            yield from self._faults(answers[status], value)

    def _faults(self, schema: Any, value: Any) -> Iterator[str]:
        for error in Draft202012Validator({**schema, "schemas": self._schemas}).iter_errors(value):
            yield f"{error.json_path}: {error.message[:200]}"

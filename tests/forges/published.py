"""Compares our description of a host's API (``data``) with the one that the host publishes (OpenAPI 3 or
Swagger 2): it must have every route, parameter, property and answer of ours, with the same type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any


class Published:
    """The description that a host publishes. Its paths begin with ``prefix``, ours do not."""

    def __init__(self, description: Mapping[str, Any], prefix: str) -> None:
        self._description = description
        paths = description["paths"]
        self._paths = {_template(path.removeprefix(prefix)): each for path, each in paths.items()}

    def differences(self, ours: Mapping[str, Any]) -> Iterator[str]:
        for route, mine in ours["routes"].items():
            verb, _, path = route.partition(" ")
            theirs = self._paths.get(_template(path), {}).get(verb.lower())
            if theirs is None:
                yield f"{route} is not there"
                continue
            for where, own, other in self._pairs(mine, theirs):
                yield from (f"{route} {where}{fault}" for fault in self._compared(own, other, ours))

    def _pairs(self, mine: Any, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
        """Yield our schema and theirs, for the query, the body, and the answers to successful requests."""
        parameters = [self._resolved(each) for each in theirs.get("parameters", [])]
        query = {each["name"]: each.get("schema", each) for each in parameters if each["in"] == "query"}
        yield "query", {"properties": mine.get("query", {})}, {"properties": query}
        body = next((each["schema"] for each in parameters if each["in"] == "body"), None)
        yield "body", mine.get("body", {}), body or _content(self._resolved(theirs.get("requestBody", {})))
        for status, schema in mine["answers"].items():
            answer = self._resolved(theirs["responses"].get(str(status)) or {})
            if status < 300:
                yield str(status), schema, answer.get("schema") or _content(answer)

    def _compared(self, own: Any, other: Any, ours: Mapping[str, Any]) -> Iterator[str]:
        while "$ref" in own:
            own = ours["schemas"][own["$ref"].rpartition("/")[2]]
        own = next((each for each in own.get("anyOf", ()) if each.get("type") != "null"), own)
        other = self._resolved(other)
        if "items" in own and other.get("type") == "object":  # GitLab describes a list by its item
            other = {"type": "array", "items": other}
        kinds = own.get("type", [])
        kinds = set([kinds] if isinstance(kinds, str) else kinds) - {"null"}
        if kinds and "type" in other and other["type"] not in kinds:
            yield f" is {other['type']}, not {'/'.join(sorted(kinds))}"
        missing = set(other.get("required", ())) - set(own.get("required", ()))
        yield from (f" lacks {each}" for each in sorted(missing) if "properties" in own)
        if "items" in own:
            yield from (f"[]{fault}" for fault in self._compared(own["items"], other.get("items", {}), ours))
        known = other.get("properties", {})
        for name, schema in own.get("properties", {}).items():
            if name not in known:
                yield f".{name} is not there"
            else:
                yield from (f".{name}{fault}" for fault in self._compared(schema, known[name], ours))

    def _resolved(self, value: Any) -> Any:
        while "$ref" in value:
            at: Any = self._description
            for name in value["$ref"].split("/")[1:]:
                at = at[name]
            value = at
        return value


def _template(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


def _content(message: Mapping[str, Any]) -> Any:
    return message.get("content", {}).get("application/json", {}).get("schema", {})

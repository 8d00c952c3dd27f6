"""Lists what was redacted in trajectories: where, and of which kind, never the value or its length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gittraj.model.header import Header
from gittraj.redact.values import PLACEHOLDER
from gittraj.render.text.terminal import printable

Place = Mapping[str, str | None]
"""``trajectory``, ``event`` (None above all events), ``field`` in there, ``kind``."""


def find_redactions(trajectories: Iterable[Header]) -> Iterator[Place]:
    for one in trajectories:
        yield from _places(one, {"trajectory": str(one["id"]), "event": None, "field": ""})


def render_redactions(trajectories: Iterable[Header]) -> Iterator[str]:
    lines = [
        "{trajectory}{event} {field}: {kind}".format_map(
            {**place, "event": f" event {place['event']}" if place["event"] else ""}
        )
        for place in find_redactions(trajectories)
    ]
    yield from (f"{printable(line)}\n" for line in lines or ["Nothing was redacted."])


def _places(value: Any, place: Place) -> Iterator[Place]:
    if isinstance(value, str):
        for found in PLACEHOLDER.finditer(value):
            yield {**place, "kind": found[0].removeprefix("REDACTED-").rpartition("-")[0]}
    elif isinstance(value, Mapping):
        if place["field"] and "id" in value and "type" in value:
            place = {**place, "event": str(value["id"]), "field": ""}
        for name, inner in value.items():
            yield from _places(inner, {**place, "field": f"{place['field']}.{name}".lstrip(".")})
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _places(inner, place)

"""Lists what was redacted in trajectories: where, and of which kind, never the value or its length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gittraj.model.header import Header
from gittraj.redact.values import PLACEHOLDER
from gittraj.render.text.terminal import printable

Location = Mapping[str, str | None]
"""``trajectory``, ``event`` (None: a field of the trajectory), ``field``; of a redaction also ``kind``."""


def find_redactions(trajectories: Iterable[Header]) -> Iterator[Location]:
    """Yield the location and kind of each placeholder in these trajectories."""
    for header in trajectories:
        yield from _find(header, {"trajectory": str(header["id"]), "event": None, "field": ""})


def render_redactions(trajectories: Iterable[Header]) -> Iterator[str]:
    """Yield a line for each placeholder in these trajectories."""
    lines = [
        "{trajectory}{event} {field}: {kind}".format_map(
            {**redaction, "event": f" event {redaction['event']}" if redaction["event"] else ""}
        )
        for redaction in find_redactions(trajectories)
    ]
    yield from (f"{printable(line)}\n" for line in lines or ["Nothing was redacted."])


def _find(value: Any, location: Location) -> Iterator[Location]:
    if isinstance(value, str):
        for match in PLACEHOLDER.finditer(value):
            yield {**location, "kind": match[0].removeprefix("REDACTED-").rpartition("-")[0]}
    elif isinstance(value, Mapping):
        if location["field"] and "id" in value and "type" in value:
            location = {**location, "event": str(value["id"]), "field": ""}
        for name, inner in value.items():
            yield from _find(inner, {**location, "field": f"{location['field']}.{name}".lstrip(".")})
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _find(inner, location)

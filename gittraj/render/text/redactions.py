"""What was redacted in trajectories: its place and its kind, never the value or its length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from gittraj.model.header import Header
from gittraj.redact.values import PLACEHOLDER
from gittraj.render.text.terminal import printable


@dataclass(frozen=True, slots=True)
class _Place:
    """``event``: the one it is in, None in what stands above all events."""

    trajectory: str
    event: str | None = None
    field: str = ""
    kind: str = ""

    def below(self, name: str) -> _Place:
        return replace(self, field=f"{self.field}.{name}".lstrip("."))


def list_redactions(trajectories: Iterable[Header]) -> list[dict[str, str | None]]:
    return [asdict(place) for place in _all(trajectories)]


def render_redactions(trajectories: Iterable[Header]) -> Iterator[str]:
    lines = [
        f"{place.trajectory}{f' event {place.event}' if place.event else ''} {place.field}: {place.kind}"
        for place in _all(trajectories)
    ]
    yield from (f"{printable(line)}\n" for line in lines or ["Nothing was redacted."])


def _all(trajectories: Iterable[Header]) -> Iterator[_Place]:
    for one in trajectories:
        yield from _places(one, _Place(str(one["id"])))


def _places(value: Any, place: _Place) -> Iterator[_Place]:
    if isinstance(value, str):
        for found in PLACEHOLDER.finditer(value):
            yield replace(place, kind=found[0].removeprefix("REDACTED-").rpartition("-")[0])
    elif isinstance(value, Mapping):
        if place.field and "id" in value and "type" in value:
            place = _Place(place.trajectory, str(value["id"]))
        for name, inner in value.items():
            yield from _places(inner, place.below(str(name)))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _places(inner, place)

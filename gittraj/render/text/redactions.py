"""Lists what was redacted in trajectories: where, and of which kind, never the value or its length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gittraj.model.header import Header
from gittraj.redact.values import PLACEHOLDER
from gittraj.render.text.terminal import printable


def render_redactions(trajectories: Iterable[Header]) -> Iterator[str]:
    lines = [line for one in trajectories for line in _places(one, str(one["id"]), [])]
    yield from lines or ["Nothing was redacted.\n"]


def _places(value: Any, owner: str, path: list[str]) -> Iterator[str]:
    if isinstance(value, str):
        for found in PLACEHOLDER.finditer(value):
            kind = found[0].removeprefix("REDACTED-").rpartition("-")[0]
            yield printable(f"{owner} {'.'.join(path)}: {kind}") + "\n"
    elif isinstance(value, Mapping):
        if path and "id" in value and "type" in value:
            owner, path = f"{owner.partition(' ')[0]} event {value['id']}", []
        for name, inner in value.items():
            yield from _places(inner, owner, [*path, str(name)])
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _places(inner, owner, path)

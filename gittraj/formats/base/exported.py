"""The input of a writer of an exchange format or a page: trajectories as printed by ``git traj show --json``.

An export contains what ``show`` prints: text redacted as it is stored, and thinking still sealed. JSON
documents have their keys in insertion order, and neither lone surrogates nor NaN nor infinity.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gittraj.model.json_form import without_surrogates


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Lines ``first`` to ``last`` (from 1, both included) of ``path`` that a commit added, and the trajectory
    that wrote them, if one did. ``sha256`` is of their text, with a newline after each line."""

    path: str
    first: int
    last: int
    sha256: str
    trajectory: str | None = None


def _no_runs(_: str) -> Sequence[Run]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What to export. ``trajectories``: headers with ``chapters``, each once, in the order of the selection.

    ``commits``: by trajectory id, the selected commits that have its records, oldest first, as log entries of
    docs/json.md (``commit``, ``subject``, ``date`` …). ``runs``: by a commit's id, the lines that it added.
    """

    trajectories: Sequence[dict[str, Any]]
    commits: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    runs: Callable[[str], Sequence[Run]] = _no_runs


def nested(trajectories: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield groups: a trajectory, followed by its subagents and their subagents. Each trajectory is in one
    group; of trajectories that name each other as parents, the first begins the group."""
    descendants = {t["id"]: _below(t, trajectories, frozenset((t["id"],))) for t in trajectories}
    inner = {t["id"] for below in descendants.values() for t in below}
    written: set[str] = set()
    for top in (*(t for t in trajectories if t["id"] not in inner), *trajectories):
        if top["id"] not in written:
            group = [top, *descendants[top["id"]]]
            written.update(t["id"] for t in group)
            yield group


def _below(
    above: dict[str, Any], among: Sequence[dict[str, Any]], seen: frozenset[str]
) -> list[dict[str, Any]]:
    """The subagents of a trajectory, and their subagents, without those that were ``seen`` above it."""
    children = [t for t in among if is_subagent(t, above) and t["id"] not in seen]
    return [*children, *(d for c in children for d in _below(c, among, seen | {c["id"]}))]


def is_subagent(below: Mapping[str, Any], above: Mapping[str, Any]) -> bool:
    """Whether ``below`` is a subagent of ``above``: a child in the same session, unlike a fork."""
    session = above["session"] or ""
    named = (below["parent"] or {}).get("id") == above["id"] and below["id"] != above["id"]
    return named and (below["session"] == session or (below["session"] or "").startswith(f"{session}/"))


# ---------------------------------------------------------------- documents


def pretty(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return without_surrogates(text) + "\n"


def line(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return without_surrogates(text) + "\n"


def events_of(trajectory: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a trajectory, in its order."""
    return (event for chapter in trajectory["chapters"] for event in chapter["events"])

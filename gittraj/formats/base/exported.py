"""The input of a writer of an exchange format or a page: trajectories as ``git traj show --json``
prints them.

So what is exported is what is shown: redacted as it is stored, and sealed thinking sealed. JSON documents
have their keys in insertion order, and neither lone surrogates nor NaN nor infinity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Lines ``first`` to ``last`` (from 1, both included) of ``path`` that a commit added, and the trajectory
    that wrote them, as far as one did. ``sha256`` is of their text, each line ended by a newline."""

    path: str
    first: int
    last: int
    sha256: str
    trajectory: str | None = None


def _none(_: str) -> Sequence[Run]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """``trajectories``: each once, HEADERs with ``chapters``, in the order in which they were found.

    ``commits``: by trajectory, those that are asked about and that it stands on, oldest first, as log entries
    of docs/json.md (``commit``, ``subject``, ``date`` …). ``runs``: the lines that a commit added.
    """

    trajectories: Sequence[dict[str, Any]]
    commits: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    runs: Callable[[str], Sequence[Run]] = _none


# ---------------------------------------------------------------- documents

_SURROGATE = re.compile("[\ud800-\udfff]")


def pretty(value: Any) -> str:
    return whole(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"


def line(value: Any) -> str:
    return whole(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))) + "\n"


def whole(text: str) -> str:
    """Without lone surrogates."""
    return _SURROGATE.sub("\ufffd", text)


def events_of(trajectory: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a trajectory, in its order."""
    return (event for chapter in trajectory["chapters"] for event in chapter["events"])

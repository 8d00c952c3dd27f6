"""Trajectories as CSV (RFC 4180): one row per trajectory, without events.

Lists are joined by a space. A cell that a spreadsheet would take for a formula begins with an apostrophe:
what agents and people wrote must not be run.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from gittraj.formats.base.exported import Exported
from gittraj.model.header import Header

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_USAGE = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens")
_COUNTS = ("prompts", "messages", "thinking", "toolCalls", "apiCalls", "errors", "subagents")
_PLAIN = ("id", "title", "status", "agent", "agentVersion", "session", "prompt", "summary", "confidence")


def write(exported: Exported) -> Iterator[str]:
    rows = [
        _cells(trajectory, exported.commits.get(trajectory["id"], ())) for trajectory in exported.trajectories
    ]
    yield from (_row([*row]) for row in rows[:1])
    yield from (_row([*row.values()]) for row in rows)


def _cells(trajectory: Header, commits: Sequence[Header]) -> dict[str, Any]:
    """The cells by column name, as in docs/json.md; counts, times and costs are the part's."""
    part = trajectory["part"]
    return {
        **{key: trajectory[key] for key in _PLAIN},
        "models": " ".join(trajectory["models"]),
        "task": _task(trajectory["task"]),
        "tags": " ".join(trajectory["tags"]),
        "parent": (trajectory["parent"] or {}).get("id"),
        "commits": " ".join(entry["commit"] for entry in commits),
        **{key: trajectory["link"][key] for key in ("evidence", "role")},
        **{key: part[key] for key in ("startedAt", "endedAt", "durationSeconds")},
        **{key: part["usage"][key] for key in _USAGE},
        **{key: part[key] for key in ("costUsd", "costSource")},
        **{key: part["counts"][key] for key in _COUNTS},
        "decisions": len(trajectory["decisions"]),
        "caveats": len(trajectory["caveats"]),
        "filesChanged": json.dumps([file["path"] for file in trajectory["filesChanged"]], ensure_ascii=False),
        "redactions": trajectory["redactions"],
        "incomplete": "true" if trajectory["incomplete"] else "false",
    }


def _row(cells: Sequence[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(map(_inert, cells))
    return out.getvalue().encode("utf-8", "replace").decode()


def _inert(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _task(task: Header | None) -> str | None:
    if not task:
        return None
    source = task["source"]
    return f"{source['system']}:{source['id']}" if source else str(task["title"])

"""Writes OpenAgents' database: one row per trajectory, whose document is ATIF, in the tables that OpenAgents'
migration ``004_trajectories`` creates.

A session that was read from the table ``testgen_trajectories`` is also written into that table. The triggers
of OpenAgents' migration use ``$.steps[*]``, a path that SQLite does not support: with them, no row with steps
can be written. Our triggers have the same names and maintain the full-text table as intended.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gittraj.formats.atif.write import build
from gittraj.formats.base import coerce
from gittraj.formats.base.exported import Exported, events_of, line, nested
from gittraj.formats.base.sqlite import insert, new_database
from gittraj.formats.openagents.database import ROW
from gittraj.model.header import Header

if TYPE_CHECKING:
    from sqlite3 import Connection

EPOCH = "1970-01-01 00:00:00"
_LARGEST = (1 << 63) - 1
_NEEDED = frozenset(
    (
        *("task_id", "task_description", "total_tests", "total_rounds", "total_tokens_used", "duration_ms"),
        *("tests", "created_at"),
    )
)
"""Columns of ``testgen_trajectories`` that must not be null."""


def write(exported: Exported) -> Iterator[bytes]:
    """Yield the bytes of the database file, which are the same for the same trajectories."""

    def fill(database: Connection) -> None:
        for trajectory, *subagents in nested(exported.trajectories):
            _insert(database, trajectory, subagents)

    yield new_database(Path(__file__).with_name("schema.sql"), fill)


def _insert(database: Connection, trajectory: Header, subagents: Sequence[Header]) -> None:
    document = build(trajectory, subagents)
    session = str(trajectory["session"] or trajectory["id"])
    exists = database.execute("SELECT 1 FROM trajectories WHERE session_id = ?", (session,)).fetchone()
    row = _row(trajectory, document, trajectory["id"] if exists else session)
    insert(database, "trajectories", row, _column)
    if generated := _generated(trajectory):
        tests = {"created_at": row["created_at"], **generated, "session_id": row["session_id"]}
        insert(database, "testgen_trajectories", tests, _column)


def _row(trajectory: Header, document: Mapping[str, Any], session: str) -> dict[str, Any]:
    times = sorted(step["timestamp"] for step in document["steps"] if step.get("timestamp")) or [None]
    return {
        "session_id": session,
        "schema_version": document["schema_version"],
        "agent_name": trajectory["agent"] or "unknown",
        "agent_version": trajectory["agentVersion"],
        "model_name": trajectory["models"][0] if trajectory["models"] else None,
        "step_count": len(document["steps"]),
        "first_step_at": times[0],
        "last_step_at": times[-1],
        "total_cost_usd": trajectory["total"]["costUsd"] or 0,
        "total_tokens": _count_tokens(trajectory["total"]["usage"] or {}),
        "trajectory": line(document).rstrip("\n"),
        "created_at": _moment(trajectory["completedAt"] or trajectory["startedAt"] or times[-1]),
    }


def _count_tokens(usage: Mapping[str, Any]) -> int:
    return sum(usage.get(f"{kind}Tokens") or 0 for kind in ("input", "cacheRead", "cacheWrite", "output"))


def _generated(trajectory: Header) -> dict[str, Any] | None:
    """The session's row of generated tests, restored from its events; None if it has no such row."""
    events = list(events_of(trajectory))
    row = _stored_row(events)
    if row is None:
        return None
    of_type: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for event in events:
        of_type[event["type"]].append(event)
    challenges = (coerce.at(event, "retrospective", "challenges") for event in events)
    return {
        "task_id": trajectory["id"],
        "task_description": of_type["prompt"][0]["content"] if of_type["prompt"] else "",
        "tests": list(_tests(of_type["verification"])),
        "reflections": [e["raw"] for e in sorted(of_type["reflection"], key=_number) if e.get("raw")],
        "uncertainties": next(filter(None, challenges), []),
        **dict.fromkeys(("total_tests", "total_rounds", "total_tokens_used", "duration_ms"), 0),
        **_environment(of_type["artifact"]),
        **{key: value for key, value in row.items() if value is not None or key not in _NEEDED},
    }


def _stored_row(events: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The columns of the row that an event keeps, if one does."""
    rows = [row for event in events if (row := coerce.at(event, "raw", ROW))]
    return rows[-1] if rows and isinstance(rows[-1], dict) else None


def _environment(artifacts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    contents = [e["content"] for e in artifacts if coerce.at(e, "raw", "name") == "environment"]
    return {"environment": contents[-1]} if contents else {}


def _column(value: Any) -> Any:
    """The value as a type that SQLite can store: as JSON if it is a list, an object or a huge integer."""
    if isinstance(value, dict | list) or (isinstance(value, int) and abs(value) > _LARGEST):
        return json.dumps(value)
    return value


def _tests(events: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    checks = (check for event in events for check in coerce.objects(coerce.at(event, "raw", "checks")))
    return (check["test"] for check in checks if "test" in check)


def _number(event: Mapping[str, Any]) -> int:
    digits = str(event["id"]).rpartition(":")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 10 else 0


def _moment(time: str | None) -> str:
    """A time in the form that the database uses: UTC, in seconds."""
    return f"{time[:10]} {time[11:19]}" if time else EPOCH

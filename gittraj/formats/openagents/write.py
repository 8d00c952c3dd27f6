"""Writes OpenAgents' database: one row per trajectory, whose document is ATIF, in the tables that its
migration ``004_trajectories`` creates.

A session that generated tests, and was read from there, gets its row in ``testgen_trajectories`` again. Its
own triggers use ``$.steps[*]``, a path that SQLite does not support: no row with steps could be written.
Here triggers of the same names maintain the full-text table as those were meant to.
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
"""Columns of a row of generated tests that must not be null."""


def write(exported: Exported) -> Iterator[bytes]:
    """The database, as the bytes of its file, which are the same for the same trajectories."""

    def fill(database: Connection) -> None:
        for above, *below in nested(exported.trajectories):
            _insert(database, above, below)

    yield new_database(Path(__file__).with_name("schema.sql"), fill)


def _insert(database: Connection, trajectory: Header, others: Sequence[Header]) -> None:
    document = build(trajectory, others)
    session = str(trajectory["session"] or trajectory["id"])
    taken = database.execute("SELECT 1 FROM trajectories WHERE session_id = ?", (session,)).fetchone()
    session = trajectory["id"] if taken else session
    times = sorted(step["timestamp"] for step in document["steps"] if step.get("timestamp")) or [None]
    usage = trajectory["total"]["usage"] or {}
    tokens = sum(usage.get(f"{kind}Tokens") or 0 for kind in ("input", "cacheRead", "cacheWrite", "output"))
    created = _moment(trajectory["completedAt"] or trajectory["startedAt"] or times[-1])
    row = {
        "session_id": session,
        "schema_version": document["schema_version"],
        "agent_name": trajectory["agent"] or "unknown",
        "agent_version": trajectory["agentVersion"],
        "model_name": trajectory["models"][0] if trajectory["models"] else None,
        "step_count": len(document["steps"]),
        "first_step_at": times[0],
        "last_step_at": times[-1],
        "total_cost_usd": trajectory["total"]["costUsd"] or 0,
        "total_tokens": tokens,
        "trajectory": line(document).rstrip("\n"),
        "created_at": created,
    }
    insert(database, "trajectories", row, _column)
    if generated := _generated(trajectory):
        own = {"created_at": created, **generated, "session_id": session}
        insert(database, "testgen_trajectories", own, _column)


def _generated(trajectory: Header) -> dict[str, Any] | None:
    """The row of a session that generated tests, from the events that ``openagents.database`` made of it."""
    events = list(events_of(dict(trajectory)))
    rows = [row for event in events if (row := coerce.at(event, "raw", "testgen"))]
    if not rows or not isinstance(rows[-1], dict):
        return None
    of_type: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for event in events:
        of_type[event["type"]].append(event)
    challenges = (coerce.at(event, "retrospective", "challenges") for event in events)
    named = [e["content"] for e in of_type["artifact"] if coerce.at(e, "raw", "name") == "environment"]
    return {
        "task_id": trajectory["id"],
        "task_description": of_type["prompt"][0]["content"] if of_type["prompt"] else "",
        "tests": list(_tests(of_type["verification"])),
        "reflections": [e["raw"] for e in sorted(of_type["reflection"], key=_number) if e.get("raw")],
        "uncertainties": next(filter(None, challenges), []),
        **dict.fromkeys(("total_tests", "total_rounds", "total_tokens_used", "duration_ms"), 0),
        **({"environment": named[-1]} if named else {}),
        **{key: value for key, value in rows[-1].items() if value is not None or key not in _NEEDED},
    }


def _column(value: Any) -> Any:
    """The value in a type that SQLite can store, whatever the session has."""
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
    """A time as the database has it: UTC, in seconds."""
    return f"{time[:10]} {time[11:19]}" if time else EPOCH

"""OpenAgents' database: a row a trajectory, whose document is ATIF.

A session that generated tests, and was read from there, has its row in ``testgen_trajectories`` again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gittraj.formats.atif.write import build
from gittraj.formats.base import coerce
from gittraj.formats.base.exported import Exported
from gittraj.formats.base.json_document import events_of, line
from gittraj.formats.openagents.schema import COLUMNS, EPOCH, SCHEMA

if TYPE_CHECKING:
    from sqlite3 import Connection

Header = Mapping[str, Any]
_LARGEST = (1 << 63) - 1
_NEEDED = frozenset(
    (
        *("task_id", "task_description", "total_tests", "total_rounds", "total_tokens_used", "duration_ms"),
        *("tests", "created_at"),
    )
)
"""Columns of a row of generated tests that must not be null."""


def write(exported: Exported) -> Iterator[bytes]:
    """The database, as the bytes of its file: the same of the same trajectories."""
    import sqlite3  # noqa: PLC0415

    database = sqlite3.connect(":memory:")
    try:
        database.executescript(SCHEMA)
        told = list(exported.trajectories)
        known = {each["id"]: each for each in told}
        for each in told:
            if not _is_below(each, known):
                children = [other for other in told if _is_below(other, known)]
                _insert(database, each, children)
        database.commit()
        yield database.serialize()
    finally:
        database.close()


def _is_below(told: Header, known: Mapping[str, Header]) -> bool:
    """Whether an agent that is exported too started this one: then it stands in that one's document."""
    above = _above(told, known)
    if above is None or _circles(told, known):
        return False
    own, session = told["session"] or "", above["session"] or ""
    return own == session or own.startswith(f"{session}/")


def _above(told: Header, known: Mapping[str, Header]) -> Header | None:
    return known.get((told["parent"] or {}).get("id") or "")


def _circles(told: Header, known: Mapping[str, Header]) -> bool:
    seen: set[str] = set()
    at: Header | None = told
    while at is not None and at["id"] not in seen:
        seen.add(at["id"])
        at = _above(at, known)
    return at is not None


def _insert(database: Connection, told: Header, others: Sequence[Header]) -> None:
    document = build(told, others)
    session = str(told["session"] or told["id"])
    taken = database.execute("SELECT 1 FROM trajectories WHERE session_id = ?", (session,)).fetchone()
    session = told["id"] if taken else session
    times = sorted(step["timestamp"] for step in document["steps"] if step.get("timestamp"))
    usage = told["total"]["usage"] or {}
    tokens = sum(usage.get(f"{kind}Tokens") or 0 for kind in ("input", "cacheRead", "cacheWrite", "output"))
    created = _moment(told["completedAt"] or told["startedAt"] or (times[-1] if times else None))
    row = {
        "session_id": session,
        "schema_version": document["schema_version"],
        "agent_name": told["agent"] or "unknown",
        "agent_version": told["agentVersion"],
        "model_name": told["models"][0] if told["models"] else None,
        "step_count": len(document["steps"]),
        "first_step_at": times[0] if times else None,
        "last_step_at": times[-1] if times else None,
        "total_cost_usd": told["total"]["costUsd"] or 0,
        "total_tokens": tokens,
        "trajectory": line(document).rstrip("\n"),
        "created_at": created,
    }
    _put(database, "trajectories", row)
    if generated := _generated(told):
        _put(database, "testgen_trajectories", {"created_at": created, **generated, "session_id": session})


def _put(database: Connection, table: str, row: Mapping[str, Any]) -> None:
    columns = COLUMNS[table]
    values = [_column(row.get(column)) for column in columns]
    marks = ", ".join("?" * len(columns))
    database.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)  # noqa: S608


def _generated(told: Header) -> dict[str, Any] | None:
    """The row of a session that generated tests, as ``formats.openagents.testgen`` took it apart."""
    events = list(events_of(dict(told)))
    rows = [row for each in events if (row := coerce.mapping(each.get("raw")).get("testgen"))]
    if not rows or not isinstance(rows[-1], dict):
        return None
    doubts = [coerce.mapping(each.get("retrospective")).get("challenges") for each in events]
    row = {
        "task_id": told["id"],
        "task_description": next((e["content"] for e in events if e["type"] == "prompt"), ""),
        "tests": list(_tests(events)),
        "reflections": [
            each["raw"]
            for each in sorted(events, key=_number)
            if each["type"] == "reflection" and each.get("raw")
        ],
        "uncertainties": next((found for found in doubts if found), []),
        **dict.fromkeys(("total_tests", "total_rounds", "total_tokens_used", "duration_ms"), 0),
    }
    for each in events:
        if each["type"] == "artifact" and coerce.mapping(each.get("raw")).get("name") == "environment":
            row["environment"] = each["content"]
    return {
        **row,
        **{key: given for key, given in rows[-1].items() if given is not None or key not in _NEEDED},
    }


def _column(value: Any) -> Any:
    """A value as SQLite can hold it: what a session says may be anything."""
    if isinstance(value, dict | list) or (isinstance(value, int) and abs(value) > _LARGEST):
        return json.dumps(value)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _tests(events: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    for each in events:
        checks = coerce.mapping(each.get("raw")).get("checks") if each["type"] == "verification" else None
        for check in checks if isinstance(checks, list) else ():
            if "test" in coerce.mapping(check):
                yield check["test"]


def _number(event: Mapping[str, Any]) -> int:
    digits = str(event["id"]).rpartition(":")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 10 else 0


def _moment(time: str | None) -> str:
    """A time as the database has it: UTC, in seconds."""
    return f"{time[:10]} {time[11:19]}" if time else EPOCH

"""OpenAgents' database: a row a trajectory, whose document is ATIF, in the tables that its migration
``004_trajectories`` makes.

A session that generated tests, and was read from there, has its row in ``testgen_trajectories`` again. Its
own triggers ask for ``$.steps[*]``, a path that SQLite does not have: no row with steps could be written. The
full-text table is kept here by triggers of the same names that say what those mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gittraj.formats.atif.write import build
from gittraj.formats.base import coerce
from gittraj.formats.base.exported import Exported, events_of, line
from gittraj.formats.base.sqlite import insert, new_database
from gittraj.model.header import Header

if TYPE_CHECKING:
    from sqlite3 import Connection

EPOCH = "1970-01-01 00:00:00"
_CONTENT = """
    CASE WHEN json_valid(NEW.trajectory) THEN
        coalesce((SELECT group_concat(json_extract(value, '$.message'), ' ')
                  FROM json_each(NEW.trajectory, '$.steps')
                  WHERE json_type(value, '$.message') IS NOT NULL), '')
        || ' ' ||
        coalesce((SELECT group_concat(json_extract(call.value, '$.function_name'), ' ')
                  FROM json_each(NEW.trajectory, '$.steps') AS step,
                       json_each(step.value, '$.tool_calls') AS call), '')
    ELSE '' END
"""
SCHEMA = """
CREATE TABLE _schema_version (
  version TEXT PRIMARY KEY,
  applied_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE trajectories (
  session_id TEXT PRIMARY KEY,
  schema_version TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  agent_version TEXT,
  model_name TEXT,
  step_count INTEGER NOT NULL DEFAULT 0,
  first_step_at TEXT,
  last_step_at TEXT,
  total_cost_usd REAL DEFAULT 0,
  total_tokens INTEGER DEFAULT 0,
  trajectory JSON NOT NULL,
  embedding BLOB,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  indexed_at TEXT
);
CREATE TABLE testgen_trajectories (
  session_id TEXT PRIMARY KEY REFERENCES trajectories(session_id) ON DELETE CASCADE,
  task_id TEXT NOT NULL,
  task_description TEXT NOT NULL,
  total_tests INTEGER NOT NULL,
  total_rounds INTEGER NOT NULL,
  category_rounds JSON,
  comprehensiveness_score REAL,
  total_tokens_used INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  tests JSON NOT NULL,
  reflections JSON,
  environment JSON,
  uncertainties JSON,
  created_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE INDEX idx_trajectories_agent ON trajectories(agent_name);
CREATE INDEX idx_trajectories_model ON trajectories(model_name);
CREATE INDEX idx_trajectories_created_at ON trajectories(created_at);
CREATE INDEX idx_trajectories_step_count ON trajectories(step_count);
CREATE INDEX idx_trajectories_cost ON trajectories(total_cost_usd);
CREATE INDEX idx_trajectories_agent_created ON trajectories(agent_name, created_at);
CREATE INDEX idx_testgen_task ON testgen_trajectories(task_id);
CREATE INDEX idx_testgen_created_at ON testgen_trajectories(created_at);
CREATE INDEX idx_testgen_score ON testgen_trajectories(comprehensiveness_score);
CREATE VIRTUAL TABLE trajectories_fts USING fts5(session_id UNINDEXED, agent_name UNINDEXED, content);
CREATE TRIGGER trajectories_fts_insert AFTER INSERT ON trajectories BEGIN
  INSERT INTO trajectories_fts(rowid, session_id, agent_name, content)
  VALUES (NEW.rowid, NEW.session_id, NEW.agent_name, @CONTENT@);
END;
CREATE TRIGGER trajectories_fts_update AFTER UPDATE ON trajectories BEGIN
  DELETE FROM trajectories_fts WHERE rowid = OLD.rowid;
  INSERT INTO trajectories_fts(rowid, session_id, agent_name, content)
  VALUES (NEW.rowid, NEW.session_id, NEW.agent_name, @CONTENT@);
END;
CREATE TRIGGER trajectories_fts_delete AFTER DELETE ON trajectories BEGIN
  DELETE FROM trajectories_fts WHERE rowid = OLD.rowid;
END;
INSERT INTO _schema_version VALUES ('1.3.0', '@EPOCH@'), ('004_trajectories', '@EPOCH@');
""".replace("@CONTENT@", _CONTENT).replace("@EPOCH@", EPOCH)

COLUMNS = {
    "trajectories": (
        *("session_id", "schema_version", "agent_name", "agent_version", "model_name", "step_count"),
        *("first_step_at", "last_step_at", "total_cost_usd", "total_tokens", "trajectory", "created_at"),
    ),
    "testgen_trajectories": (
        *("session_id", "task_id", "task_description", "total_tests", "total_rounds", "category_rounds"),
        *("comprehensiveness_score", "total_tokens_used", "duration_ms", "tests", "reflections"),
        *("environment", "uncertainties", "created_at"),
    ),
}
"""Those that a row is written with, by table."""


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
    known = {trajectory["id"]: trajectory for trajectory in exported.trajectories}

    def fill(database: Connection) -> None:
        for trajectory in exported.trajectories:
            if not _is_below(trajectory, known):
                children = [other for other in exported.trajectories if _is_below(other, known)]
                _insert(database, trajectory, children)

    yield new_database(SCHEMA, fill)


def _is_below(trajectory: Header, known: Mapping[str, Header]) -> bool:
    """Whether this one's parent is exported too, and contains it as a subagent."""
    above = _above(trajectory, known)
    if above is None or _circles(trajectory, known):
        return False
    own, session = trajectory["session"] or "", above["session"] or ""
    return own == session or own.startswith(f"{session}/")


def _above(trajectory: Header, known: Mapping[str, Header]) -> Header | None:
    return known.get((trajectory["parent"] or {}).get("id") or "")


def _circles(trajectory: Header, known: Mapping[str, Header]) -> bool:
    seen: set[str] = set()
    at: Header | None = trajectory
    while at is not None and at["id"] not in seen:
        seen.add(at["id"])
        at = _above(at, known)
    return at is not None


def _insert(database: Connection, trajectory: Header, others: Sequence[Header]) -> None:
    document = build(trajectory, others)
    session = str(trajectory["session"] or trajectory["id"])
    taken = database.execute("SELECT 1 FROM trajectories WHERE session_id = ?", (session,)).fetchone()
    session = trajectory["id"] if taken else session
    times = sorted(step["timestamp"] for step in document["steps"] if step.get("timestamp"))
    usage = trajectory["total"]["usage"] or {}
    tokens = sum(usage.get(f"{kind}Tokens") or 0 for kind in ("input", "cacheRead", "cacheWrite", "output"))
    created = _moment(trajectory["completedAt"] or trajectory["startedAt"] or (times[-1] if times else None))
    row = {
        "session_id": session,
        "schema_version": document["schema_version"],
        "agent_name": trajectory["agent"] or "unknown",
        "agent_version": trajectory["agentVersion"],
        "model_name": trajectory["models"][0] if trajectory["models"] else None,
        "step_count": len(document["steps"]),
        "first_step_at": times[0] if times else None,
        "last_step_at": times[-1] if times else None,
        "total_cost_usd": trajectory["total"]["costUsd"] or 0,
        "total_tokens": tokens,
        "trajectory": line(document).rstrip("\n"),
        "created_at": created,
    }
    _put(database, "trajectories", row)
    if generated := _generated(trajectory):
        _put(database, "testgen_trajectories", {"created_at": created, **generated, "session_id": session})


def _put(database: Connection, table: str, row: Mapping[str, Any]) -> None:
    insert(database, table, COLUMNS[table], (_column(row.get(column)) for column in COLUMNS[table]))


def _generated(trajectory: Header) -> dict[str, Any] | None:
    """The row of a session that generated tests, as ``formats.openagents.database`` took it apart."""
    events = list(events_of(dict(trajectory)))
    rows = [row for event in events if (row := coerce.mapping(event.get("raw")).get("testgen"))]
    if not rows or not isinstance(rows[-1], dict):
        return None
    challenges = [coerce.mapping(event.get("retrospective")).get("challenges") for event in events]
    row = {
        "task_id": trajectory["id"],
        "task_description": next((e["content"] for e in events if e["type"] == "prompt"), ""),
        "tests": list(_tests(events)),
        "reflections": [
            event["raw"]
            for event in sorted(events, key=_number)
            if event["type"] == "reflection" and event.get("raw")
        ],
        "uncertainties": next((items for items in challenges if items), []),
        **dict.fromkeys(("total_tests", "total_rounds", "total_tokens_used", "duration_ms"), 0),
    }
    for event in events:
        if event["type"] == "artifact" and coerce.mapping(event.get("raw")).get("name") == "environment":
            row["environment"] = event["content"]
    return {
        **row,
        **{key: value for key, value in rows[-1].items() if value is not None or key not in _NEEDED},
    }


def _column(value: Any) -> Any:
    """The value in a type that SQLite can store, whatever the session has."""
    if isinstance(value, dict | list) or (isinstance(value, int) and abs(value) > _LARGEST):
        return json.dumps(value)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _tests(events: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    for event in events:
        if event["type"] == "verification":
            checks = coerce.objects(coerce.mapping(event.get("raw")).get("checks"))
            yield from (check["test"] for check in checks if "test" in check)


def _number(event: Mapping[str, Any]) -> int:
    digits = str(event["id"]).rpartition(":")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 10 else 0


def _moment(time: str | None) -> str:
    """A time as the database has it: UTC, in seconds."""
    return f"{time[:10]} {time[11:19]}" if time else EPOCH

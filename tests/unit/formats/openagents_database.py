"""OpenAgents' database as its migration ``004_trajectories`` creates it.

Its triggers are left out: with them, no row with steps can be written.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

TABLES = """
CREATE TABLE trajectories (
  session_id TEXT PRIMARY KEY, schema_version TEXT NOT NULL, agent_name TEXT NOT NULL, agent_version TEXT,
  model_name TEXT, step_count INTEGER NOT NULL DEFAULT 0, first_step_at TEXT, last_step_at TEXT,
  total_cost_usd REAL DEFAULT 0, total_tokens INTEGER DEFAULT 0, trajectory JSON NOT NULL, embedding BLOB,
  created_at TEXT NOT NULL DEFAULT (datetime('now')), indexed_at TEXT
);
CREATE TABLE testgen_trajectories (
  session_id TEXT PRIMARY KEY REFERENCES trajectories(session_id) ON DELETE CASCADE, task_id TEXT NOT NULL,
  task_description TEXT NOT NULL, total_tests INTEGER NOT NULL, total_rounds INTEGER NOT NULL,
  category_rounds JSON, comprehensiveness_score REAL, total_tokens_used INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL, tests JSON NOT NULL, reflections JSON, environment JSON, uncertainties JSON,
  created_at TEXT NOT NULL DEFAULT (datetime('now'))
);
"""
DOCUMENT: dict[str, Any] = {
    "schema_version": "ATIF-v1.4",
    "session_id": "session-2025-12-08",
    "agent": {"name": "mechacoder-orchestrator", "version": "1.0", "model_name": "grok-4.1-fast"},
    "steps": [
        {
            "step_id": 1,
            "timestamp": "2025-12-08T10:00:00.000Z",
            "source": "user",
            "message": "Fix the parser",
        },
        {
            "step_id": 2,
            "timestamp": "2025-12-08T10:00:05.000Z",
            "source": "agent",
            "message": "I look at it",
            "reasoning_content": "Where is it?",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "grep_files", "arguments": {"pattern": "parse"}}
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "src/parser.py"}]},
            "metrics": {"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 40, "cost_usd": 0.5},
        },
    ],
    "final_metrics": {"total_prompt_tokens": 100, "total_completion_tokens": 9, "total_cost_usd": 0.5},
}
ATIF: dict[str, Any] = {
    "session_id": "session-2025-12-08",
    "schema_version": "ATIF-v1.4",
    "agent_name": "mechacoder-orchestrator",
    "agent_version": "1.0",
    "model_name": "grok-4.1-fast",
    "step_count": 2,
    "first_step_at": "2025-12-08T10:00:00.000Z",
    "last_step_at": "2025-12-08T10:00:05.000Z",
    "total_cost_usd": 0.5,
    "total_tokens": 109,
    "trajectory": DOCUMENT,
    "created_at": "2025-12-08 10:00:06",
}
TEST = {
    "id": "existence_1",
    "category": "existence",
    "input": "ls /app/regex.txt",
    "expectedOutput": "a file",
}
TESTGEN: dict[str, Any] = {
    "session_id": "tg-20251208-164356-f0ysxd",
    "task_id": "regex-log",
    "task_description": "Write a regex that finds the last date",
    "total_tests": 3,
    "total_rounds": 3,
    "category_rounds": {"existence": 1, "correctness": 2},
    "comprehensiveness_score": 8.0,
    "total_tokens_used": 55221,
    "duration_ms": 60000,
    "tests": [
        {**TEST, "reasoning": "It must be there", "confidence": 0.9},
        {**TEST, "id": "c1", "category": "correctness", "expectedOutput": None, "confidence": 1},
        {**TEST, "id": "c2", "category": "correctness"},
    ],
    "reflections": [
        {
            "category": "correctness",
            "reflectionText": "Dates without an address are missing",
            "action": "refining",
        },
        {"category": "existence", "reflectionText": "Enough", "action": "complete"},
    ],
    "environment": {"platform": "docker", "prohibited": ["grep"]},
    "uncertainties": ["Are leap years wanted?"],
    "created_at": "2025-12-08 16:43:56",
}
GENERATED: dict[str, Any] = {
    **dict.fromkeys(ATIF),
    "session_id": TESTGEN["session_id"],
    "schema_version": "testgen-v1.0",
    "agent_name": "testgen",
    "model_name": "local-fm",
    "step_count": 0,
    "trajectory": {"tests": TESTGEN["tests"]},
    "created_at": TESTGEN["created_at"],
}


def make(path: Path, *rows: tuple[str, dict[str, Any]]) -> Path:
    """Create a database with these rows, by table; without rows, with one session of each kind."""
    rows = rows or (("trajectories", ATIF), ("trajectories", GENERATED), ("testgen_trajectories", TESTGEN))
    with closing(sqlite3.connect(path)) as database:
        database.executescript(TABLES)
        for table, row in rows:
            values = [json.dumps(v) if isinstance(v, dict | list) else v for v in row.values()]
            marks = ", ".join("?" * len(row))
            database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", values)
        database.commit()
    return path

"""A session of OpenCode in its four forms: database, folder of files, export, a run's output."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SESSION = "ses_1"
BEGAN = 1_767_036_000_000
"""2025-12-29T19:20:00Z, in ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    messages: Sequence[tuple[Json, Sequence[Json]]]
    info: Json = field(default_factory=dict)

    @property
    def record(self) -> Json:
        return {
            "id": SESSION,
            "projectID": "prj",
            "directory": "/repo",
            "title": "A greeting",
            "version": "1.18.33",
            "time": {"created": BEGAN, "updated": BEGAN + 9000},
            **self.info,
        }

    def export(self) -> bytes:
        messages = [
            {"info": {**info, "sessionID": SESSION}, "parts": list(parts)} for info, parts in self.messages
        ]
        return json.dumps({"info": self.record, "messages": messages}, indent=2).encode()

    def storage(self, root: Path) -> Path:
        record = self.record
        files = {f"session/prj/{record['id']}.json": record}
        for info, parts in self.messages:
            files[f"message/{record['id']}/{info['id']}.json"] = info
            files |= {f"part/{info['id']}/{part['id']}.json": part for part in parts}
        (root / "part").mkdir(parents=True, exist_ok=True)
        for name, value in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(json.dumps(value))
        return root

    def database(self, path: Path) -> Path:
        record, times = self.record, self.record["time"]
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(TABLES)
            database.execute(
                "INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    record["id"],
                    record.get("parentID"),
                    record["directory"],
                    record["title"],
                    record["version"],
                    json.dumps(record["revert"]) if "revert" in record else None,
                    times["created"],
                    times["updated"],
                ),
            )
            for info, parts in self.messages:
                created, data = info["time"]["created"], _without(info, "id", "sessionID")
                row = (info["id"], record["id"], created, created, json.dumps(data))
                database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
                for part in parts:
                    data = _without(part, "id", "messageID", "sessionID")
                    row = (part["id"], info["id"], record["id"], created, created, json.dumps(data))
                    database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
        return path

    def stream(self) -> bytes:
        """Return a run's output: the finished parts of the answers, in the order in which they were given."""
        names = {"tool": "tool_use", "step-start": "step_start", "step-finish": "step_finish"}
        shown = (*names, "text", "reasoning")
        lines = [
            {
                "type": names.get(part["type"], part["type"]),
                "timestamp": BEGAN + 8000,
                "sessionID": SESSION,
                "part": {**part, "messageID": info["id"], "sessionID": SESSION},
            }
            for info, parts in self.messages
            if info["role"] == "assistant"
            for part in parts
            if part["type"] in shown
        ]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


TABLES = """
CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL,
    title TEXT NOT NULL, version TEXT NOT NULL, revert TEXT, time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
"""


def user(name: str, *, at: int = 0) -> Json:
    return {"id": name, "role": "user", "time": {"created": BEGAN + at}, "agent": "build"}


def assistant(name: str, *, at: int = 1000, is_open: bool = False, **more: Any) -> Json:
    times = {"created": BEGAN + at} if is_open else {"created": BEGAN + at, "completed": BEGAN + at + 900}
    known = {"id": name, "role": "assistant", "time": times, "modelID": "claude-sonnet-4-5"}
    return {**known, "path": {"cwd": "/repo", "root": "/repo"}, **more}


def text(name: str, words: str, *, at: int | None = None, **more: Any) -> Json:
    times = {} if at is None else {"time": {"start": BEGAN + at, "end": BEGAN + at + 5}}
    return {"id": name, "type": "text", "text": words, **times, **more}


def tool(name: str, tool: str, given: Json, *, at: int = 1100, end: int | None = None, **state: Any) -> Json:
    """Return a call; it is completed unless ``state`` says otherwise."""
    times = {"start": BEGAN + at, "end": BEGAN + (at + 50 if end is None else end)}
    known = {"status": "completed", "input": given, "output": "", "title": "", "metadata": {}, "time": times}
    return {"id": name, "type": "tool", "tool": tool, "callID": f"call_{name}", "state": {**known, **state}}


def finish(name: str, reason: str = "tool-calls", *, cost: float = 0.25, **tokens: int) -> Json:
    cache = {"read": tokens.pop("read", 0), "write": tokens.pop("write", 0)}
    counted = {"input": 0, "output": 0, "reasoning": 0, **tokens, "cache": cache}
    return {"id": name, "type": "step-finish", "reason": reason, "cost": cost, "tokens": counted}


def _without(value: Json, *names: str) -> Json:
    return {key: v for key, v in value.items() if key not in names}

"""OpenCode's sessions, in the database that all of them share: a call is inserted before it runs, and
updated when it has ended."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.e2e.model_server import Served
from tests.e2e.scenario import Edit, Shell, Step, Turn, Write
from tests.integration import session_writer
from tests.integration.session_writer import Json, SessionWriter, steps_with_calls
from tests.unit.formats.opencode_session import TABLES

_TOOLS = {Write: "write", Edit: "edit", Shell: "bash"}


class OpenCodeSession(SessionWriter):
    agent = "opencode"
    model = "claude-sonnet-4-5"
    settles = 0.5

    def new_session(self) -> str:
        self._number = 0
        return f"ses_{self.hex(24)}"

    def new_call(self) -> str:
        return f"call_{self.hex(24)}"

    def place(self, home: Path) -> Path:
        return home / ".local" / "share" / "opencode" / "opencode.db"

    def write_prompt(self, text: str) -> None:
        at = self.now()
        if not self._number:
            row = (self.session, None, str(self.folder), "A session", "1.18.33", None, at, at)
            self._do("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)
        message = self._message({"role": "user", "time": {"created": at}, "agent": "build"})
        self._part(message, {"type": "text", "text": text})

    def write_response(self, turn: Turn, served: Served, *, last: bool, env: Mapping[str, str]) -> None:
        at = self.now()
        data: Json = {"role": "assistant", "modelID": self.model, "providerID": "anthropic"}
        data |= {"time": {"created": at}, "path": {"cwd": str(self.folder), "root": str(self.folder)}}
        message = self._message(data)
        for kind, words in (("reasoning", turn.think), ("text", turn.say)):
            if words:
                self._part(message, {"type": kind, "text": words, "time": {"start": at, "end": self.now()}})
        for step, call in steps_with_calls(turn, served):
            self._call(message, step, call, env)
        tokens = {"input": served.usage.input, "output": served.usage.output, "reasoning": 0}
        tokens |= {"cache": {"read": served.usage.cached, "write": 0}}
        reason = "tool-calls" if turn.steps else "stop"
        self._part(message, {"type": "step-finish", "reason": reason, "cost": 0, "tokens": tokens})
        data["time"]["completed"] = self.now()
        self._do("UPDATE message SET data = ?, time_updated = ? WHERE id = ?", data, self.now(), message)

    def finish(self) -> None:
        self._do("UPDATE session SET time_updated = ? WHERE id = ?", self.now(), self.session)

    def now(self) -> int:
        return int(datetime.fromisoformat(session_writer.now()).timestamp() * 1000)

    def _call(self, message: str, step: Step, call: str, env: Mapping[str, str]) -> None:
        began = self.now()
        state: Json = {"status": "running", "input": self._input(step), "time": {"start": began}}
        record = {"type": "tool", "tool": _TOOLS[type(step)], "callID": call, "state": state}
        part = self._part(message, record)
        if isinstance(step, Shell):
            with self.running(step, {"OPENCODE": "1", **env}) as process:
                output = process.communicate()[0]
            state |= {"output": output, "metadata": {"output": output, "exit": process.returncode}}
        else:
            change = self.change(step)
            state |= {"output": "Wrote file successfully.", "metadata": {"exists": change.before is not None}}
        state |= {"status": "completed", "title": "", "time": {"start": began, "end": self.now()}}
        self._do("UPDATE part SET data = ?, time_updated = ? WHERE id = ?", record, self.now(), part)

    def _input(self, step: Step) -> Json:
        match step:
            case Write(path, text):
                return {"filePath": str(self.folder / path), "content": text}
            case Edit(path, old, new):
                return {"filePath": str(self.folder / path), "oldString": old, "newString": new}
            case Shell(command):
                return {"command": command, "description": "A step of the script"}

    def _message(self, data: Json) -> str:
        return self._insert("msg", "INSERT INTO message VALUES (?, ?, ?, ?, ?)", self.session, data=data)

    def _part(self, message: str, data: Json) -> str:
        insert = "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)"
        return self._insert("prt", insert, message, self.session, data=data)

    def _insert(self, kind: str, statement: str, *row: str, data: Json) -> str:
        self._number += 1
        own, at = f"{kind}_{self.session[4:12]}_{self._number:06}", self.now()
        self._do(statement, own, *row, at, at, data)
        return own

    def _do(self, statement: str, *values: Any) -> None:
        given = [json.dumps(value) if isinstance(value, dict) else value for value in values]
        with closing(sqlite3.connect(self.log, timeout=30)) as database, database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(TABLES)
            database.execute(statement, given)
        os.utime(self.log)

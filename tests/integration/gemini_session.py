"""Gemini CLI's log, record by record as version 0.61 writes it: a message is written again when its calls
have finished."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.e2e.model_server import Served
from tests.e2e.scenario import Edit, Shell, Step, Turn, Write
from tests.integration import session_writer
from tests.integration.session_writer import Json, SessionWriter, steps_with_calls

_TOOLS = {Write: "write_file", Edit: "replace", Shell: "run_shell_command"}


class GeminiSession(SessionWriter):
    agent = "gemini-cli"
    model = "gemini-2.5-pro"
    settles = 0.5

    def new_session(self) -> str:
        return self.uuid()

    def new_call(self) -> str:
        return f"call__{self.hex(12)}_0"

    def place(self, home: Path) -> Path:
        self._project = hashlib.sha256(str(self.folder).encode()).hexdigest()
        began = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M")
        chats = home / ".gemini" / "tmp" / self._project / "chats"
        return chats / f"session-{began}-{self.session[:8]}.jsonl"

    def write_prompt(self, text: str) -> None:
        if not self.log.exists():
            at = self.now()
            head = {"sessionId": self.session, "projectHash": self._project, "kind": "main"}
            self.append(head | {"startTime": at, "lastUpdated": at})
        self._message("user", {"content": [{"text": text}]})

    def write_response(self, turn: Turn, served: Served, *, last: bool, env: Mapping[str, str]) -> None:
        counted = {"input": served.usage.input + served.usage.cached, "cached": served.usage.cached}
        fields: Json = {"content": turn.say or "", "model": self.model}
        if turn.think:
            fields["thoughts"] = [{"subject": "", "description": turn.think, "timestamp": self.now()}]
        fields["tokens"] = counted | {"output": served.usage.output, "thoughts": 0, "tool": 0}
        message = self._message("gemini", fields)
        if turn.steps:
            calls = [self._call(step, call, env) for step, call in steps_with_calls(turn, served)]
            self.append(message | {"toolCalls": calls}, {"$set": {"lastUpdated": self.now()}})

    def finish(self) -> None:
        pass

    def now(self) -> str:
        return session_writer.now()

    def _message(self, kind: str, fields: Json) -> Json:
        at = self.now()
        message = {"id": self.uuid(), "timestamp": at, "type": kind} | fields
        self.append(message, {"$set": {"lastUpdated": at}})
        return message

    def _call(self, step: Step, call: str, env: Mapping[str, str]) -> Json:
        if isinstance(step, Shell):
            with self.running(step, {"GEMINI_CLI": "1", **env}) as process:
                output = process.communicate()[0].rstrip("\n")
            given: Json = {"command": step.command, "description": "A step of the script"}
            failed = f"\nExit Code: {process.returncode}" if process.returncode else ""
            answer = f"<untrusted_context>\nOutput: {output or '(empty)'}{failed}\n</untrusted_context>"
            shown: Json | str = output
        else:
            change = self.change(step)
            given, shown, answer = _changed(step, change.path, change.before, change.after)
        name = _TOOLS[type(step)]
        response = {"functionResponse": {"id": call, "name": name, "response": {"output": answer}}}
        return {
            "id": call,
            "name": name,
            "args": given,
            "result": [response],
            "status": "success",
            "timestamp": self.now(),
            "resultDisplay": shown,
        }


def _changed(step: Write | Edit, path: Path, before: str | None, after: str) -> tuple[Json, Json, str]:
    given: Json = {"file_path": str(path)}
    if isinstance(step, Edit):
        given |= {"old_string": step.old, "new_string": step.new, "instruction": "A step of the script"}
        did = f"Successfully modified file: {path} (1 replacements)."
    else:
        given |= {"content": step.text}
        new = "created and wrote to new" if before is None else "overwrote"
        did = f"Successfully {new} file: {path}."
    sides = (before or "").splitlines(keepends=True), after.splitlines(keepends=True)
    shown = {
        "fileDiff": "".join(difflib.unified_diff(*sides, fromfile=path.name, tofile=path.name)),
        "fileName": path.name,
        "filePath": str(path),
        "originalContent": before or "",
        "newContent": after,
        "isNewFile": before is None,
    }
    return given, shown, f"{did} Here is the updated code:\n{after}"

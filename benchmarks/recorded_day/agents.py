"""Simulated agents: they run the given steps, and write the logs that real agents would."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shlex
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.recorded_day.place import HOME, REPO, Day, put

Json = dict[str, Any]


class Session:
    """A simulated agent's session: runs the given steps in ``folder`` and writes the agent's log.

    A subclass writes the log of one kind of agent: ``ask`` logs a prompt, ``say`` a message, ``begin`` a call
    with its arguments (``given``), ``end`` its result; ``environment`` returns the variables of its shells.
    """

    agent = ""

    def __init__(self, day: Day, name: str, folder: Path = REPO) -> None:
        self.day, self.folder = day, folder
        self.id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.agent} {name}"))
        self.count = 0
        self.log = self.log_path()

    def ask(self, text: str) -> None: ...
    def say(self, text: str, thought: str = "") -> None: ...
    def begin(self, call: str, kind: str, given: Json) -> None: ...
    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None: ...
    def log_path(self) -> Path: ...
    def environment(self, call: str) -> dict[str, str]: ...

    def write(self, path: str, text: str) -> None:
        given = {"path": str(self.folder / path), "text": text}
        call = self.begin_call("write", given)
        put(self.folder / path, text)
        self.end(call, "write", given, f"File created successfully at: {self.folder / path}", 0)

    def edit(self, path: str, old: str, new: str) -> None:
        given = {"path": str(self.folder / path), "old": old, "new": new}
        call = self.begin_call("edit", given)
        put(self.folder / path, (self.folder / path).read_text().replace(old, new, 1))
        self.end(call, "edit", given, f"The file {self.folder / path} has been updated successfully.", 0)

    def shell(self, command: str) -> None:
        call = self.begin_call("shell", {"command": command})
        done = self.day.run(
            "bash", "-c", f"{{ {command}\n}} 2>&1", cwd=self.folder, env=self.environment(call)
        )
        self.end(call, "shell", {"command": command}, done.stdout.decode().rstrip("\n"), done.returncode)

    def commit(self, message: str, *options: str) -> None:
        self.shell(
            shlex.join(["git", "add", "--all"])
            + " && "
            + shlex.join(["git", "commit", "-m", message, *options])
        )

    def begin_call(self, kind: str, given: Json) -> str:
        call = self.new_id("call_")
        self.begin(call, kind, given)
        return call

    def new_id(self, prefix: str = "") -> str:
        self.count += 1
        return prefix + uuid.uuid5(uuid.NAMESPACE_URL, f"{self.id} {self.log} {self.count}").hex

    def append(self, *records: Json) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a") as stream:
            stream.writelines(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
        os.utime(self.log, (self.day.now,) * 2)

    @property
    def trajectory(self) -> str:
        digest = hashlib.sha256(f"{self.agent}\0{self.id}".encode()).digest()[:10]
        return "traj_" + base64.b32encode(digest).decode().lower()


class Claude(Session):
    agent = "claude-code"
    helper = ""  # a subagent's name

    def log_path(self) -> Path:
        return HOME / ".claude" / "projects" / re.sub(r"\W|_", "-", str(self.folder)) / f"{self.id}.jsonl"

    def environment(self, call: str) -> dict[str, str]:
        return {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.id}

    def delegate(self, name: str) -> Claude:
        """Return a subagent, whose log is next to its session's."""
        other = Claude(self.day, name, self.folder)
        other.log = self.log.with_suffix("") / "subagents" / f"agent-{name}.jsonl"
        other.id, other.helper = self.id, name
        return other

    def ask(self, text: str) -> None:
        self._record("user", {"role": "user", "content": text})

    def say(self, text: str, thought: str = "") -> None:
        if thought:
            self._say({"type": "thinking", "thinking": thought, "signature": "c2lnbmF0dXJl"})
        self._say({"type": "text", "text": text})

    def begin(self, call: str, kind: str, given: Json) -> None:
        name = {"write": "Write", "edit": "Edit", "shell": "Bash"}[kind]
        names = {"path": "file_path", "text": "content", "old": "old_string", "new": "new_string"}
        arguments = {names.get(key, key): value for key, value in given.items()}
        self._say({"type": "tool_use", "id": call, "name": name, "input": arguments})

    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": bool(status)}
        detail: Json = {"stdout": output, "stderr": "", "interrupted": False}
        if kind != "shell":
            detail = {"filePath": given["path"], "structuredPatch": [], "originalFile": None}
        if kind == "write":
            detail |= {"type": "create", "content": given["text"]}
        if kind == "edit":
            detail |= {"oldString": given["old"], "newString": given["new"], "replaceAll": False}
        self._record("user", {"role": "user", "content": [block]}, toolUseResult=detail)

    def _say(self, block: Json) -> None:
        usage = {"input_tokens": 900 + self.count, "cache_read_input_tokens": 400, "output_tokens": 60}
        head = {
            "id": self.new_id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
        }
        self._record("assistant", head | {"content": [block], "usage": usage})

    def _record(self, kind: str, message: Json, **more: Any) -> None:
        known = {"sessionId": self.id, "cwd": str(self.folder), "version": "2.1.197", "gitBranch": "main"}
        helper = {"isSidechain": bool(self.helper)} | ({"agentId": self.helper} if self.helper else {})
        own = {"uuid": str(uuid.UUID(self.new_id())), "timestamp": self.day.stamp()}
        self.append({"type": kind, "message": message} | more | own | known | helper)


class Codex(Session):
    agent = "codex"

    def log_path(self) -> Path:
        day = datetime.fromtimestamp(self.day.now, UTC)
        folder = HOME / ".codex" / "sessions" / f"{day:%Y/%m/%d}"
        return folder / f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"

    def environment(self, call: str) -> dict[str, str]:
        return {"CODEX_THREAD_ID": self.id, "CODEX_SESSION_ID": self.id, "CODEX_TOOL_CALL_ID": call}

    def ask(self, text: str) -> None:
        if not self.log.exists():
            self._line("session_meta", id=self.id, cwd=str(self.folder), cli_version="0.169.0")
        self._line("turn_context", cwd=str(self.folder), model="gpt-5.5")
        self._message("user", "input_text", text)
        self._line("event_msg", type="user_message", message=text)

    def say(self, text: str, thought: str = "") -> None:
        if thought:
            self._item("reasoning", summary=[{"type": "summary_text", "text": thought}])
        self._line("event_msg", type="agent_message", message=text)
        self._message("assistant", "output_text", text)
        tokens = {"input_tokens": 1200 + self.count, "cached_input_tokens": 500, "output_tokens": 80}
        total = {"total_token_usage": tokens, "last_token_usage": tokens}
        self._line("event_msg", type="token_count", info=total)

    def begin(self, call: str, kind: str, given: Json) -> None:
        if kind == "shell":
            arguments = json.dumps({"cmd": given["command"]})
            self._item("function_call", name="exec_command", arguments=arguments, call_id=call)
            return
        path = Path(given["path"]).relative_to(self.folder)
        lines = [f"*** Update File: {path}", "@@", f"-{given.get('old')}", f"+{given.get('new')}"]
        if kind == "write":
            lines = [f"*** Add File: {path}", *(f"+{line}" for line in given["text"].splitlines())]
        text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        self._item("custom_tool_call", name="apply_patch", input=text, call_id=call)

    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None:
        framed = f"Exit code: {status}\nWall time: 0 seconds\nOutput:\n{output}"
        name = "function_call_output" if kind == "shell" else "custom_tool_call_output"
        self._item(name, call_id=call, output=framed)

    def _message(self, role: str, kind: str, text: str) -> None:
        self._item("message", role=role, content=[{"type": kind, "text": text}])

    def _item(self, kind: str, **payload: Any) -> None:
        self._line("response_item", type=kind, **payload)

    def _line(self, kind: str, **payload: Any) -> None:
        self.append({"timestamp": self.day.stamp(), "type": kind, "payload": payload})


class Gemini(Session):
    agent = "gemini-cli"
    project = property(lambda self: hashlib.sha256(str(self.folder).encode()).hexdigest())

    def log_path(self) -> Path:
        name = f"session-{datetime.fromtimestamp(self.day.now, UTC):%Y-%m-%dT%H-%M}-{self.id[:8]}.jsonl"
        return HOME / ".gemini" / "tmp" / self.project / "chats" / name

    def environment(self, call: str) -> dict[str, str]:
        return {"GEMINI_CLI": "1"}

    def ask(self, text: str) -> None:
        if not self.log.exists():
            times = {"startTime": self.day.stamp(), "lastUpdated": self.day.stamp()}
            self.append({"sessionId": self.id, "projectHash": self.project, "kind": "main"} | times)
        self._message("user", content=[{"text": text}])

    def say(self, text: str, thought: str = "") -> None:
        thoughts = (
            [{"subject": "Plan", "description": thought, "timestamp": self.day.stamp()}] if thought else []
        )
        self._answer(content=text, thoughts=thoughts)

    def begin(self, call: str, kind: str, given: Json) -> None:
        """Write the call's message; ``end`` writes it again with the result."""
        names = {"path": "file_path", "text": "content", "old": "old_string", "new": "new_string"}
        name = {"write": "write_file", "edit": "replace", "shell": "run_shell_command"}[kind]
        arguments = {names.get(key, key): value for key, value in given.items()}
        self.open = self._answer(content="", toolCalls=[{"id": call, "name": name, "args": arguments}])

    def end(self, call: str, kind: str, given: Json, output: str, status: int) -> None:
        text = f"Output: {output}\nExit Code: {status}" if kind == "shell" else output
        (began,) = self.open["toolCalls"]
        answer = {"functionResponse": {"id": call, "name": began["name"], "response": {"output": text}}}
        state = {"status": "success", "result": [answer], "timestamp": self.day.stamp()}
        self.append(self.open | {"toolCalls": [began | state]})

    def _answer(self, **more: Any) -> Json:
        tokens = {"input": 700 + self.count, "cached": 100, "output": 40, "thoughts": 9, "tool": 0}
        return self._message("gemini", model="gemini-2.5-pro", tokens=tokens, **more)

    def _message(self, kind: str, **more: Any) -> Json:
        message = {"id": self.new_id(), "timestamp": self.day.stamp(), "type": kind} | more
        self.append(message)
        return message

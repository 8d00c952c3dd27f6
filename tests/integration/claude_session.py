"""Claude Code's log, record by record as version 2.1 writes it in its headless mode."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.model_server import Served, Usage
from tests.e2e.scenario import Edit, Shell, Step, Turn, Write
from tests.integration.session_writer import Change, Json, Ran, SessionWriter, branch, now, steps_with_calls

_NEVER_READ = "(file state is current in your context — no need to Read it back)"
_COMMITTED = re.compile(r"^\[\S+ (?:\([^)]*\) )?([0-9a-f]{7,40})\] ", re.MULTILINE)


class ClaudeSession(SessionWriter):
    """``lag``: the seconds from the start of a shell call until the message with the call is in the log."""

    agent = "claude-code"
    model = "claude-sonnet-4-5"
    settles = 0.5
    lag = 0.05

    def new_session(self) -> str:
        return self.uuid()

    def new_call(self) -> str:
        return f"toolu_{self.hex(20)}"

    def place(self, home: Path) -> Path:
        self._last: str | None = None
        self._prompt = self._prompt_id = ""
        project = re.sub(r"[^a-zA-Z0-9]", "-", str(self.folder))
        return home / ".claude" / "projects" / project / f"{self.session}.jsonl"

    def write_prompt(self, text: str) -> None:
        first = self._last is None
        queue = {"type": "queue-operation", "timestamp": now(), "sessionId": self.session}
        self.append(queue | {"operation": "enqueue", "content": text}, queue | {"operation": "dequeue"})
        self._prompt, self._prompt_id = text, self.uuid()
        kind = {"permissionMode": "bypassPermissions", "promptSource": "sdk"}
        self._user({"role": "user", "content": text}, kind)
        if first:
            self._attach(type="agent_listing_delta", addedTypes=["Explore"], addedLines=["- Explore: reads"])
            self._attach(type="skill_listing", content="- review: Reviews", skillCount=1, isInitial=True)

    def write_response(self, turn: Turn, served: Served, *, last: bool, env: Mapping[str, str]) -> None:
        self._response = f"msg_{self.hex(20)}"
        reason = "tool_use" if turn.steps else "end_turn" if last else "max_tokens"
        blocks: list[Json] = []
        if turn.think:
            blocks.append({"type": "thinking", "thinking": turn.think, "signature": "c2lnbmF0dXJl"})
        if turn.say:
            blocks.append({"type": "text", "text": turn.say})
        for block in blocks:
            self._assistant(block, reason, served.usage)
        for step, call in steps_with_calls(turn, served):
            block = {"type": "tool_use", "id": call, "name": _TOOLS[type(step)], "input": self._input(step)}
            if isinstance(step, Shell):
                self._shell(step, call, block, reason, served.usage, env)
            else:
                source = self._assistant(block, reason, served.usage)
                self._changed(self.change(step), step, call, source)

    def finish(self) -> None:
        self.append(
            {
                "type": "last-prompt",
                "lastPrompt": self._prompt,
                "leafUuid": self._last,
                "sessionId": self.session,
            }
        )

    def bash_mode(self, command: str) -> None:
        """Let a person type ``! command``: Claude Code runs it with the environment of its calls."""
        known = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session}
        with self.running(Shell(command), known) as process:
            output = process.communicate()[0]
        for text in (f"<bash-input>{command}</bash-input>", f"<bash-stdout>{output}</bash-stdout>"):
            self._user({"role": "user", "content": text}, {})

    # ------------------------------------------------------------ calls

    def _input(self, step: Step) -> Json:
        match step:
            case Write(path, text):
                return {"file_path": str(self.folder / path), "content": text}
            case Edit(path, old, new):
                place = {"replace_all": False, "file_path": str(self.folder / path)}
                return place | {"old_string": old, "new_string": new}
            case Shell(command):
                return {"command": command, "description": "A step of the script"}

    def _shell(
        self, step: Shell, call: str, block: Json, reason: str, usage: Usage, env: Mapping[str, str]
    ) -> None:
        known = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session}
        begin = time.monotonic()
        with self.running(step, known | dict(env)) as process:
            time.sleep(self.lag)
            source = self._assistant(block, reason, usage)
            output = process.communicate()[0]
        ran = Ran(output.rstrip("\n"), process.returncode, time.monotonic() - begin)
        failed = ran.status != 0
        shown = f"Exit code {ran.status}\n{ran.output}" if failed else ran.output
        made = _COMMITTED.findall(ran.output)
        detail: Json = {"stdout": ran.output, "stderr": "", "interrupted": False, "isImage": False}
        detail["noOutputExpected"] = False
        if made:
            detail["gitOperation"] = {"commit": {"sha": made[-1], "kind": "committed"}}
        content = shown or "(Bash completed with no output)"
        self._result(call, content, f"Error: {content}" if failed else detail, source, is_error=failed)

    def _changed(self, change: Change, step: Write | Edit, call: str, source: str) -> None:
        patch = [] if change.before is None else [_hunk(*hunk) for hunk in change.hunks(3)]
        same = {"originalFile": change.before, "structuredPatch": patch, "userModified": False}
        detail: Json = {"filePath": str(change.path)} | same
        if isinstance(step, Edit):
            detail |= {"oldString": step.old, "newString": step.new, "replaceAll": False}
        else:
            detail |= {"type": "create" if change.before is None else "update", "content": step.text}
        did = f"The file {change.path} has been updated successfully."
        text = f"File created successfully at: {change.path}" if change.before is None else did
        self._result(call, f"{text} {_NEVER_READ}", detail, source)

    # ------------------------------------------------------------ records

    def _assistant(self, block: Json, reason: str, usage: Usage) -> str:
        message = {
            "id": self._response,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [block],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage.input,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": usage.cached,
                "output_tokens": usage.output,
                "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
                "service_tier": "standard",
                "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
                "inference_geo": "",
                "iterations": [],
                "speed": "standard",
            },
            "stop_details": None,
        }
        return self._record({"message": message, "type": "assistant"})

    def _result(
        self, call: str, content: str, detail: Json | str, source: str, *, is_error: bool | None = None
    ) -> None:
        block: Json = {"tool_use_id": call, "type": "tool_result", "content": content}
        if isinstance(detail, str) or "stdout" in detail:
            block["is_error"] = bool(is_error)
        self._user(
            {"role": "user", "content": [block]}, {"toolUseResult": detail, "sourceToolAssistantUUID": source}
        )

    def _user(self, message: Json, more: Json) -> str:
        return self._record({"promptId": self._prompt_id, "type": "user", "message": message}, more)

    def _attach(self, **attachment: object) -> None:
        self._record({"attachment": attachment, "type": "attachment"})

    def _record(self, value: Json, more: Json | None = None) -> str:
        own = self.uuid()
        place = {"userType": "external", "entrypoint": "sdk-cli", "cwd": str(self.folder)}
        known = {"sessionId": self.session, "version": "2.1.197", "gitBranch": branch(self.folder)}
        head = {"parentUuid": self._last, "isSidechain": False}
        self.append(head | value | {"uuid": own, "timestamp": now()} | (more or {}) | place | known)
        self._last = own
        return own


_TOOLS = {Write: "Write", Edit: "Edit", Shell: "Bash"}


def _hunk(head: str, lines: list[str]) -> Json:
    numbers = [[int(n) for n in (*side[1:].split(","), "1")[:2]] for side in head.strip("@ ").split(" ")]
    (old, olds), (new, news) = numbers
    return {"oldStart": old, "oldLines": olds, "newStart": new, "newLines": news, "lines": lines}

"""Codex's rollout, record by record as version 0.169 writes it in ``codex exec``."""

from __future__ import annotations

import difflib
import json
import os
import signal
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.e2e.model_server import Served, Usage
from tests.e2e.scenario import Edit, Shell, Step, Turn, Write
from tests.integration.session_writer import Change, Json, Ran, SessionWriter, branch, now, steps_with_calls

_INSTRUCTIONS = "You are a coding agent. You and the user share one workspace.\n" * 350
_GRACE = 0.5


class CodexSession(SessionWriter):
    """A thread of ``codex exec``; at the end of a shell call its process group is killed."""

    agent = "codex"
    model = "gpt-5.5"
    settles = 0.5

    def new_session(self) -> str:
        return self.uuid(7)

    def new_call(self) -> str:
        return f"call_{self.hex(20)}"

    def place(self, home: Path) -> Path:
        self._ordinal = 0
        self._sequence = 0
        self._turn = ""
        self._last_message = ""
        self._totals: dict[str, Usage] = {}
        day = datetime.now(UTC)
        folder = home / ".codex" / "sessions" / day.strftime("%Y/%m/%d")
        return folder / f"rollout-{day.strftime('%Y-%m-%dT%H-%M-%S')}-{self.session}.jsonl"

    def write_prompt(self, text: str) -> None:
        first = self._ordinal == 0
        if first:
            self._record("session_meta", self._meta())
        self._turn = self.uuid(7)
        self._began = time.time()
        self._totals["turn"] = Usage(0, 0, 0)
        self._event(
            "task_started",
            turn_attribution={"turn_trigger": "exec", "parent_turn_id": None, "initiating_agent_path": None}
            | self._turn_ids(),
            **self._turn_ids(),
            started_at=int(self._began),
            model_context_window=258400,
            collaboration_mode_kind="default",
        )
        if first:
            permissions = "<permissions instructions>\nNever ask.\n</permissions instructions>"
            self._message("developer", permissions, kind="permissions.instructions")
            place = f"<environment_context>\n  <cwd>{self.folder}</cwd>\n  <shell>bash</shell>\n"
            self._message("user", f"{place}</environment_context>", kind="environments.environment_context")
            world = {"local": {"cwd": str(self.folder), "status": "available", "shell": "bash"}}
            self._record("world_state", {"full": True, "state": {"environments": world, "model": self.model}})
        settings = self._settings()
        policy = {"sandbox_policy": {"type": "danger-full-access"}, "summary": "none"}
        self._record("turn_context", self._turn_ids() | settings | policy)
        if first:
            self._event("thread_settings_applied", thread_id=self.session, thread_settings=settings)
        self._message("user", text, kind="user.text")
        content = [{"type": "text", "text": text, "text_elements": []}]
        self._completed({"type": "UserMessage", "id": self.uuid(7), "content": content})

    def write_response(self, turn: Turn, served: Served, *, last: bool, env: Mapping[str, str]) -> None:
        if turn.think:
            own = f"rs_{self.hex(32)}"
            summary = [{"type": "summary_text", "text": turn.think}]
            self._completed({"type": "Reasoning", "id": own, "summary_text": [turn.think], "raw_content": []})
            self._item("reasoning", id=own, summary=summary, content=None, encrypted_content=None)
        if turn.say:
            self._last_message = turn.say
            own = f"msg_{self.hex(32)}"
            text = [{"type": "Text", "text": turn.say}]
            self._completed({"type": "AgentMessage", "id": own, "content": text})
            self._message("assistant", turn.say, kind="unknown", own=own)
        for step, call in steps_with_calls(turn, served):
            self._call(step, call)
        self._add_usage(served.usage)
        for step, call in steps_with_calls(turn, served):
            if isinstance(step, Shell):
                self._ran(step, call, self._run(step, call, env))
            else:
                self._changed(self.change(step), call)
        self._event("token_count", info=self._info(served.usage), rate_limits=_RATE_LIMITS)

    def finish(self) -> None:
        self._event(
            "task_complete",
            **self._turn_ids(),
            last_agent_message=self._last_message,
            started_at=int(self._began),
            completed_at=int(time.time()),
            duration_ms=int(1000 * (time.time() - self._began)),
            time_to_first_token_ms=100,
        )

    # ------------------------------------------------------------ calls

    def _call(self, step: Step, call: str) -> None:
        match step:
            case Shell(command):
                given = json.dumps({"cmd": command, "yield_time_ms": 10_000})
                own: Json = {"status": "completed", "id": f"fc_{self.hex(32)}", "name": "exec_command"}
                self._item("function_call", **own, arguments=given, call_id=call)
                return
            case Write(path, text):
                exists = (self.folder / path).exists()
                drop = [f"*** Delete File: {path}"] if exists else []
                lines = [*drop, f"*** Add File: {path}", *(f"+{line}" for line in text.splitlines())]
            case Edit(path, old, new):
                marked = [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]
                lines = [f"*** Update File: {path}", "@@", *marked]
        text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        own = {"id": f"ctc_{self.hex(32)}", "status": "completed", "call_id": call, "name": "apply_patch"}
        self._item("custom_tool_call", **own, input=text)

    def _run(self, step: Shell, call: str, env: Mapping[str, str]) -> Ran:
        thread = {"CODEX_THREAD_ID": self.session, "CODEX_SESSION_ID": self.session}
        known = thread | {"CODEX_TOOL_CALL_ID": call}
        begin = time.monotonic()
        with self.running(step, known | dict(env)) as process:
            output = process.communicate()[0]
            _end_group(process.pid)
        return Ran(output, process.returncode, time.monotonic() - begin)

    def _ran(self, step: Shell, call: str, ran: Ran) -> None:
        item = {
            "type": "CommandExecution",
            "id": call,
            "process_id": str(self.random.randrange(100_000)),
            "command": ["/bin/bash", "-lc", step.command],
            "cwd": self.folder.as_uri(),
            "parsed_cmd": [{"type": "unknown", "cmd": step.command}],
            "source": "unified_exec_startup",
            "status": "failed" if ran.status else "completed",
            "aggregated_output": ran.output,
            "exit_code": ran.status,
            "duration": {"secs": int(ran.seconds), "nanos": int(ran.seconds % 1 * 1e9)},
        }
        self._completed(item)
        head = [f"Chunk ID: {self.hex(6)}", f"Wall time: {ran.seconds:.4f} seconds"]
        head += [f"Process exited with code {ran.status}", f"Original token count: {len(ran.output) // 4}"]
        self._output("function_call_output", "fco", call, "\n".join([*head, "Output:", ran.output]))

    def _changed(self, change: Change, call: str) -> None:
        verb = "A" if change.before is None else "M"
        did = f"Success. Updated the following files:\n{verb} {change.path.relative_to(self.folder)}\n"
        made: Json = {"type": "add", "content": change.after}
        if change.before is not None:
            sides = change.before.splitlines(True), change.after.splitlines(True)
            diff = "".join([*difflib.unified_diff(*sides, n=1)][2:])
            made = {"type": "update", "unified_diff": diff, "move_path": None}
        item = {"type": "FileChange", "id": call, "changes": {str(change.path): made}}
        self._completed(item | {"status": "completed", "stdout": did, "stderr": ""})
        self._output(
            "custom_tool_call_output", "ctco", call, f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{did}"
        )

    # ------------------------------------------------------------ records

    def _meta(self) -> Json:
        return {
            "session_id": self.session,
            "id": self.session,
            "timestamp": now(),
            "cwd": str(self.folder),
            "runtime_workspace_roots": [str(self.folder)],
            "originator": "codex_exec",
            "cli_version": "0.169.0",
            "source": "exec",
            "thread_source": "user",
            "model_provider": "openai",
            "base_instructions": {"text": _INSTRUCTIONS, "provenance": {"type": "model"}},
            "history_mode": "paginated",
            "context_window": {"window_id": self.uuid(7)},
            "git": {"branch": branch(self.folder)},
        }

    def _settings(self) -> Json:
        mode = {"model": self.model, "reasoning_effort": None, "developer_instructions": None}
        return {
            "cwd": str(self.folder),
            "approval_policy": "never",
            "approvals_reviewer": "user",
            "permission_profile": {"type": "disabled"},
            "model": self.model,
            "collaboration_mode": {"mode": "default", "settings": mode},
        }

    def _message(self, role: str, text: str, *, kind: str, own: str | None = None) -> None:
        content: Json = {"type": "input_text", "text": text}
        passed: Json = {"content_item_kinds": [kind]}
        status: Json = {}
        if role == "assistant":
            content = {"type": "output_text", "text": text, "annotations": []}
            status = {"status": "completed"}
        else:
            passed["create_time"] = time.time()
        own = own or f"msg_{self.uuid(7)}"
        more: Json = {}
        if kind in ("user.text", "unknown"):
            source = {"message_id": own, "turn_id": self._turn, "role": role}
            revision = f"retained_{self.uuid(7)}"
            more = {"retained_source": {"id": source, "revision": revision, "complete": True}}
        self._item("message", passed=passed, more=more, **status, id=own, role=role, content=[content])

    def _output(self, kind: str, prefix: str, call: str, text: str) -> None:
        own = f"{prefix}_{self.uuid(7)}"
        limit = {"fallback_token_limit_override": 12000}
        at = {"create_time": time.time()}
        self._item(kind, passed=at, more=limit, id=own, call_id=call, output=text)

    def _add_usage(self, usage: Usage) -> None:
        for name in ("turn", "thread"):
            self._totals[name] = self._totals.get(name, Usage(0, 0, 0)) + usage
        self._record(
            "token_usage_record",
            {"thread_id": self.session, "session_id": self.session, "response_id": f"resp_{self.hex(32)}"}
            | self._turn_ids()
            | {"usage": _tokens(usage)}
            | {f"{name}_token_usage": _tokens(total) for name, total in self._totals.items()},
        )

    def _info(self, usage: Usage) -> Json:
        totals = {"total_token_usage": _tokens(self._totals["thread"]), "last_token_usage": _tokens(usage)}
        return totals | {"last_usage_includes_reasoning": False, "model_context_window": 258400}

    def _turn_ids(self) -> Json:
        return {"turn_id": self._turn, "root_turn_id": self._turn}

    def _completed(self, item: Json) -> None:
        at = int(1000 * time.time())
        ids = {"thread_id": self.session, "turn_id": self._turn}
        self._event("item_completed", **ids, item=item, started_at_ms=at, completed_at_ms=at)

    def _event(self, kind: str, **payload: object) -> None:
        self._record("event_msg", {"type": kind, **payload})

    def _item(
        self, kind: str, *, passed: Json | None = None, more: Json | None = None, **payload: object
    ) -> None:
        self._sequence += 1
        turn = {"internal_chat_message_metadata_passthrough": {"turn_id": self._turn} | (passed or {})}
        known = {"history_sequence": self._sequence, "sampled_through_sequence": self._sequence - 1}
        known |= {"client_authored": False} | (more or {})
        self._record("response_item", {"type": kind, **payload} | turn, {"metadata": known})

    def _record(self, kind: str, payload: Json, more: Json | None = None) -> None:
        head = {"timestamp": now(), "ordinal": self._ordinal, "type": kind, "payload": payload}
        self.append(head | (more or {}))
        self._ordinal += 1


_RATE_LIMITS = {"limit_id": "codex", "limit_name": None, "primary": None, "secondary": None, "credits": None}


def _tokens(usage: Usage) -> Json:
    """The token counts in OpenAI's form, whose input includes cached tokens."""
    return {
        "input_tokens": usage.input + usage.cached,
        "cached_input_tokens": usage.cached,
        "cache_write_input_tokens": 0,
        "output_tokens": usage.output,
        "reasoning_output_tokens": usage.output // 5,
        "total_tokens": usage.input + usage.cached + usage.output,
    }


def _end_group(group: int) -> None:
    """Give a shell call's process group ``_GRACE`` seconds to end by itself, then kill it."""
    end = time.monotonic() + _GRACE
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.005)
    os.killpg(group, signal.SIGKILL)

"""Writes A3S Code's file store: messages, and files for runs, reports and artifacts.

Events without a counterpart in the format (decisions, findings, errors) become messages of the system. Times
and exit codes are written into the events of runs; exit codes also into traces. Patches and digests cannot be
written, as they are never stored, nor binary artifacts, of which only size and hash are stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gittraj.formats.a3s.store import file_name
from gittraj.formats.base import coerce
from gittraj.formats.base.exported import Exported, events_of, pretty
from gittraj.model.times import seconds

Event = Mapping[str, Any]
_STATES = {"completed": "Completed", "failed": "Error", "abandoned": "Error"}
_NAME = re.compile(r"\w[\w.-]{0,200}", re.ASCII)
_NEEDED: dict[str, dict[str, Any]] = {
    "trace": {"schema": "a3s.trace_event.v1", "kind": "program_execution", "name": "", "success": False}
    | dict.fromkeys(("exit_code", "duration_ms", "output_bytes"), 0),
    "report": {"schema": "a3s.verification_report.v1", "status": "needs_review"},
    "check": {"kind": "", "description": "", "status": "needs_review"},
    "run": {"status": "completed", "created_at_ms": 0, "updated_at_ms": 0, "event_count": 0},
    "task": {"child_session_id": "", "agent": "", "description": "", "status": "running", "progress": []},
    "checkpoint": {"schema_version": 1, "turn": 0, "tool_calls_count": 0, "checkpoint_ms": 0},
    "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
}
"""Fields that A3S Code requires: if one object lacks any of them, A3S Code reads nothing of the store."""


def files(exported: Exported) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of the store. A session whose id is already used, or cannot be
    a file name, gets its trajectory's id."""
    used: set[str] = set()
    for trajectory in exported.trajectories:
        session_id = str(trajectory["session"] or trajectory["id"])
        if not _NAME.fullmatch(file_name(session_id)) or file_name(session_id) in used:
            session_id = trajectory["id"]
        name = file_name(session_id)
        used.add(name)
        parts = _Parts(session_id)
        for event in events_of(trajectory):
            parts.add(event)
        yield f"{name}.json", pretty(_session(trajectory, session_id, parts.messages))
        for path, values in (
            (f"traces/{name}.json", parts.traces()),
            (f"verification/{name}.json", parts.reports),
            (f"runs/{name}.json", parts.runs),
            (f"subagent_tasks/{name}.json", parts.tasks),
        ):
            if values:
                yield path, pretty(values)
        if parts.artifacts:
            yield (
                f"artifacts/{name}/artifacts.json",
                pretty({"artifacts": parts.artifacts, "retained_uris": []}),
            )
        for checkpoint in parts.checkpoints:
            yield f"loop_checkpoints/{file_name(str(checkpoint['run_id']))}.json", pretty(checkpoint)


def _session(trajectory: Event, session_id: str, messages: Sequence[Any]) -> dict[str, Any]:
    times = [int(seconds(trajectory["total"][key]) or 0) for key in ("startedAt", "endedAt")]
    parent = trajectory["parent"] or {}
    return {
        "id": session_id,
        "config": {
            "name": trajectory["title"] or "",
            "workspace": "",
            "system_prompt": None,
            "max_context_length": 0,
            "auto_compact": False,
            "parent_id": parent.get("id"),
        },
        "state": _STATES.get(trajectory["status"] or "", "Active"),
        "messages": messages,
        "context_usage": {"used_tokens": 0, "max_tokens": 0, "percent": 0.0, "turns": 0},
        "total_usage": _usage(trajectory["total"]["usage"]),
        "total_cost": trajectory["total"]["costUsd"] or 0.0,
        "model_name": trajectory["models"][0] if trajectory["models"] else None,
        "cost_records": [],
        "tool_names": [],
        "thinking_enabled": trajectory["thinking"] != "none",
        "thinking_budget": None,
        "created_at": times[0],
        "updated_at": times[1],
        "llm_config": None,
        "tasks": [],
        "parent_id": parent.get("id"),
    }


def _usage(usage: Event) -> dict[str, Any]:
    prompt = sum(usage[f"{kind}Tokens"] or 0 for kind in ("input", "cacheRead", "cacheWrite"))
    output = usage["outputTokens"] or 0
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "cache_read_tokens": usage["cacheReadTokens"],
        "cache_write_tokens": usage["cacheWriteTokens"],
    }


@dataclass(slots=True)
class _Parts:
    """The parts of the store of one session, made from its events, which are added in order."""

    session_id: str
    messages: list[dict[str, Any]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    checkpoints: list[dict[str, Any]] = field(default_factory=list)
    _spare: list[dict[str, Any]] = field(default_factory=list)  # traces without a call
    _tools: dict[str, str] = field(default_factory=dict)
    _tool_results: list[tuple[str, Event]] = field(default_factory=list)
    _prompt: str = ""
    _response: Any = None

    def add(self, event: Event) -> None:
        raw = coerce.mapping(event.get("raw"))
        match event["type"]:
            case "prompt":
                self._prompt = event["content"]
                self._say("user", {"type": "text", "text": event["content"]})
            case "thinking" | "message" | "tool_call":
                (self._task if _is_task(event) else self._answer)(event)
            case "tool_result":
                self._result(event, raw)
            case _:
                if not self._add_record(event, raw):
                    self._remark(event)

    def _add_record(self, event: Event, raw: Mapping[str, Any]) -> bool:
        """Add an event that has a file or an object of its own in the store; False if it has none."""
        match event["type"]:
            case "verification":
                self.reports.append(_report(event, raw))
            case "artifact":
                self.artifacts.append({**_artifact(event), **raw, "content": event["content"]})
            case "a3s.trace":
                self._spare.append(_filled("trace", raw))
            case "checkpoint" if "run_id" in raw:
                usage = _filled("usage", coerce.mapping(raw.get("total_usage")))
                fields = {"session_id": self.session_id, "total_usage": usage, "messages": []}
                self.checkpoints.append(_filled("checkpoint", raw, fields))
            case "error" if self.runs and event["id"] == f"{self.runs[-1]['snapshot'].get('id')}:error":
                self.runs[-1]["snapshot"]["error"] = event["content"]
            case "note" if "run" in event.get("tags", ()):
                self._run(event, raw)
            case _:
                return False
        return True

    def _remark(self, event: Event) -> None:
        """Add an event without a counterpart in the format, as a message of the system."""
        kind, chosen = event["type"], (event.get("decision") or {}).get("chosen")
        if text := event["content"] or str(chosen or ""):
            self._say("system", {"type": "text", "text": text if kind == "note" else f"{kind}: {text}"})

    def traces(self) -> list[dict[str, Any]]:
        """The traces of each tool with an exit code or a duration in a result; then those without a call."""
        traced = {
            tool
            for tool, e in self._tool_results
            if e["result"]["exitCode"] is not None or e.get("durationMs")
        }
        traces = [
            _filled(
                "trace",
                {
                    "kind": "tool_execution",
                    "name": tool,
                    "success": not event["result"]["isError"],
                    "exit_code": event["result"]["exitCode"],
                    "duration_ms": event.get("durationMs"),
                    "output_bytes": len(event["content"].encode("utf-8", "replace")),
                },
            )
            for tool, event in self._tool_results
            if tool in traced
        ]
        return [*traces, *self._spare]

    def _say(self, role: str, block: dict[str, Any]) -> None:
        self._response = None
        self.messages.append({"role": role, "content": [block]})

    def _answer(self, event: Event) -> None:
        last = self.messages[-1] if self.messages else {}
        response = event.get("response")
        is_same_response = last.get("role") == "assistant" and self._response == response
        if not is_same_response:
            last = {"role": "assistant", "content": []}
            self.messages.append(last)
        self._response = response
        if event["type"] == "thinking":
            before = last.get("reasoning_content")
            last["reasoning_content"] = "\n\n".join(filter(None, (before, event["content"])))
        elif event["type"] == "message":
            last["content"].append({"type": "text", "text": event["content"]})
        else:
            tool = event["tool"]
            call = tool["callId"] or event["id"]
            self._tools[call] = tool["name"] or "unknown"
            self._add_time("tool_start", event, call)
            block = {"type": "tool_use", "id": call, "name": self._tools[call], "input": tool["arguments"]}
            last["content"].append(block)

    def _result(self, event: Event, raw: Mapping[str, Any]) -> None:
        result = event["result"]
        call = result["callId"] or event["id"]
        if call.startswith("task:") and self.tasks and raw:
            self.tasks[-1] |= {**raw, "output": _task_output(event["content"])}
            return
        if tool := self._tools.get(call):
            self._tool_results.append((tool, event))
        self._add_time("tool_end", event, call, exit_code=result["exitCode"] or 0, output=event["content"])
        block = {"tool_use_id": call, "content": event["content"], "is_error": result["isError"]}
        last = self.messages[-1] if self.messages else {}
        if last.get("role") == "user" and last["content"][-1]["type"] == "tool_result":
            last["content"].append({"type": "tool_result", **block})
        else:
            self._say("user", {"type": "tool_result", **block})

    def _run(self, event: Event, raw: Mapping[str, Any]) -> None:
        snapshot = _filled("run", raw, {"session_id": self.session_id, "prompt": self._prompt})
        snapshot.pop("workspace_change_set", None)  # useless without its patch
        self.runs.append({"snapshot": {"id": event["id"], **snapshot}, "events": []})

    def _add_time(self, kind: str, event: Event, call: str, **more: Any) -> None:
        """Add the beginning or the end of a call to the events of the last run."""
        if self.runs and event["ts"]:
            events = self.runs[-1]["events"]
            body = {"type": kind, "id": call, "name": self._tools.get(call, ""), **more}
            moment = round((seconds(event["ts"]) or 0) * 1000)
            events.append({"sequence": len(events) + 1, "timestamp_ms": moment, "event": body})

    def _task(self, event: Event) -> None:
        arguments = coerce.mapping(event["tool"]["arguments"])
        moment = round((seconds(event["ts"]) or 0) * 1000)
        ids = {"task_id": event["id"].removeprefix("task:"), "parent_session_id": self.session_id}
        self.tasks.append(_filled("task", arguments, ids, {"started_ms": moment, "updated_ms": moment}))


def _is_task(event: Event) -> bool:
    """Whether the event is the call of a delegated task that a reader found outside the messages."""
    is_call = event["type"] == "tool_call" and event["tool"]["name"] == "Task"
    return is_call and str(event["id"]).startswith("task:")


def _task_output(content: str) -> str:
    """The content without the child's session id that a reader appended."""
    return content.rpartition("\n[session ")[0] or content


def _report(event: Event, raw: Event) -> dict[str, Any]:
    checks = enumerate(coerce.objects(raw.get("checks")))
    filled = [_filled("check", {"id": str(number)}, check) for number, check in checks]
    return _filled("report", {"subject": event["content"].split("\n")[0]}, raw, {"checks": filled})


def _filled(kind: str, *values: Event) -> dict[str, Any]:
    """Merge ``values``, and add the fields of ``_NEEDED`` that they lack or that are null in them."""
    known = ((key, value) for each in values for key, value in each.items() if value is not None)
    return {**_NEEDED[kind], **dict(known)}


def _artifact(event: Event) -> dict[str, Any]:
    artifact_id = event["id"].rpartition("/")[2]
    size = len(event["content"].encode("utf-8", "replace"))
    return {
        "artifact_id": artifact_id,
        "artifact_uri": f"a3s://tool-output/artifact/{artifact_id}",
        "tool_name": "artifact",
        "original_bytes": size,
        "shown_bytes": size,
    }

"""The very old output of ``codex exec --json``, ``{"id":"0","msg":{"type":…}}``, in the words of today's.

Before version 0.42 it showed the program's own messages (github.com/openai/codex, codex-rs/protocol,
``EventMsg``). Each becomes the records that the later output has for the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce

_STARTS = {
    "exec_command_begin": "command_execution",
    "patch_apply_begin": "file_change",
    "mcp_tool_call_begin": "mcp_tool_call",
}
_ENDS = {
    "exec_command_end": "command_execution",
    "patch_apply_end": "file_change",
    "mcp_tool_call_end": "mcp_tool_call",
    "web_search_end": "web_search",
}
_SAID = {"agent_message": "message", "agent_reasoning": "text", "agent_reasoning_raw_content": "text"}


def translate(message: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The records that say what ``message`` does; ``number`` is its place in the log."""
    kind = coerce.text(message.get("type")) or ""
    if kind == "session_configured":
        known = {"thread_id": message.get("session_id"), "model": message.get("model")}
        yield {"type": "thread.started", **known}
    elif kind == "task_started":
        yield {"type": "turn.started"}
    elif kind in _SAID:
        own = "agent_message" if kind == "agent_message" else "reasoning"
        yield _item("item.completed", f"m{number}", {"type": own, "text": message.get(_SAID[kind])})
    elif kind in _STARTS:
        item = _called(message) | {"type": _STARTS[kind], "status": "in_progress"}
        yield _item("item.started", message.get("call_id"), item)
    elif kind in _ENDS:
        yield _item("item.completed", message.get("call_id"), _ended(message) | {"type": _ENDS[kind]})
    elif kind == "plan_update":
        steps = coerce.objects(message.get("plan"))
        items = [{"text": step.get("step"), "completed": step.get("status") == "completed"} for step in steps]
        yield _item("item.updated", "plan", {"type": "todo_list", "items": items})
    elif kind == "token_count":
        total = coerce.mapping(message.get("info")).get("total_token_usage")
        yield {"type": "usage", "total": total, "last": None if total or "info" in message else message}
    elif kind in ("error", "stream_error"):
        yield {"type": "error", "message": message.get("message")}
    elif kind == "task_complete":
        yield {"type": "turn.completed"}
    elif kind == "turn_aborted":
        yield {"type": "turn.aborted", "reason": message.get("reason")}
    elif kind == "user_message" and message.get("kind") in (None, "plain"):
        yield {"prompt": message.get("message")}


def _item(kind: str, own: Any, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "item": {"id": own, **item}}


def _called(message: dict[str, Any]) -> dict[str, Any]:
    invocation = coerce.mapping(message.get("invocation")) or message
    return {key: invocation.get(key) for key in ("command", "cwd", "changes", "server", "tool", "arguments")}


def _ended(message: dict[str, Any]) -> dict[str, Any]:
    code = coerce.number(message.get("exit_code"))
    result = coerce.mapping(message.get("result"))
    success = message.get("success") is not False and "Err" not in result and code in (None, 0)
    outputs = [coerce.text(message.get(name)) for name in ("stdout", "stderr")]
    output = "".join(text for text in outputs if text)
    failure = {"error": {"message": result["Err"]}} if "Err" in result else {}
    return (
        _called(message)
        | failure
        | {
            "aggregated_output": coerce.text(message.get("aggregated_output")) or output,
            "output": output,
            "exit_code": code,
            "query": message.get("query"),
            "result": result.get("Ok", result),
            "status": "completed" if success else "failed",
        }
    )

"""The records in the output of ``codex exec --json``: which there are, and what identifies one.

Before version 0.42 the output consisted of the program's own messages, ``{"id":"0","msg":{"type":…}}``
(github.com/openai/codex, codex-rs/protocol, ``EventMsg``): they are translated to today's records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.lines import Fragment

TURNS = frozenset(("turn.started", "turn.completed", "turn.failed"))
ITEMS = frozenset(("item.started", "item.updated", "item.completed"))
THREADS = {"thread.started": "thread_id", "session.created": "session_id"}
HEADER = frozenset(("workdir", "model", "provider", "sandbox"))


def is_record(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str):
        message = record.get("msg")
        old = "id" in record and isinstance(message, dict) and isinstance(message.get("type"), str)
        return old or record.keys() >= HEADER
    if kind in THREADS:
        return isinstance(record.get(THREADS[kind]), str)
    return kind in TURNS or (kind in ITEMS and isinstance(record.get("item"), dict))


def thread_id(fragments: Iterable[Fragment]) -> str | None:
    """The thread that the first record with a thread's id names."""
    records = (record for fragment in fragments for record in translated(fragment.value, 0))
    threads = (coerce.text(record.get(THREADS.get(kind_of(record), ""))) for record in records)
    return next((thread for thread in threads if thread), None)


def kind_of(record: dict[str, Any]) -> str:
    return coerce.text(record.get("type")) or ""


def translated(value: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The record itself, or the one that has replaced its oldest form."""
    message = value.get("msg")
    record = translate(message, number) if isinstance(message, dict) else value
    if record is not None:
        yield record


def shape(item: dict[str, Any]) -> list[str | int]:
    """The type of an item or record, and the lengths of its texts and lists."""
    return [kind_of(item), *[len(part) for part in item.values() if isinstance(part, str | list)]]


def shapes(fragments: Iterable[Fragment]) -> Iterator[list[str | int]]:
    """The shape of each record, and of the item or message in it."""
    for fragment in fragments:
        inner = fragment.value.get("item") or fragment.value.get("msg")
        yield shape(fragment.value)
        yield shape(coerce.mapping(inner))


# ---------------------------------------------------------------- the oldest form

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
_TEXTS = {"agent_message": "message", "agent_reasoning": "text", "agent_reasoning_raw_content": "text"}


def translate(message: dict[str, Any], number: int) -> dict[str, Any] | None:
    """The record that corresponds to ``message``, if any; ``number`` is its index in the log."""
    kind = coerce.text(message.get("type")) or ""
    return _item_record(kind, message, number) or _turn_record(kind, message)


def _item_record(kind: str, message: dict[str, Any], number: int) -> dict[str, Any] | None:
    if kind in _TEXTS:
        own = "agent_message" if kind == "agent_message" else "reasoning"
        return _item("item.completed", f"m{number}", {"type": own, "text": message.get(_TEXTS[kind])})
    if kind in _STARTS:
        item = _called(message) | {"type": _STARTS[kind], "status": "in_progress"}
        return _item("item.started", message.get("call_id"), item)
    if kind in _ENDS:
        return _item("item.completed", message.get("call_id"), _ended(message) | {"type": _ENDS[kind]})
    if kind == "plan_update":
        steps = coerce.objects(message.get("plan"))
        items = [{"text": step.get("step"), "completed": step.get("status") == "completed"} for step in steps]
        return _item("item.updated", "plan", {"type": "todo_list", "items": items})
    return None


def _turn_record(kind: str, message: dict[str, Any]) -> dict[str, Any] | None:
    match kind:
        case "session_configured":
            thread = {"thread_id": message.get("session_id"), "model": message.get("model")}
            return {"type": "thread.started", **thread}
        case "task_started":
            return {"type": "turn.started"}
        case "token_count":
            total = coerce.mapping(message.get("info")).get("total_token_usage")
            last = None if total or "info" in message else message
            return {"type": "usage", "total": total, "last": last}
        case "error" | "stream_error":
            return {"type": "error", "message": message.get("message")}
        case "task_complete":
            return {"type": "turn.completed"}
        case "turn_aborted":
            return {"type": "turn.aborted", "reason": message.get("reason")}
        case "user_message" if message.get("kind") in (None, "plain"):
            return {"prompt": message.get("message")}
    return None


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

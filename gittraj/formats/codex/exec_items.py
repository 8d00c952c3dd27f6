"""Reads records in the output of ``codex exec --json``: recognises and identifies them, and finds out what
each call among their items did, and how it ended.

The fields are those of github.com/openai/codex, codex-rs/exec/src/exec_events.rs (``ThreadItemDetails``).
Before version 0.42 the output consisted of the program's own messages, ``{"id":"0","msg":{"type":…}}``
(codex-rs/protocol, ``EventMsg``): they are translated to today's records.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from gittraj.formats.base import coerce, images
from gittraj.formats.base.lines import Fragment
from gittraj.formats.base.outcomes import Call, Outcome, printed_commits
from gittraj.formats.codex import calls
from gittraj.formats.codex.outputs import output

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
    """The id of the thread, from the first record that has one."""
    records = filter(None, (translated(fragment.value, 0) for fragment in fragments))
    threads = (coerce.text(record.get(THREADS.get(kind_of(record), ""))) for record in records)
    return next((thread for thread in threads if thread), None)


def kind_of(record: dict[str, Any]) -> str:
    return coerce.string(record.get("type"))


def translated(value: dict[str, Any], number: int) -> dict[str, Any] | None:
    """The record itself; or, if it is in the oldest form, the corresponding record of today, if any.
    ``number`` is its index in the log."""
    message = value.get("msg")
    if not isinstance(message, dict):
        return value
    kind = kind_of(message)
    return _item_record(kind, message, number) or _turn_record(kind, message)


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


def _item_record(kind: str, message: dict[str, Any], number: int) -> dict[str, Any] | None:
    if kind in _TEXTS:
        item_type = "agent_message" if kind == "agent_message" else "reasoning"
        text = message.get(_TEXTS[kind])
        return _item("item.completed", f"m{number}", {"type": item_type, "text": text})
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
            total = coerce.at(message, "info", "total_token_usage")
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


def _item(kind: str, item_id: Any, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "item": {"id": item_id, **item}}


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


OUTPUTS = ("function_call_output", "custom_tool_call_output")
"""Items that wrappers write for the output of a call."""
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_WRAPPED = re.compile(r"(?:/[\w./-]*/)?(?:ba|z|da|k|a|fi)?sh -l?c (.+)", re.DOTALL)
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r'\\([\\"$`])')
_BARE = re.compile(r"[\w@%+=:,./-]+")


def call(item: dict[str, Any], folder: str | None) -> Call | None:
    """The call in an item; ``None`` for messages, thinking and notes. ``folder``: the session's, if known."""
    match item.get("type"):
        case "command_execution":
            command, cwd = item.get("command"), _folder(item.get("cwd")) or folder
            return Call("command_execution", {"command": command}, _command(command), cwd)
        case "file_change":
            changes = item.get("changes")
            edits = calls.changed(changes)
            paths = tuple(edit.path for edit in edits)
            return Call("file_change", {"changes": changes}, None, folder, edits, paths)
        case "mcp_tool_call":
            name = f"mcp__{item.get('server')}__{item.get('tool')}"
            return Call(name, item.get("arguments"))
        case "collab_tool_call":
            arguments = _arguments(item, "prompt", "receiver_thread_ids")
            return Call(coerce.text(item.get("tool")) or "collab_tool_call", arguments)
        case "web_search":
            return Call("web_search", _arguments(item, "query", "action"))
        case kind if kind in _CALLS:
            return calls.call(item, folder)
    return None


def _arguments(item: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: item[name] for name in names if item.get(name)}


def result(item: dict[str, Any]) -> Outcome | None:
    """How the call of a completed item ended; ``None`` for a kind of call that has no result."""
    declined = item.get("status") == "declined"
    failed = declined or item.get("status") == "failed"
    match item.get("type"):
        case "command_execution":
            text = coerce.string(item.get("aggregated_output"))
            code = coerce.number(item.get("exit_code"))
            return Outcome(
                text=text,
                exit_code=code,
                is_error=failed or code not in (None, 0),
                declined=declined,
                commits=printed_commits(text),
            )
        case "file_change":
            text = coerce.string(item.get("output"))
            return Outcome(text=text, is_error=failed, declined=declined)
        case "mcp_tool_call":
            return _answer(item, failed=failed)
        case "collab_tool_call":
            return Outcome(text=_states(item), is_error=failed)
        case kind if kind in OUTPUTS:
            return output(item.get("output"))
    return None


def steps(item: dict[str, Any]) -> str:
    """The plan in a ``todo_list``, one step per line."""
    rows = coerce.objects(item.get("items"))
    texts = ((step.get("completed") is True, coerce.string(step.get("text"))) for step in rows)
    return "\n".join(f"[{'x' if done else ' '}] {text}" for done, text in texts)


def error_text(error: Any) -> str:
    """The text of an error, which may be the JSON of a server's answer."""
    value = coerce.parsed(error)
    while isinstance(value, dict):
        value = value.get("error") or value.get("message") or value.get("detail")
    return coerce.either(value, error) or "error"


def _folder(cwd: Any) -> str | None:
    path = coerce.text(cwd)
    return unquote(path.removeprefix("file://")) if path and path.startswith("file://") else path


def _command(command: Any) -> str | None:
    """The shell command without the shell that runs it."""
    if isinstance(command, list):
        return calls.shell_command(command)
    text = coerce.text(command)
    wrapped = _WRAPPED.fullmatch(text) if text else None
    return _unquoted(wrapped[1]) if wrapped else text


def _unquoted(word: str) -> str:
    """``word`` without quotes, by the rules of a POSIX shell; unchanged if it is not one word. ``shlex`` is a
    hundred times slower, so it only reads uncommon forms."""
    if word[0] == "'" and word.find("'", 1) == len(word) - 1:
        return word[1:-1]
    if match := _DOUBLE.fullmatch(word):
        return _ESCAPED.sub(r"\1", match[1])
    if _BARE.fullmatch(word):
        return word
    try:
        words = shlex.split(word)
    except ValueError:
        return word
    return words[0] if len(words) == 1 else word


def _answer(item: dict[str, Any], *, failed: bool) -> Outcome:
    """The outcome of an MCP tool: content blocks, else structured content; and the error."""
    fields = coerce.mapping(item.get("result"))
    text, artifact = images.joined(coerce.objects(fields.get("content")))
    structured = fields.get("structured_content")
    if not text and structured is not None:
        text = json.dumps(structured, ensure_ascii=False)
    error = coerce.either(coerce.at(item, "error", "message"), item.get("error"))
    text = "\n".join(filter(None, (text, error)))
    refused = fields.get("is_error") is True or fields.get("isError") is True
    return Outcome(text=text, is_error=failed or refused or error is not None, artifact=artifact)


def _states(item: dict[str, Any]) -> str:
    """The states of the session's other agents, one per line."""
    lines: list[str] = []
    for thread, state in coerce.mapping(item.get("agents_states")).items():
        fields = coerce.mapping(state)
        message = coerce.text(fields.get("message"))
        lines.append(
            f"{thread}: {coerce.text(fields.get('status')) or '?'}{f': {message}' if message else ''}"
        )
    return "\n".join(lines or map(str, coerce.sequence(item.get("receiver_thread_ids"))))

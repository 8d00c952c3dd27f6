"""The calls among the items of ``codex exec --json``: what each did, and how it ended.

Their fields are those of github.com/openai/codex, codex-rs/exec/src/exec_events.rs (``ThreadItemDetails``).
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Any
from urllib.parse import unquote

from gittraj.formats.base import coerce, commits, images
from gittraj.formats.base.outcomes import Call, Outcome
from gittraj.formats.codex import calls
from gittraj.formats.codex.outputs import output

OUTPUTS = ("function_call_output", "custom_tool_call_output")
"""Items that wrappers write for the output of an item that is a call."""
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_WRAPPED = re.compile(r"(?:/[\w./-]*/)?(?:ba|z|da)?sh -l?c (.+)", re.DOTALL)
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r'\\([\\"$`])')
_BARE = re.compile(r"[\w@%+=:,./-]+")


def call(item: dict[str, Any], folder: str | None) -> Call | None:
    """The call that an item is; ``None`` for messages, thinking and notes. ``folder`` is where the
    session works, as far as that is known."""
    match item.get("type"):
        case "command_execution":
            command, ran_in = item.get("command"), _folder(item.get("cwd")) or folder
            return Call("command_execution", {"command": command}, _command(command), ran_in)
        case "file_change":
            listed = item.get("changes")
            edits = calls.changed(listed)
            paths = tuple(edit.path for edit in edits)
            return Call("file_change", {"changes": listed}, None, folder, edits, paths)
        case "mcp_tool_call":
            name = f"mcp__{item.get('server')}__{item.get('tool')}"
            return Call(name, item.get("arguments"))
        case "collab_tool_call":
            arguments = {key: item[key] for key in ("prompt", "receiver_thread_ids") if item.get(key)}
            return Call(coerce.text(item.get("tool")) or "collab_tool_call", arguments)
        case "web_search":
            arguments = {key: item[key] for key in ("query", "action") if item.get(key)}
            return Call("web_search", arguments)
        case kind if kind in _CALLS:
            return calls.call(item, folder)
    return None


def result(item: dict[str, Any]) -> Outcome | None:
    """How the call of a completed item ended; ``None`` for a kind of call that has no result."""
    declined = item.get("status") == "declined"
    failed = declined or item.get("status") == "failed"
    match item.get("type"):
        case "command_execution":
            text = coerce.text(item.get("aggregated_output")) or ""
            code = coerce.number(item.get("exit_code"))
            return Outcome(
                text=text,
                exit_code=code,
                is_error=failed or code not in (None, 0),
                declined=declined,
                commits=commits.printed(text) if "] " in text else (),
            )
        case "file_change":
            text = coerce.text(item.get("output")) or ""
            return Outcome(text=text, is_error=failed, declined=declined)
        case "mcp_tool_call":
            return _answer(item, failed=failed)
        case "collab_tool_call":
            return Outcome(text=_states(item), is_error=failed)
        case kind if kind in OUTPUTS:
            return output(item.get("output"))
    return None


def steps(item: dict[str, Any]) -> str:
    """The plan in a ``todo_list``, one step a line."""
    rows = coerce.objects(item.get("items"))
    texts = ((step.get("completed") is True, coerce.text(step.get("text")) or "") for step in rows)
    return "\n".join(f"[{'x' if done else ' '}] {text}" for done, text in texts)


def words(error: Any) -> str:
    """The words of an error, which may be the JSON of a server's answer."""
    value = coerce.parsed(error)
    while isinstance(value, dict):
        value = value.get("error") or value.get("message") or value.get("detail")
    return coerce.text(value) or coerce.text(error) or "error"


def _folder(cwd: Any) -> str | None:
    path = coerce.text(cwd)
    return unquote(path.removeprefix("file://")) if path and path.startswith("file://") else path


def _command(command: Any) -> str | None:
    """The shell command without the shell that was started for it."""
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        return shlex.join(words) or None
    text = coerce.text(command)
    wrapped = _WRAPPED.fullmatch(text) if text else None
    return _unquoted(wrapped[1]) if wrapped else text


def _unquoted(word: str) -> str:
    """``word`` without quotes, by a POSIX shell's rules; unchanged if it is not one word. Common forms are
    read without ``shlex``, which is a hundred times slower."""
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
    """Of a tool of an MCP server: content blocks, else structured content, else the error."""
    fields = coerce.mapping(item.get("result"))
    text, artifact = images.joined(coerce.objects(fields.get("content")))
    structured = fields.get("structured_content")
    if not text and structured is not None:
        text = json.dumps(structured, ensure_ascii=False)
    error = coerce.text(coerce.mapping(item.get("error")).get("message")) or coerce.text(item.get("error"))
    text = "\n".join(filter(None, (text, error)))
    refused = fields.get("is_error") is True or fields.get("isError") is True
    return Outcome(text=text, is_error=failed or refused or error is not None, artifact=artifact)


def _states(item: dict[str, Any]) -> str:
    """What the other agents of the session do, one a line."""
    lines: list[str] = []
    for thread, state in coerce.mapping(item.get("agents_states")).items():
        fields = coerce.mapping(state)
        message = coerce.text(fields.get("message"))
        lines.append(
            f"{thread}: {coerce.text(fields.get('status')) or '?'}{f': {message}' if message else ''}"
        )
    return "\n".join(lines or [str(thread) for thread in _threads(item)])


def _threads(item: dict[str, Any]) -> list[Any]:
    threads = item.get("receiver_thread_ids")
    return threads if isinstance(threads, list) else []

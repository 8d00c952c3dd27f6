"""A session as a script, independent of agents, and the logs that agents would write of it.

A script is a list of what a human types, and what the agent thinks, says and runs; from it a log of each
format is made, record by record as the agents write them, with what they repeat.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.unit.formats import opencode_session as opencode

Json = dict[str, Any]
AT = "2026-03-01T10:00:00.000Z"
BASH = "Bash"


@dataclass(frozen=True, slots=True)
class Asks:
    text: str


@dataclass(frozen=True, slots=True)
class Thinks:
    text: str


@dataclass(frozen=True, slots=True)
class Says:
    text: str


@dataclass(frozen=True, slots=True)
class Runs:
    """A call of the shell, or of another ``tool`` with the arguments ``given``.

    ``detail``: what a log has about the result besides its text: a status or a structure."""

    command: str
    printed: str = ""
    failed: bool = False
    tool: str = ""
    given: Json = field(default_factory=dict)
    detail: Any = None


Step = Asks | Thinks | Says | Runs
Script = Sequence[Step]


def lines(records: Sequence[Json]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def name(session: str, number: int | str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{session} {number}"))


def claude_records(script: Script, session: str, **more: Any) -> Iterator[Json]:
    known = {"sessionId": name(session, "session"), "cwd": "/w", "version": "2.1.0", "timestamp": AT} | more
    for number, step in enumerate(script):
        head = known | {"uuid": name(session, number), "isSidechain": more.get("isSidechain", False)}
        match step:
            case Asks(text):
                yield head | {"type": "user", "message": {"role": "user", "content": text}}
            case Thinks(text):
                yield head | claude_says(number, {"type": "thinking", "thinking": text, "signature": "c2ln"})
            case Says(text):
                yield head | claude_says(number, {"type": "text", "text": text})
            case Runs():
                given = step.given or {"command": step.command}
                call = {
                    "type": "tool_use",
                    "id": f"toolu_{number}",
                    "name": step.tool or BASH,
                    "input": given,
                }
                yield head | claude_says(number, call)
                block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": step.printed}
                answer = {"role": "user", "content": [block | {"is_error": step.failed}]}
                detail = step.detail or {"stdout": step.printed, "stderr": "", "interrupted": False}
                own = {"uuid": name(session, f"{number} result"), "type": "user", "message": answer}
                yield head | own | {"toolUseResult": f"Error: {step.printed}" if step.failed else detail}


def claude_says(number: int, block: Json) -> Json:
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
    usage = {"input_tokens": 5, "output_tokens": 5}
    return {"type": "assistant", "message": message | {"content": [block], "usage": usage}}


def claude(script: Script, session: str) -> bytes:
    return lines([*claude_records(script, session)])


def claude_stream(script: Script, session: str) -> bytes:
    """The log with partial messages: each text comes in chunks, and then whole."""
    own = {"session_id": name(session, "session"), "parent_tool_use_id": None}
    begin = {"type": "system", "subtype": "init", "model": "claude-sonnet-4-5", "cwd": "/w", "tools": []}
    records: list[Json] = [begin | own | {"uuid": name(session, "init")}]
    for record in claude_records(script, session):
        message = record["message"]
        for block in message["content"] if record["type"] == "assistant" else ():
            text = block.get("text", "")
            for piece in (text[:40], text[40:]) if text else ():
                delta = {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "text_delta", "text": piece},
                }
                records.append({"type": "stream_event", "event": delta, "uuid": name(session, piece)} | own)
        records.append({"type": record["type"], "message": message, "uuid": record["uuid"]} | own)
    return lines(records)


def rollout(script: Script, session: str) -> bytes:
    """Codex's rollout, which has each message twice: as a history item, and as an event for the screen."""

    def line(kind: str, **payload: Any) -> Json:
        return {"timestamp": AT, "type": kind, "payload": payload}

    def said(role: str, kind: str, text: str) -> Json:
        return line("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    records = [line("session_meta", id=name(session, "session"), cwd="/w", cli_version="0.99.0")]
    for number, step in enumerate(script):
        match step:
            case Asks(text):
                records += [
                    said("user", "input_text", text),
                    line("event_msg", type="user_message", message=text),
                ]
            case Thinks(text):
                summary = [{"type": "summary_text", "text": text}]
                records += [line("response_item", type="reasoning", summary=summary)]
                records += [line("event_msg", type="agent_reasoning", text=text)]
            case Says(text):
                records += [line("event_msg", type="agent_message", message=text)]
                records += [said("assistant", "output_text", text)]
            case Runs():
                given = json.dumps(step.given or {"cmd": step.command})
                call = {"name": step.tool or "exec_command", "arguments": given, "call_id": f"call_{number}"}
                framed = f"Exit code: {int(step.failed)}\nWall time: 0 seconds\nOutput:\n{step.printed}"
                text = step.printed if step.tool or step.detail else framed
                result = {"type": "function_call_output", "call_id": f"call_{number}", "output": text}
                records += [
                    line("response_item", type="function_call", **call),
                    line("response_item", **result),
                ]
    return lines(records)


def codex_exec(script: Script, session: str) -> bytes:
    """The output of ``codex exec``, with each message twice, growing and complete, and other items once."""
    records: list[Json] = [{"type": "thread.started", "thread_id": name(session, "session")}]
    records.append({"type": "turn.started"})
    for number, step in enumerate(script):
        match step:
            case Says(text):
                item: Json = {"type": "agent_message", "text": text}
            case Thinks(text):
                item = {"type": "reasoning", "text": text}
            case Runs():
                status = step.detail or ("failed" if step.failed else "completed")
                ran = {"aggregated_output": step.printed, "exit_code": int(step.failed), "status": status}
                item = {"type": "command_execution", "command": step.command} | ran
            case Asks():
                continue  # the output does not contain the prompt
        item["id"] = f"item_{number}"
        kinds = ("updated", "completed") if isinstance(step, Says) else ("completed",)
        records += [{"type": f"item.{kind}", "item": item} for kind in kinds]
    return lines([*records, {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 5}}])


def gemini(script: Script, session: str) -> bytes:
    """Gemini CLI's log, which has a message with calls again when these are done."""
    own = name(session, "session")
    times = {"startTime": AT, "lastUpdated": AT}
    records: list[Json] = [{"sessionId": own, "projectHash": "h", "kind": "main"} | times]
    for number, step in enumerate(script):
        head: Json = {"id": f"m{number}", "timestamp": AT}
        said = head | {"type": "gemini", "content": "", "thoughts": [], "model": "gemini-2.5-pro"}
        match step:
            case Asks(text):
                records.append(head | {"type": "user", "content": [{"text": text}]})
            case Thinks(text):
                thought = {"subject": "Plan", "description": text, "timestamp": AT}
                records.append(said | {"thoughts": [thought]})
            case Says(text):
                records += [said | {"content": text}] * 2
            case Runs():
                given = step.given or {"command": step.command}
                call: Json = {"id": f"c{number}", "name": step.tool or "run_shell_command", "args": given}
                frame = f"Output: {step.printed}\nExit Code: {int(step.failed)}"
                response = {"error" if step.failed else "output": step.printed if step.tool else frame}
                answer = {"functionResponse": {"id": call["id"], "name": call["name"], "response": response}}
                state = {"status": "error" if step.failed else "success", "result": [answer], "timestamp": AT}
                records += [said | {"toolCalls": [call]}, said | {"toolCalls": [call | state]}]
    return lines(records)


def opencode_export(script: Script, session: str) -> bytes:
    messages: list[tuple[Json, list[Json]]] = []
    for number, step in enumerate(script):
        part = f"prt_{number}"
        match step:
            case Asks(text):
                messages.append((opencode.user(f"msg_{number}"), [opencode.text(part, text)]))
                continue
            case Says(text):
                parts = [opencode.text(part, text, at=1000)]
            case Thinks(text):
                parts = [opencode.text(part, text, at=1000) | {"type": "reasoning"}]
            case Runs():
                state: Json = {"status": "error", "error": step.printed} if step.failed else {}
                state |= {"output": step.printed, "metadata": step.detail or {"exit": int(step.failed)}}
                given = step.given or {"command": step.command}
                parts = [opencode.tool(part, step.tool or "bash", given, **state)]
        messages.append((opencode.assistant(f"msg_{number}"), parts))
    return opencode.Session(messages=messages, info={"id": f"ses_{name(session, 0)[:8]}"}).export()


def chat(script: Script, session: str) -> bytes:
    messages: list[Json] = [{"role": "system", "content": f"Session {session}. " + "Help. " * len(session)}]
    for number, step in enumerate(script):
        match step:
            case Asks(text):
                messages.append({"role": "user", "content": text})
            case Thinks(text):
                messages.append({"role": "assistant", "content": "", "reasoning_content": text})
            case Says(text):
                messages.append({"role": "assistant", "content": text})
            case Runs():
                function = {"name": step.tool or "bash", "arguments": json.dumps({"command": step.command})}
                call = {"id": f"c{number}", "type": "function", "function": function}
                messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": step.printed})
    return json.dumps(messages, ensure_ascii=False).encode()


FORMATS: dict[str, Callable[[Script, str], bytes]] = {
    "claude": claude,
    "claude-stream": claude_stream,
    "rollout": rollout,
    "exec": codex_exec,
    "gemini": gemini,
    "opencode": opencode_export,
    "chat": chat,
}

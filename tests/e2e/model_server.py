"""A scripted model: the server that a real agent connects to instead of its vendor's.

The agents' own command-line tools are under test (their logs, their hooks, their timing), so
only the model behind them is replaced. This server speaks the streaming form of Anthropic's
Messages API (https://docs.anthropic.com/en/api/messages-streaming), of OpenAI's Responses API
(https://platform.openai.com/docs/api-reference/responses-streaming), Chat Completions, and Google's
streamGenerateContent (https://ai.google.dev/api/generate-content). It must know nothing of git or git-traj.
"""

from __future__ import annotations

import json
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from tests.e2e import chat_completions

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call in an agent's own format; `arguments` is raw text for a custom (free-form) tool."""

    name: str
    arguments: dict[str, Any] | str


@dataclass(frozen=True, slots=True)
class Reply:
    """One response of the model. A reply without calls ends the agent's run; ``status`` is HTTP's."""

    thinking: str
    text: str
    calls: tuple[ToolCall, ...] = ()
    status: int = 200


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response; `input` does not include cached tokens."""

    input: int
    cached: int
    output: int

    @classmethod
    def of(cls, turn: int) -> Usage:
        """Token counts of reply number ``turn``, chosen so that every set of replies has a different sum."""
        return cls(input=1000 + 2**turn, cached=100 * 2**turn, output=10 * 2**turn)

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input + other.input, self.cached + other.cached, self.output + other.output)


@dataclass(frozen=True, slots=True)
class Served:
    """The data that the server added to a reply: its token counts, and the ids of its calls."""

    usage: Usage
    call_ids: tuple[str, ...]


class Script:
    """Has the replies to give, and finds out which of them a conversation needs next.

    The conversation itself shows it: the ids of calls contain the number of their reply, so a repeated
    request gets the same reply again, and a resumed session starts at the first one.
    """

    def __init__(self, replies: Sequence[Reply], before_turn: Callable[[int], None]) -> None:
        self._replies = replies
        self._before_turn = before_turn
        self._mark = uuid.uuid4().hex[:12]
        self._lock = Lock()
        self.served: list[Served] = []

    def follow(self, conversation: str) -> tuple[Reply, Served]:
        """Return the reply to `conversation` (a request's body), with what the server adds to it.

        Raises:
            IndexError: the conversation goes on after the last reply.
        """
        played = re.findall(rf"{self._mark}_(\d+)_", conversation)
        number = 1 + max(map(int, played), default=-1)
        reply = self._replies[number]
        with self._lock:
            if number == len(self.served):
                self._before_turn(number)
                # Gemini CLI expects the tool's name before an id, and removes it again for the model
                ids = tuple(f"{c.name}__{self._mark}_{number}_{i}" for i, c in enumerate(reply.calls))
                self.served.append(Served(Usage.of(number), ids))
        return reply, self.served[number]


def anthropic(model: str, reply: Reply, served: Served) -> list[Event]:
    """The events of a streamed message."""
    usage = {
        "input_tokens": served.usage.input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": served.usage.cached,
        "output_tokens": served.usage.output,
    }
    message: Event = {
        "id": f"msg_{uuid.uuid4().hex[:20]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    events: list[Event] = [{"type": "message_start", "message": message}]
    for index, (block, deltas) in enumerate(_blocks(reply, served)):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}
    return [*events, {"type": "message_delta", "delta": stop, "usage": usage}, {"type": "message_stop"}]


def _blocks(reply: Reply, served: Served) -> Iterator[tuple[Event, list[Event]]]:
    """Yield each content block's (empty) start with the deltas that fill it."""
    if reply.thinking:
        yield (
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": reply.thinking},
                {"type": "signature_delta", "signature": "c2lnbmF0dXJl"},
            ],
        )
    if reply.text:
        yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": reply.text}]
    for call, call_id in zip(reply.calls, served.call_ids, strict=True):
        yield (
            {"type": "tool_use", "id": call_id, "name": call.name, "input": {}},
            [{"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}],
        )


def openai(model: str, reply: Reply, served: Served) -> list[Event]:
    """The events of a streamed response."""
    usage = {
        "input_tokens": served.usage.input + served.usage.cached,
        "input_tokens_details": {"cached_tokens": served.usage.cached},
        "output_tokens": served.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": served.usage.input + served.usage.cached + served.usage.output,
    }
    response = {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "in_progress",
        "model": model,
        "output": [],
    }
    items = list(_items(reply, served))
    events: list[Event] = [{"type": "response.created", "response": response}]
    for index, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    done = {**response, "status": "completed", "output": items, "usage": usage}
    events.append({"type": "response.completed", "response": done})
    return [{**event, "sequence_number": n} for n, event in enumerate(events)]


def _items(reply: Reply, served: Served) -> Iterator[Event]:
    if reply.thinking:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        yield {"type": "reasoning", "id": _item_id("rs"), "summary": summary, "encrypted_content": None}
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        yield {
            "type": "message",
            "id": _item_id("msg"),
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    for call, call_id in zip(reply.calls, served.call_ids, strict=True):
        common = {"id": _item_id("fc"), "call_id": call_id, "name": call.name, "status": "completed"}
        if isinstance(call.arguments, str):
            yield {**common, "type": "custom_tool_call", "input": call.arguments}
        else:
            yield {**common, "type": "function_call", "arguments": json.dumps(call.arguments)}


def _item_id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


def google(model: str, reply: Reply, served: Served) -> list[Event]:
    """The chunks of a streamed response, one for each part of its content."""
    parts: list[Event] = [{"text": reply.thinking, "thought": True}] if reply.thinking else []
    parts += [{"text": reply.text}] if reply.text else []
    for call, call_id in zip(reply.calls, served.call_ids, strict=True):
        parts.append({"functionCall": {"id": call_id, "name": call.name, "args": call.arguments}})
    contents = [{"content": {"role": "model", "parts": [part]}, "index": 0} for part in parts]
    chunks: list[Event] = [{"candidates": [content], "modelVersion": model} for content in contents]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    chunks[-1]["usageMetadata"] = {
        "promptTokenCount": served.usage.input + served.usage.cached,
        "cachedContentTokenCount": served.usage.cached,
        "candidatesTokenCount": served.usage.output,
        "totalTokenCount": served.usage.input + served.usage.cached + served.usage.output,
    }
    return chunks


_PROTOCOLS = {"/v1/messages": anthropic, "/v1/responses": openai}
_GOOGLE = re.compile(r"/v1beta/models/([^/:]+):streamGenerateContent")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        try:
            path = self.path.partition("?")[0]
            named = _GOOGLE.fullmatch(path)
            chat = path == "/v1/chat/completions"
            protocol = google if named else _PROTOCOLS["/v1/responses" if chat else path]
            reply, served = self.server.script.follow(body)
        except Exception as e:  # noqa: BLE001 - a callback's error must fail the test, not this thread
            self.server.failures.append(e)
            self._answer(400, "application/json", json.dumps({"error": {"type": "invalid_request_error"}}))
            return
        if reply.status != 200:
            self._answer(reply.status, "application/json", json.dumps({"error": {"type": "overloaded"}}))
            return
        if chat:
            answer = chat_completions.answer(json.loads(body), reply, served.usage, served.call_ids)
            self._answer(200, *answer)
            return
        events = protocol(named[1] if named else json.loads(body)["model"], reply, served)
        self._answer(200, "text/event-stream", "".join(map(_as_sent, events)))

    def _answer(self, status: int, media_type: str, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing: the tests read what was served, not a terminal."""


def _as_sent(event: Event) -> str:
    """One server-sent event; Google's events have no type."""
    kind = f"event: {event['type']}\n" if "type" in event else ""
    return f"{kind}data: {json.dumps(event)}\n\n"


class ModelServer(ThreadingHTTPServer):
    """The server that plays a script; `failures` has the errors that occurred while answering."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.failures: list[Exception] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections: an agent that was killed, or that a test no longer waits for, does not
        read its answer. Any other error is raised when the ``serving`` block ends."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self.failures.append(error)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(replies: Sequence[Reply], *, before_turn: Callable[[int], None]) -> Iterator[ModelServer]:
    """Serve `replies` on a loopback port while the block runs.

    `before_turn(n)` runs before the n-th reply (from 0) is sent: every tool of the replies before it has
    ended, and the agent waits. An error in it, or a request past the last reply, is raised when the
    block ends.
    """
    with ModelServer(Script(replies, before_turn)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
    if server.failures:
        raise server.failures[0]

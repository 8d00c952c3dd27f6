"""A scripted model's answers in OpenAI's Chat Completions
(https://platform.openai.com/docs/api-reference/chat), in one piece or streamed."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any, Protocol


class Call(Protocol):
    name: str
    arguments: dict[str, Any] | str


class Reply(Protocol):
    thinking: str
    text: str
    calls: tuple[Any, ...]


class Usage(Protocol):
    input: int
    cached: int
    output: int


def answer(request: dict[str, Any], reply: Reply, usage: Usage, call_ids: tuple[str, ...]) -> tuple[str, str]:
    """Return the media type and the body of the answer to ``request``."""
    calls = [
        {
            "index": index,
            "id": call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for index, (call, call_id) in enumerate(zip(reply.calls, call_ids, strict=True))
    ]
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if calls:
        message["tool_calls"] = calls
    head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": request["model"]}
    end = {"finish_reason": "tool_calls" if calls else "stop"}
    tokens = {
        "prompt_tokens": usage.input + usage.cached,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.cached + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
    if not request.get("stream"):
        completion = {
            **head,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, **end}],
        }
        return "application/json", json.dumps({**completion, "usage": tokens})
    parts = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, **end}]},
        {"choices": [], "usage": tokens},
    ]
    chunks = [json.dumps({**head, "object": "chat.completion.chunk", **chunk}) for chunk in parts]
    return "text/event-stream", "".join(f"data: {chunk}\n\n" for chunk in (*chunks, "[DONE]"))

"""Reads mini-swe-agent's protocol to run commands in plain text: a fenced block as call, an observation as
result; and a model's answers: with tool calls, as text, or as an item list.

The fences, frames and fixed texts are those of github.com/SWE-agent/mini-swe-agent, 1.0 to 2.x; all except
the fences can be configured, so an observation with another frame is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.openai import completion
from gittraj.formats.openai.completion import Call
from gittraj.model.values import Usage

_FENCES = ("```mswea_bash_command", "```bash")
_MARKERS = (
    "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
    "MINI_SWE_AGENT_FINAL_OUTPUT",
    "MICRO_SWE_AGENT_FINAL_OUTPUT",
)
_CODE = re.compile(r"(?:<exception>[^<]*</exception>\s*)?<returncode>(-?\d{1,9})</returncode>\s*")
_OPEN, _CLOSE = "<output>", "</output>"
_MALFORMED = ("Please always provide EXACTLY ONE action", "Tool call error:", "Format error:")
_REJECTED = re.compile(
    r"Commands? not executed\.?\s*(?:The user rejected your commands? with the following message:\s*)?"
)


@dataclass(frozen=True, slots=True)
class Observation:
    text: str
    returncode: int | None = None
    truncated: bool = False
    timed_out: bool = False


def action(answer: str) -> tuple[str, str | None]:
    """An answer without the command in it, and the command, if there is exactly one."""
    blocks = next((matches for fence in _FENCES if (matches := list(_blocks(answer, fence)))), [])
    if len(blocks) != 1:
        return answer, None
    start, end, command = blocks[0]
    return answer[:start] + answer[end:], command


def _blocks(text: str, fence: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and command of each fenced block; in linear time, unlike any pattern with ``.*?``."""
    position = 0
    while (start := text.find(fence, position)) >= 0:
        line = text.find("\n", start)
        if line < 0 or text[start + len(fence) : line].strip():
            position = start + len(fence)
            continue
        end = text.find("\n```", line)
        if end < 0:
            return
        yield start, end + 4, text[line:end].strip()
        position = end + 4


def observation(text: str) -> Observation:
    """Parse the output that was returned for a command."""
    framed = _CODE.match(text)
    if framed is None:
        return Observation(text, timed_out=text.startswith("The last command") and "timed out" in text)
    body = text[framed.end() :]
    start, end = body.find(_OPEN), body.rfind(_CLOSE)
    if start >= 0 and end > start:
        return Observation(body[start + len(_OPEN) : end].removeprefix("\n"), int(framed[1]))
    return Observation(body, int(framed[1]), truncated="<output_head>" in body or "<warning>" in body)


def is_observation(text: str) -> bool:
    return _CODE.match(text) is not None


def is_malformed(text: str, template: Any) -> bool:
    """Whether this text informs the model that it broke the protocol."""
    start = coerce.string(template).partition("{")[0].strip()
    return text.startswith(_MALFORMED) or (len(start) > 9 and text.startswith(start))


def submits(command: str | None) -> bool:
    """Whether the output of a command is meant to be the submission."""
    return command is not None and any(marker in command for marker in _MARKERS)


def rejected(text: str) -> str | None:
    """The human's message when refusing a command; ``None`` if this is not a refusal."""
    match = _REJECTED.match(text)
    return text[match.end() :].strip() if match else None


def is_spoken(messages: list[dict[str, Any]]) -> bool:
    """Whether a list of chat messages is a run by this protocol, and not just any conversation."""
    if any(m.get("role") == "exit" or "actions" in coerce.mapping(m.get("extra")) for m in messages):
        return True
    texts = [(m.get("role"), completion.text(m.get("content"))[0]) for m in messages]
    if any(is_observation(text) or submits(text) for role, text in texts if role != "assistant"):
        return True
    rules = texts[0][1] if texts and texts[0][0] == "system" else ""
    return _keeps_to(rules, [text for role, text in texts if role == "assistant"])


def _keeps_to(rules: str, answers: Sequence[str]) -> bool:
    """Whether every answer has a fence that the rules require."""
    fence = next((f"{fence}\n" for fence in _FENCES if f"{fence}\n" in rules), None)
    return fence is not None and bool(answers) and all(fence in answer for answer in answers)


_THOUGHT = "THOUGHT:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``response`` and ``model`` are the provider's; ``said``: texts, each after whether it is thinking."""

    response: str | None
    model: str | None
    usage: Usage | None
    said: tuple[tuple[bool, str], ...]
    calls: tuple[Call, ...]


def is_answer(message: dict[str, Any]) -> bool:
    return message.get("role") == "assistant" or message.get("object") == "response"


def answer(message: dict[str, Any]) -> Answer:
    """The answer in a message, which is the provider's response itself if it is an item list."""
    extra = coerce.mapping(message.get("extra"))
    listed = message.get("object") == "response"
    raw = message if listed else coerce.mapping(extra.get("response"))
    thoughts, text, calls = _items(message) if listed else _chat(message, raw)
    if not calls:
        text, command = action(text)
        stated = [c for a in coerce.objects(extra.get("actions")) if (c := coerce.text(a.get("command")))]
        calls = [Call("bash", {"command": c}) for c in stated or (command,) if c]
    text = text.strip()
    own = (text.startswith(_THOUGHT), text.removeprefix(_THOUGHT).strip())
    return Answer(
        response=coerce.text(raw.get("id")),
        model=coerce.text(raw.get("model")),
        usage=completion.usage(raw["usage"]) if isinstance(raw.get("usage"), dict) else None,
        said=tuple(words for words in (*((True, t) for t in thoughts), own) if words[1]),
        calls=tuple(calls),
    )


def _chat(message: dict[str, Any], raw: dict[str, Any]) -> tuple[list[str], str, list[Call]]:
    """Thoughts, text and calls of a chat message. Version 1 has the reasoning only in the raw response."""
    choice = next(iter(coerce.objects(raw.get("choices"))), {})
    thought = completion.reasoning(message) or completion.reasoning(coerce.mapping(choice.get("message")))
    text = completion.text(message.get("content"))[0]
    return [thought] if thought else [], text, list(completion.calls(message))


def _items(message: dict[str, Any]) -> tuple[list[str], str, list[Call]]:
    thoughts: list[str] = []
    texts: list[str] = []
    calls: list[Call] = []
    for item in coerce.objects(message.get("output")):
        match item.get("type"):
            case "reasoning":
                if thought := completion.text(item.get("summary") or item.get("content"))[0]:
                    thoughts.append(thought)
            case "message":
                texts.append(completion.text(item.get("content"))[0])
            case "function_call":
                named = coerce.text(item.get("name")) or "unknown"
                call_id = coerce.first(item, "call_id", "id")
                calls.append(Call(named, coerce.parsed(item.get("arguments")), call_id))
    return thoughts, "\n".join(texts), calls

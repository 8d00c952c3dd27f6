"""Reads mini-swe-agent's protocol for running commands in plain text: a fenced block is a call, an
observation its result. Also reads a model's answers: with tool calls, as text, or as a list of items.

The fences, frames and fixed texts are those of github.com/SWE-agent/mini-swe-agent, 1.0 to 2.x. All except
the fences can be configured: an observation with another frame is left as it is.
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
    """The output of a command, without its frame."""

    text: str
    returncode: int | None = None
    truncated: bool = False
    timed_out: bool = False


def action(answer: str) -> tuple[str, str | None]:
    """Return an answer without its command, and the command; None if the answer does not have exactly one."""
    blocks = next((matches for fence in _FENCES if (matches := list(_blocks(answer, fence)))), [])
    if len(blocks) != 1:
        return answer, None
    start, end, command = blocks[0]
    return answer[:start] + answer[end:], command


def _blocks(text: str, fence: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and command of each fenced block, in linear time, unlike a pattern with ``.*?``."""
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
    frame = _CODE.match(text)
    if frame is None:
        return Observation(text, timed_out=text.startswith("The last command") and "timed out" in text)
    body = text[frame.end() :]
    start, end = body.find(_OPEN), body.rfind(_CLOSE)
    if start >= 0 and end > start:
        return Observation(body[start + len(_OPEN) : end].removeprefix("\n"), int(frame[1]))
    return Observation(body, int(frame[1]), truncated="<output_head>" in body or "<warning>" in body)


def is_observation(text: str) -> bool:
    return _CODE.match(text) is not None


def is_malformed(text: str, template: Any) -> bool:
    """Whether a text informs the model that it broke the protocol; ``template`` is the configured text."""
    start = coerce.string(template).partition("{")[0].strip()
    return text.startswith(_MALFORMED) or (len(start) > 9 and text.startswith(start))


def submits(command: str | None) -> bool:
    """Whether a command submits its output and ends the run."""
    return command is not None and any(marker in command for marker in _MARKERS)


def rejected(text: str) -> str | None:
    """The human's message in the refusal of a command; ``None`` if the text is not a refusal."""
    match = _REJECTED.match(text)
    return text[match.end() :].strip() if match else None


def is_run(messages: list[dict[str, Any]]) -> bool:
    """Whether a list of chat messages is a run of mini-swe-agent, and not any other conversation."""
    if any(map(_is_from_program, messages)):
        return True
    texts = [(m.get("role"), completion.text(m.get("content"))[0]) for m in messages]
    if any(is_observation(text) or submits(text) for role, text in texts if role != "assistant"):
        return True
    rules = texts[0][1] if texts and texts[0][0] == "system" else ""
    return _follow_rules([text for role, text in texts if role == "assistant"], rules)


def _is_from_program(message: dict[str, Any]) -> bool:
    return message.get("role") == "exit" or "actions" in coerce.mapping(message.get("extra"))


def _follow_rules(answers: Sequence[str], rules: str) -> bool:
    """Whether every answer has a fence that the rules require."""
    fence = next((f"{fence}\n" for fence in _FENCES if f"{fence}\n" in rules), None)
    return fence is not None and bool(answers) and all(fence in answer for answer in answers)


_THOUGHT = "THOUGHT:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A model's answer. ``response`` is the provider's id; each of ``texts`` is preceded by whether it is
    thinking."""

    response: str | None
    model: str | None
    usage: Usage | None
    texts: tuple[tuple[bool, str], ...]
    calls: tuple[Call, ...]


def answer(message: dict[str, Any]) -> Answer:
    """Return the answer in a message. A message with a list of items is itself the provider's response."""
    extra = coerce.mapping(message.get("extra"))
    has_items = message.get("object") == "response"
    raw = message if has_items else coerce.mapping(extra.get("response"))
    thoughts, text, calls = _items(message) if has_items else _chat(message, raw)
    if not calls:
        text, calls = _calls_in_text(text, extra)
    text = text.strip()
    message_text = (text.startswith(_THOUGHT), text.removeprefix(_THOUGHT).strip())
    return Answer(
        response=coerce.text(raw.get("id")),
        model=coerce.text(raw.get("model")),
        usage=completion.usage(raw["usage"]) if isinstance(raw.get("usage"), dict) else None,
        texts=tuple(pair for pair in (*((True, thought) for thought in thoughts), message_text) if pair[1]),
        calls=tuple(calls),
    )


def _calls_in_text(text: str, extra: dict[str, Any]) -> tuple[str, list[Call]]:
    """Return the text without its command, and the calls that ``extra`` states, or else that command."""
    text, command = action(text)
    stated = [c for a in coerce.objects(extra.get("actions")) if (c := coerce.text(a.get("command")))]
    return text, [Call("bash", {"command": c}) for c in stated or (command,) if c]


def _chat(message: dict[str, Any], raw: dict[str, Any]) -> tuple[list[str], str, list[Call]]:
    """The thoughts, text and calls of a chat message; in version 1 only the raw response has the thoughts."""
    choice = next(iter(coerce.objects(raw.get("choices"))), {})
    thought = completion.reasoning(message) or completion.reasoning(coerce.mapping(choice.get("message")))
    text = completion.text(message.get("content"))[0]
    return [thought] if thought else [], text, list(completion.calls(message))


def _items(message: dict[str, Any]) -> tuple[list[str], str, list[Call]]:
    """The thoughts, text and calls of a message with a list of items."""
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
                tool = coerce.text(item.get("name")) or "unknown"
                call_id = coerce.first(item, "call_id", "id")
                calls.append(Call(tool, coerce.parsed(item.get("arguments")), call_id))
    return thoughts, "\n".join(texts), calls

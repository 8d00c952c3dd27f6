"""What a model answered in a mini-swe-agent run: with tool calls, as text, or as an item list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.openai import completion
from gittraj.formats.openai.completion import Call
from gittraj.formats.swe import protocol
from gittraj.model.values import Usage

_THOUGHT = "THOUGHT:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``response`` and ``model`` are the provider's; ``said`` are texts, each with whether it is thought."""

    response: str | None
    model: str | None
    usage: Usage | None
    said: tuple[tuple[bool, str], ...]
    calls: tuple[Call, ...]


def is_answer(message: dict[str, Any]) -> bool:
    return message.get("role") == "assistant" or message.get("object") == "response"


def answer(message: dict[str, Any]) -> Answer:
    """The answer in a message, which is the provider's response itself where an item list is used."""
    extra = coerce.mapping(message.get("extra"))
    listed = message.get("object") == "response"
    raw = message if listed else coerce.mapping(extra.get("response"))
    thoughts, text, calls = _items(message) if listed else _chat(message, raw)
    if not calls:
        text, command = protocol.action(text)
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
    """Version 1 keeps the model's reasoning in nothing but the raw response."""
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
                call_id = coerce.text(item.get("call_id")) or coerce.text(item.get("id"))
                calls.append(Call(named, coerce.parsed(item.get("arguments")), call_id))
    return thoughts, "\n".join(texts), calls

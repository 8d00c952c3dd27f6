"""Reads the parts, calls and token counts of messages of OpenAI's Chat and Responses APIs, in which many
agents keep their model's output.

Each agent's reader decides which of them become events. Field names are those of
https://platform.openai.com/docs/api-reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.model.values import Artifact, Usage

_SHELLS = ("bash", "shell", "terminal", "command", "exec")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of a message. ``id`` is ``None`` in the legacy form."""

    name: str
    arguments: Any
    id: str | None = None

    @property
    def command(self) -> str | None:
        """The shell command, if the tool is a shell."""
        is_shell = any(word in self.name.lower() for word in _SHELLS)
        return coerce.first(self.arguments, "command", "cmd") if is_shell else None


def text(content: Any) -> tuple[str, Artifact | None]:
    """Return a message's content (a text or a list of parts) as one text with placeholders for media, and
    the first image, sound or file."""
    if isinstance(content, str):
        return content, None
    fragments: list[str] = []
    artifact = None
    for part in coerce.objects(content):
        words, medium = _part(part)
        artifact = artifact or medium
        if words:
            fragments.append(words)
    return "\n".join(fragments), artifact


def _part(part: dict[str, Any]) -> tuple[str | None, Artifact | None]:
    kind = part.get("type")
    if kind in ("image_url", "input_image"):
        source = part.get("image_url")
        uri = source.get("url") if isinstance(source, dict) else source
        if isinstance(uri, str) and not uri.startswith("data:"):
            return f"[image {uri}]", None
        medium = images.from_uri(uri)
    elif kind == "input_audio":
        audio = coerce.mapping(part.get("input_audio"))
        medium = images.from_base64(audio.get("data"), f"audio/{coerce.text(audio.get('format'))}")
    elif kind in ("file", "input_file"):
        file = coerce.mapping(part.get("file")) or part
        medium = images.from_uri(file.get("file_data"))
        if medium is None:
            name = coerce.first(file, "filename", "file_id")
            return f"[file {name or 'without a name'}]", None
    else:
        return coerce.first(part, "text", "refusal"), None
    return images.placeholder(medium), medium


def reasoning(message: dict[str, Any]) -> str | None:
    """The model's thinking, if a vendor added it to the message."""
    blocks = coerce.objects(message.get("thinking_blocks"))
    thoughts = filter(None, (coerce.text(block.get("thinking")) for block in blocks))
    return coerce.first(message, "reasoning_content", "reasoning") or "\n\n".join(thoughts) or None


def calls(message: dict[str, Any]) -> Iterator[Call]:
    """Yield the calls of an assistant's message; the legacy ``function_call`` only if it is alone."""
    requests = coerce.objects(message.get("tool_calls"))
    for call in requests:
        yield _call(coerce.mapping(call.get("function") or call.get("custom")), coerce.text(call.get("id")))
    if not requests and isinstance(function := message.get("function_call"), dict):
        yield _call(function, None)


def _call(function: dict[str, Any], call_id: str | None) -> Call:
    arguments = function.get("arguments", function.get("input"))
    return Call(coerce.text(function.get("name")) or "unknown", coerce.parsed(arguments), call_id)


def usage(value: Any) -> Usage:
    """Convert token counts; OpenAI's prompt tokens include cached ones, and its output includes reasoning."""
    numbers = coerce.mapping(value)
    prompt = coerce.mapping(numbers.get("prompt_tokens_details") or numbers.get("input_tokens_details"))
    output = coerce.mapping(numbers.get("completion_tokens_details") or numbers.get("output_tokens_details"))
    read = _first(prompt.get("cached_tokens"), numbers.get("cache_read_input_tokens"))
    written = _first(
        numbers.get("cache_creation_input_tokens"),
        prompt.get("cache_creation_tokens"),
        prompt.get("cache_write_tokens"),
    )
    total = _first(numbers.get("prompt_tokens"), numbers.get("input_tokens"))
    return Usage(
        input_tokens=max(0, total - read - written),
        cache_read_tokens=read,
        cache_write_tokens=written,
        output_tokens=_first(numbers.get("completion_tokens"), numbers.get("output_tokens")),
        reasoning_tokens=coerce.count(output.get("reasoning_tokens")),
    )


def _first(*numbers: Any) -> int:
    """The first count that is not zero, else 0."""
    return next((count for number in numbers if (count := coerce.count(number))), 0)


def is_answer(message: dict[str, Any]) -> bool:
    return message.get("role") == "assistant" or message.get("object") == "response"


def opening(messages: Iterable[dict[str, Any]]) -> Iterator[tuple[coerce.Part, ...]]:
    """Yield what identifies a run: the shapes (see ``shape``) of its first two messages and first answer.

    Runs of one task begin with the same two messages: the time and length of the first answer distinguish
    them. If the agent's program could parse no answer, the program's message about the first one that it
    could not parse is used instead, with the id of the response.
    """
    unparsed: tuple[coerce.Part, ...] | None = None
    for number, message in enumerate(messages):
        if number < 2 or is_answer(message):
            yield shape(message)
        if is_answer(message):
            return
        response = coerce.mapping(coerce.at(message, "extra", "response"))
        if response and unparsed is None:
            unparsed = (*shape(message), coerce.text(response.get("id")))
    if unparsed is not None:
        yield unparsed


def shape(message: dict[str, Any]) -> tuple[coerce.Part, ...]:
    """The role, the length of the text, the name and the length of the arguments of each call, and times."""
    extra = coerce.mapping(message.get("extra"))
    response = coerce.mapping(extra.get("response")) or message
    called: list[coerce.Part] = []
    for call in coerce.objects(message.get("tool_calls")):
        function = coerce.mapping(call.get("function"))
        called += [coerce.text(function.get("name")), len(coerce.string(function.get("arguments")))]
    content = text(message.get("content", message.get("output")))[0]
    stamps = (extra.get("timestamp"), response.get("created"), response.get("created_at"))
    return (coerce.text(message.get("role")), len(content), *called, *map(coerce.stamp, stamps))

"""Reads Google's content parts (``Part`` of the Gemini API), and finds the texts that a human typed.

The program puts its context, its hooks' output, the files that a prompt names and its own nudges into the
user role, too. Text that no human typed must never become a prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.model.session_items import ASKING
from gittraj.model.values import Artifact

Part = dict[str, Any]


def parts(content: Any) -> list[Part]:
    """The parts of ``content``; a bare text is one text part."""
    items = content if isinstance(content, list) else [content]
    return [{"text": p} if isinstance(p, str) else p for p in items if isinstance(p, str | dict)]


def text(part: Part) -> str | None:
    """The part's text, or the placeholder of its image. None for calls and responses."""
    if image := inline(part):
        return images.placeholder(image)
    return coerce.text(part.get("text"))


def inline(part: Part) -> Artifact | None:
    """The image or other data in the part."""
    data = coerce.mapping(part.get("inlineData"))
    return images.from_base64(data.get("data"), data.get("mimeType"))


def function_call(part: Part) -> Part | None:
    return part["functionCall"] if isinstance(part.get("functionCall"), dict) else None


def function_response(part: Part) -> Part | None:
    return part["functionResponse"] if isinstance(part.get("functionResponse"), dict) else None


# ---------------------------------------------------------------- what a human typed

CONTEXT = "<session_context>"
SNAPSHOT = "<state_snapshot>"
SHELL = "I ran the following shell command:"
"""The beginning of a text that informs the model of a command that the user ran (``!command``)."""
_INJECTED = (
    CONTEXT,
    "<hook_context>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
    "Background execution update:",
    "System: ",
    ASKING,  # Gemini CLI passes the output of a hook to the model unchanged
)
_NUDGE = "Please continue."
_FILES = "--- Content from referenced files ---"
_STEERING = ("User steering update:", "User hints:")
FILLERS = (
    "",
    "Got it. Thanks for the additional context!",
    "Binary content received. Proceeding with analysis.",
    "[The previous response was interrupted before it completed.]",
)
"""Texts that the program writes for the model, so that roles alternate."""


def typed(message: dict[str, Any]) -> str | None:
    """What a human typed in a user message, or ``None`` if nobody typed it."""
    content = parts(message.get("content"))
    if any(map(function_response, content)):
        return None
    displayed = parts(message.get("displayContent"))
    texts = _typed_texts(filter(None, map(text, displayed or content)), displayed=bool(displayed))
    prompt = "\n".join(filter(None, map(str.strip, texts)))
    if prompt.startswith(_STEERING):
        prompt = prompt.partition("<user_input>")[2].partition("</user_input>")[0].strip()
    return prompt if prompt and prompt != _NUDGE else None


def _typed_texts(texts: Iterable[str], *, displayed: bool) -> Iterator[str]:
    """Yield the texts that the program did not add. Only texts that are not ``displayed`` contain files."""
    for each in texts:
        if _FILES in each and not displayed:  # the rest was read from files
            yield each.partition(_FILES)[0]
            return
        if not each.lstrip().startswith((*_INJECTED, SNAPSHOT, SHELL)):
            yield each


def aside(message: dict[str, Any], opening: str) -> str | None:
    """The first text of a user message that begins with ``opening``."""
    texts = (coerce.string(part.get("text")).strip() for part in parts(message.get("content")))
    return next((each for each in texts if each.startswith(opening)), None)

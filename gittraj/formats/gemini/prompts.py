"""Reads Google's content parts (``Part`` of the Gemini API), and finds the texts that a human typed.

The program puts its context, its hooks' output, the files that a prompt names and its own nudges into the
user role, too. Text that no human typed must never become a prompt.
"""

from __future__ import annotations

from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.model.session_items import ASKING
from gittraj.model.values import Artifact

Part = dict[str, Any]


def parts(content: Any) -> list[Part]:
    """The content as parts; a bare text is one text part."""
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
"""The beginning of a command that the user ran (``!command``), for the model's information."""
_INJECTED = (
    CONTEXT,
    "<hook_context>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
    "Background execution update:",
    "System: ",
    ASKING,  # the output of one of its hooks goes to the model as it is
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
    if any(function_response(part) for part in content):
        return None
    shown = parts(message.get("displayContent"))
    kept: list[str] = []
    for shown_text in (text(part) for part in shown or content):
        if shown_text and _FILES in shown_text and not shown:  # what follows was read from files
            kept.append(shown_text.partition(_FILES)[0])
            break
        if shown_text and not shown_text.lstrip().startswith((*_INJECTED, SNAPSHOT, SHELL)):
            kept.append(shown_text)
    words = "\n".join(k for k in map(str.strip, kept) if k)
    if words.startswith(_STEERING):
        words = words.partition("<user_input>")[2].partition("</user_input>")[0].strip()
    return words if words and words != _NUDGE else None


def aside(message: dict[str, Any], opening: str) -> str | None:
    """The text of a user message that begins with ``opening``."""
    for part in parts(message.get("content")):
        words = coerce.string(part.get("text")).strip()
        if words.startswith(opening):
            return words
    return None

"""Which texts of Codex's user role a human typed, and what exactly.

The program puts its own context into the same role. Where it says in a record beside the text that a
human typed it, that record decides (:mod:`gittraj.formats.codex.rollout`); this module knows the rest.
"""

from __future__ import annotations

from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.model.values import Artifact

_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions for ",
    "<permissions instructions>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "<INSTRUCTIONS>",
)
_WRAPPER = "# Context from my IDE setup:"
_REQUEST = "## My request for Codex:"


def content(items: Any) -> list[str]:
    """The texts of a message's content items, with a placeholder for each image."""
    return parts(items)[0]


def parts(items: Any) -> tuple[list[str], Artifact | None]:
    """The texts of a message's content items, and the first image among them."""
    if isinstance(items, str):
        return [items], None
    texts: list[str] = []
    first: Artifact | None = None
    for item in coerce.objects(items):
        if text := coerce.text(item.get("text")):
            texts.append(text)
        elif item.get("type") in ("input_image", "image", "local_image"):
            image = images.from_uri(item.get("image_url"))
            first = first or image
            texts.append(images.placeholder(image))
    return texts, first


def typed(texts: list[str]) -> str | None:
    """The prompt in the texts of a user message, or ``None`` if all of them are injected."""
    kept = [text for text in texts if not text.lstrip().startswith(_INJECTED)]
    return unwrapped("\n".join(kept)) or None


def unwrapped(text: str) -> str:
    """The prompt without what an editor puts around it."""
    if text.lstrip().startswith(_WRAPPER):
        text = text.partition(_REQUEST)[2] or text
    return text.strip()

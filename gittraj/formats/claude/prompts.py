"""Finds out which texts in the user role of Claude Code's logs a human typed, and what is attached to them.

Tool results, command echoes, compaction summaries, reminders and notifications use that role, too. A text
that is not by a human must never become a prompt: it would be shown as somebody's request. Images and
documents are described, but never stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.model.values import Artifact

_INJECTED = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<bash-exit-code>",
    "<task-notification>",
    "<channel source=",
    "<user-prompt-submit-hook>",
    "Caveat: The messages below",
)
_ASIDES = ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics")
"""Elements that the program adds to a real prompt."""
_PEERS = ("<teammate-message", "<cross-session-message", "<agent-message")
"""The beginnings of texts by other agents, which come in the user's role."""
_SENDER = re.compile(
    r'<(?:teammate|cross-session|agent)-message\s(?:[^<>]{0,200}\s)?(?:teammate_id|from)="([^"<>\n]{1,200})"'
)
_FLAGS = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSynthetic")
INTERRUPTED = "[Request interrupted by user"


def blocks(message: Any) -> list[dict[str, Any]]:
    """The content of a message as blocks; a bare text is one text block."""
    content = coerce.mapping(message).get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else coerce.objects(content)


def typed(record: dict[str, Any], content: list[dict[str, Any]]) -> str | None:
    """What a human typed in this record, or ``None`` if nobody typed it.

    Since 2.1 ``origin`` names any other source: a notification, a channel, another agent, the program itself.
    """
    if any(record.get(flag) for flag in _FLAGS) or any(b.get("type") == "tool_result" for b in content):
        return None
    if coerce.at(record, "origin", "kind") not in (None, "human"):
        return None
    parts = [part for block in content if (part := _part(block))]
    return "\n".join(parts) or None


def queued(record: dict[str, Any]) -> dict[str, Any] | None:
    """The attachment with which the agent received a prompt that was typed while it worked, or None."""
    attachment = coerce.mapping(record.get("attachment") if record.get("type") == "attachment" else None)
    mode = attachment.get("commandMode", "prompt")
    return attachment if attachment.get("type") == "queued_command" and mode == "prompt" else None


def waiting(text: Any) -> str | None:
    """A queued text if a human typed it for the agent, not as a command to the program."""
    part = _part({"type": "text", "text": text})
    return part if part and not part.startswith("/") else None


def message_text(content: list[dict[str, Any]]) -> str | None:
    """The message of another agent in this record, if any."""
    texts = [text for block in content if (text := coerce.text(block.get("text")))]
    return "\n".join(texts) if texts and texts[0].lstrip().startswith(_PEERS) else None


def sender(text: str) -> str | None:
    """The sender that an agent's message names; None if it does not name one, or names several."""
    named = {*_SENDER.findall(text)}
    return named.pop() if len(named) == 1 and _SENDER.match(text.lstrip()) else None


def interruption(content: list[dict[str, Any]]) -> tuple[int, str] | None:
    """The ordinal and the text of the block that says that the user stopped the agent."""
    for ordinal, block in enumerate(content):
        text = coerce.text(block.get("text"))
        if text and text.startswith(INTERRUPTED):
            return ordinal, text
    return None


def _part(block: dict[str, Any]) -> str | None:
    if block.get("type") in MEDIA:
        return attached(block)[1]
    text = coerce.text(block.get("text"))
    if text is None:
        return None
    for element in _ASIDES:
        text = _without(text, f"<{element}>", f"</{element}>")
    text = text.strip()
    return None if text.startswith((*_INJECTED, *_PEERS, INTERRUPTED)) else text


def _without(text: str, opening: str, closing: str) -> str:
    """``text`` without the tags and what is between them; linear, unlike a pattern with ``.*?``."""
    kept: list[str] = []
    position = 0
    while (start := text.find(opening, position)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[position:start])
        position = end + len(closing)
    return "".join(kept) + text[position:]


# ---------------------------------------------------------------- what is attached

MEDIA = ("image", "document")


def attached(block: dict[str, Any]) -> tuple[Artifact | None, str]:
    """A description of the image or document in ``block``, and its placeholder.

    A plain-text document has its own text as placeholder; one that is stored elsewhere has its URL.
    """
    source = coerce.mapping(block.get("source"))
    data, url = coerce.text(source.get("data")), coerce.text(source.get("url"))
    if source.get("type") == "text" and data:
        return None, data
    if image := images.from_base64(data, source.get("media_type")) or images.from_uri(url):
        return image, images.placeholder(image)
    where = f" {url}" if url and not url.startswith("data:") else ""
    return None, f"[{block.get('type')}{where}]"


def first_medium(content: Iterable[dict[str, Any]]) -> Artifact | None:
    """The first image or document of a message; an event has room for one."""
    images = (attached(block)[0] for block in content if block.get("type") in MEDIA)
    return next((artifact for artifact in images if artifact), None)

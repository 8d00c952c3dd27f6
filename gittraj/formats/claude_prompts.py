"""Which texts of Claude Code's user role a human typed.

Tool results, command echoes, compaction summaries, reminders and notifications use that role, too. A
text that is no human's must never become a prompt: it would be shown as what somebody asked for.
"""

from __future__ import annotations

from typing import Any

from gittraj.formats import images, loose

_INJECTED = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "Caveat: The messages below",
)
_ASIDES = ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics")
"""Elements that the program puts into or beside a real prompt."""
_FLAGS = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
INTERRUPTED = "[Request interrupted by user"


def blocks(message: Any) -> list[dict[str, Any]]:
    """The content of a message as blocks; a bare text is one text block."""
    content = loose.mapping(message).get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else loose.objects(content)


def typed(record: dict[str, Any], content: list[dict[str, Any]]) -> str | None:
    """What a human typed in this record, or ``None`` if nobody typed it."""
    if any(record.get(flag) for flag in _FLAGS) or any(b.get("type") == "tool_result" for b in content):
        return None
    parts = [part for block in content if (part := _part(block))]
    return "\n".join(parts) or None


def interruption(content: list[dict[str, Any]]) -> tuple[int, str] | None:
    """The ordinal and text of the block that says that the user stopped the agent."""
    for ordinal, block in enumerate(content):
        text = loose.text(block.get("text"))
        if text and text.startswith(INTERRUPTED):
            return ordinal, text
    return None


def image(block: dict[str, Any]) -> str:
    """What stands for an image or document block in a text."""
    source = loose.mapping(block.get("source"))
    return images.placeholder(images.from_base64(source.get("data"), source.get("media_type")))


def _part(block: dict[str, Any]) -> str | None:
    if block.get("type") in ("image", "document"):
        return image(block)
    text = loose.text(block.get("text"))
    if text is None:
        return None
    for element in _ASIDES:
        text = _without(text, f"<{element}>", f"</{element}>")
    text = text.strip()
    return None if text.startswith((*_INJECTED, INTERRUPTED)) else text


def _without(text: str, opening: str, closing: str) -> str:
    """``text`` without what stands between the tags; in linear time, which no pattern with ``.*?`` has."""
    kept: list[str] = []
    position = 0
    while (start := text.find(opening, position)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[position:start])
        position = end + len(closing)
    return "".join(kept) + text[position:]

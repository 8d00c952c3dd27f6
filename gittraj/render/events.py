"""One event in a few words, for every view that lists events. Pure; what it returns is not escaped yet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Event = Mapping[str, Any]

_TELLING = (
    *("command", "cmd", "file_path", "notebook_path", "path", "pattern", "query", "url"),
    *("prompt", "description"),
)


def call_in_words(event: Event) -> tuple[str, str]:
    """A call's tool, and what it was called for: its command, its file, else its arguments."""
    name, arguments = event["tool"]["name"] or "tool", event["tool"]["arguments"]
    paths = [file["path"] for file in event.get("files", ())]
    if paths:
        return name, ", ".join(paths)
    if isinstance(arguments, dict):
        for key in _TELLING:
            if told := arguments.get(key):
                return name, " ".join(map(str, told)) if isinstance(told, list) else str(told)
    if isinstance(arguments, str) or not arguments:
        return name, arguments or ""
    return name, json.dumps(arguments, ensure_ascii=False)


def failed(event: Event) -> bool:
    """Whether a result or a remark tells of an error."""
    result = event.get("result")
    return event["type"] == "error" or bool(result and (result["isError"] or result["exitCode"]))


def result_in_words(event: Event) -> str:
    """What a result says of itself, without its text."""
    result = event["result"]
    told = [f"exit {result['exitCode']}" if result["exitCode"] else "error" if result["isError"] else ""]
    told += ["shortened"] if result["truncated"] else []
    return ", ".join(word for word in told if word)


def in_words(event: Event) -> str:
    """What an event other than a call says: its text, else what its fields hold."""
    if decision := event.get("decision"):
        others = decision.get("alternatives") or []
        told = decision["chosen"] + (f" over {' and '.join(others)}" if others else "")
        return f"{told}, because {decision['reasoning']}" if decision.get("reasoning") else told
    if retrospective := event.get("retrospective"):
        return str(retrospective.get("summary") or event["content"])
    if "result" in event:
        return f"{result_in_words(event)} {event['content']}".strip()
    return str(event["content"])

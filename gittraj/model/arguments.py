"""The argument that tells what a call was about, the same wherever a call is named in a few words. Pure."""

from __future__ import annotations

import json
from typing import Any

_MAIN = (
    *("command", "cmd", "file_path", "notebook_path", "path", "filePath", "pattern", "query", "url"),
    *("prompt", "description", "plan"),
)


def main_argument(arguments: Any) -> str:
    """A call's main argument, or else all of them; empty if there is none."""
    if isinstance(arguments, dict):
        for key in _MAIN:
            if value := arguments.get(key):
                return " ".join(map(str, value)) if isinstance(value, list) else str(value)
    if isinstance(arguments, str) or not arguments:
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)

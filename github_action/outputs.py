"""The step's outputs and its summary: files that the runner names in the environment and reads when we
end."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from pathlib import Path

from github_action.errors import EventError

SUMMARY = 1024 * 1024
"""Bytes of a step's summary; of a larger one the runner shows nothing. https://docs.github.com/en/actions/
reference/workflows-and-actions/workflow-commands#step-isolation-and-limits"""
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def write_outputs(path: Path, outputs: Mapping[str, str]) -> None:
    """Append to ``GITHUB_OUTPUT``. Always ``name<<delimiter``, which no value can end: the delimiter is
    drawn for each. Raises EventError for a name that is none, OSError."""
    lines: list[str] = []
    for name, value in outputs.items():
        word = f"ghadelimiter_{uuid.uuid4()}"
        if not _NAME.fullmatch(name) or word in value:
            raise EventError("an output cannot be written")
        lines += (f"{name}<<{word}", value, word)
    _append(path, "".join(f"{line}\n" for line in lines))


def write_summary(path: Path, markdown: str) -> bool:
    """Append to ``GITHUB_STEP_SUMMARY``; False, and nothing written, when the whole would be too large.
    Raises OSError."""
    there = path.stat().st_size if path.exists() else 0
    if there + len(markdown.encode(errors="replace")) + 1 > SUMMARY:
        return False
    _append(path, f"{markdown}\n")
    return True


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(text)

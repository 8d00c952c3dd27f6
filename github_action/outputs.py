"""Writes the step's outputs and summary: files that the runner reads when the step ends."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from pathlib import Path

from github_action.errors import EventError

SUMMARY = 1024 * 1024
"""Maximum size of a step's summary, in bytes; the runner drops a larger one.
https://docs.github.com/en/actions/
reference/workflows-and-actions/workflow-commands#step-isolation-and-limits"""
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def write_outputs(path: Path, outputs: Mapping[str, str]) -> None:
    """Append to ``GITHUB_OUTPUT``, as ``name<<delimiter`` with a random delimiter, so that no value can
    contain it. Raises EventError for an invalid name, and OSError."""
    lines: list[str] = []
    for name, value in outputs.items():
        delimiter = f"ghadelimiter_{uuid.uuid4()}"
        if not _NAME.fullmatch(name) or delimiter in value:
            raise EventError(f"the output {name!r} cannot be written")
        lines += (f"{name}<<{delimiter}", value, delimiter)
    _append(path, "".join(f"{line}\n" for line in lines))


def write_dotenv(path: Path, outputs: Mapping[str, str]) -> None:
    """Append ``GIT_TRAJ_NAME=value`` lines for GitLab's later jobs; a value that is not printable is left
    out. https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsdotenv. Raises OSError."""
    names = {name: f"GIT_TRAJ_{name.upper().replace('-', '_')}" for name in outputs}
    _append(path, "".join(f"{names[n]}={value}\n" for n, value in outputs.items() if value.isprintable()))


def write_summary(path: Path, markdown: str) -> bool:
    """Append to ``GITHUB_STEP_SUMMARY``. Returns False, and writes nothing, if the summary would become too
    large. Raises OSError."""
    size = path.stat().st_size if path.exists() else 0
    if size + len(markdown.encode(errors="replace")) + 1 > SUMMARY:
        return False
    _append(path, f"{markdown}\n")
    return True


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(text)

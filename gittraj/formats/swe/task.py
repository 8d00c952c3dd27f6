"""Finds a human's task, without the template around it, and parses the name of a run's file.

A file is called ``{solve}_{run}_{YYYYMMDD_HHMMSS}``. Both ids may contain underscores, so where the first
ends is a guess unless something else shows it: the run's instance, or a ``run`` at the beginning of the
second.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gittraj.formats.base import coerce

_VARIABLE = re.compile(r"\{\{\s*(?:task|problem_statement)\s*\}\}")
_FRAMES = (
    ("<pr_description>\nConsider the following PR description:\n", "\n</pr_description>"),
    ("<pr_description>\n", "\n</pr_description>"),
    ("Please solve this issue: ", "\n\nYou can execute bash commands"),
    ("\nISSUE:\n", "\n\nINSTRUCTIONS:\n"),
)
"""The texts around the task in the agents' default templates, for files without their own."""


def task(text: str, template: object = None) -> str:
    """The task in the first message of a run; the whole message if the task cannot be located."""
    text = text.replace("\r\n", "\n")
    frames = [*([frame] if (frame := _frame(coerce.text(template))) else []), *_FRAMES]
    for before, after in frames:
        start = text.find(before)
        end = text.find(after, start + len(before)) if start >= 0 and after else len(text)
        if start >= 0 and end >= 0 and (middle := text[start + len(before) : end].strip()):
            return middle
    return text.strip()


def title(asked: str) -> str | None:
    """The first line of a task."""
    return next((line.strip().lstrip("# ") for line in asked.splitlines() if line.strip("# \t")), None)


def _frame(template: str | None) -> tuple[str, str] | None:
    """The text right before and after the task, up to other variables of the template."""
    variable = _VARIABLE.search(template.replace("\r\n", "\n")) if template else None
    if variable is None:
        return None
    before = re.split(r"[}%#]\}", variable.string[: variable.start()])[-1]
    after = re.split(r"\{[{%#]", variable.string[variable.end() :])[0]
    return (before, after.rstrip("\n")) if before.strip() or after.strip() else None


# ---------------------------------------------------------------- the file's name

_NAME = re.compile(r"(.+)_(\d{8})_(\d{6})", re.DOTALL)
_RUN = re.compile(r"(.+)_(run(?:[-_.]?[^_]+)?(?:_.*)?)", re.DOTALL | re.IGNORECASE)
_LAST = re.compile(r"(.*[^_])_([^_]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RunName:
    """``solve`` and ``run`` are the two ids, ``time`` ISO 8601 (the name has no zone: it counts as UTC)."""

    solve: str
    run: str
    time: str


def parse(stem: str | None, instance: str | None) -> RunName | None:
    """The parts of a file's name without its extensions; ``None`` if it has another shape."""
    named = _NAME.fullmatch(stem or "")
    if named is None:
        return None
    ids, day, hour = named.groups()
    time = coerce.stamp(f"{day}T{hour}")
    if time is None:
        return None
    if instance and ids.startswith(f"{instance}_") and len(ids) > len(instance) + 1:
        return RunName(instance, ids[len(instance) + 1 :], time)
    parts = _RUN.fullmatch(ids) or _LAST.fullmatch(ids)
    return RunName(parts[1], parts[2], time) if parts else None

"""Extracts a human's task from the template around it, and parses the name of a run's file.

A file is called ``{solve}_{run}_{YYYYMMDD_HHMMSS}``. As ``solve`` and ``run`` may contain underscores, the
end of ``solve`` is a guess, unless ``solve`` is the run's instance, or ``run`` begins with "run".
"""

from __future__ import annotations

import re

from gittraj.formats.base import coerce

_VARIABLE = re.compile(r"\{\{\s*(?:task|problem_statement)\s*\}\}")
_FRAMES = (
    ("<pr_description>\nConsider the following PR description:\n", "\n</pr_description>"),
    ("<pr_description>\n", "\n</pr_description>"),
    ("Please solve this issue: ", "\n\nYou can execute bash commands"),
    ("\nISSUE:\n", "\n\nINSTRUCTIONS:\n"),
)
"""The texts before and after the task in the agents' default templates, for files without a template."""


def task(text: str, template: object = None) -> str:
    """Return the task in ``text``, the first message of a run, or the whole message if no template fits it.
    ``template`` is the one that the run's file contains, if any."""
    text = text.replace("\r\n", "\n")
    frames = [*([frame] if (frame := _frame(coerce.text(template))) else []), *_FRAMES]
    for before, after in frames:
        start = text.find(before)
        end = text.find(after, start + len(before)) if start >= 0 and after else len(text)
        if start >= 0 and end >= 0 and (middle := text[start + len(before) : end].strip()):
            return middle
    return text.strip()


def title(text: str) -> str | None:
    """The first non-empty line of a task."""
    return next((line.strip().lstrip("# ") for line in text.splitlines() if line.strip("# \t")), None)


def _frame(template: str | None) -> tuple[str, str] | None:
    """The texts right before and right after the task in a template, up to other variables."""
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


def parse(stem: str | None, instance: str | None) -> dict[str, str]:
    """The ids ``solve`` and ``run`` in a file's name without its extensions, and its time in ISO 8601 (the
    name has no time zone: UTC is assumed). Empty if the name does not have the form of a run's name."""
    match = _NAME.fullmatch(stem or "")
    if match is None:
        return {}
    ids, day, hour = match.groups()
    time = coerce.stamp(f"{day}T{hour}")
    if time is None:
        return {}
    if instance and ids.startswith(f"{instance}_") and len(ids) > len(instance) + 1:
        return {"solve": instance, "run": ids[len(instance) + 1 :], "time": time}
    parts = _RUN.fullmatch(ids) or _LAST.fullmatch(ids)
    return {"solve": parts[1], "run": parts[2], "time": time} if parts else {}

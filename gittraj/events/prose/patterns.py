"""The words and phrases that the rules look for: ``patterns.toml``, compiled."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files


def load(section: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a section of the file, by name."""
    text = files("gittraj.events.prose").joinpath("patterns.toml").read_text("utf-8")
    return {name: _compile(row) for name, row in tomllib.loads(text)[section].items()}


def _compile(row: dict[str, list[str] | str]) -> re.Pattern[str]:
    if verbose := row.get("verbose"):
        return re.compile(str(verbose), re.I | re.X)
    found = list(row.get("any", []))
    if words := row.get("words"):
        found.append(rf"\b(?:{'|'.join(words)})\b")
    if starts := row.get("starts"):
        found.append(rf"^(?:{'|'.join(starts)})\b")
    return re.compile("|".join(found), re.I)

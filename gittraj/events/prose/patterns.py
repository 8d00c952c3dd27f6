"""The words and phrases that the rules look for: ``patterns.toml``, compiled."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


class Rules(dict[str, re.Pattern[str]]):
    """The patterns of a section, by name."""

    def find(self, text: str, *names: str) -> bool:
        """Whether the text has one of these."""
        return any(self[name].search(text) for name in names)

    def begins(self, text: str, *names: str) -> bool:
        return any(self[name].match(text) for name in names)


@cache
def read_table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("gittraj.events.prose").joinpath(name).read_text("utf-8"))


def load(section: str) -> Rules:
    """The patterns of a section of the file."""
    return Rules({name: _compile(row) for name, row in read_table("patterns.toml")[section].items()})


def _compile(row: dict[str, list[str] | str]) -> re.Pattern[str]:
    if verbose := row.get("verbose"):
        return re.compile(str(verbose), re.I | re.X)
    found = list(row.get("any", []))
    if words := row.get("words"):
        found.append(rf"\b(?:{'|'.join(words)})\b")
    if starts := row.get("starts"):
        found.append(rf"^(?:{'|'.join(starts)})\b")
    return re.compile("|".join(found), re.I)

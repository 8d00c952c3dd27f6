"""Loads what the rules of prose search for: words and phrases (``patterns.toml``), and the forms of a
sentence that contrasts the ``chosen`` with the ``other`` side and says ``why`` (``forms.toml``). Whether such
a sentence states a choice is decided in :mod:`.claims`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Rules(dict[str, re.Pattern[str]]):
    """The patterns of a section of ``patterns.toml``, by name."""

    def find(self, text: str, *names: str) -> bool:
        """Whether the text matches one of these patterns."""
        return any(self[name].search(text) for name in names)

    def begins(self, text: str, *names: str) -> bool:
        return any(self[name].match(text) for name in names)


@cache
def _read_table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("gittraj.events.prose").joinpath(name).read_text("utf-8"))


def load(section: str) -> Rules:
    """Return the patterns of a section of ``patterns.toml``."""
    return Rules({name: _compile(row) for name, row in _read_table("patterns.toml")[section].items()})


def _compile(row: dict[str, list[str] | str]) -> re.Pattern[str]:
    if verbose := row.get("verbose"):
        return re.compile(str(verbose), re.I | re.X)
    patterns = list(row.get("any", []))
    if words := row.get("words"):
        patterns.append(rf"\b(?:{'|'.join(words)})\b")
    if starts := row.get("starts"):
        patterns.append(rf"^(?:{'|'.join(starts)})\b")
    return re.compile("|".join(patterns), re.I)


PHRASES = load("forms")
_TABLE = _read_table("forms.toml")
_FRAGMENT = re.compile(r"<<(\w+)>>")


class Form(NamedTuple):
    """A form of a sentence; ``needs`` names the condition of :mod:`.claims` that makes it state a choice."""

    pattern: re.Pattern[str]
    needs: str


def fragment(name: str) -> str:
    """Return a pattern that several forms share, by its name in ``forms.toml`` or in ``patterns.toml``."""
    pattern = _TABLE["fragment"].get(name)
    return _insert_fragments(pattern) if pattern else PHRASES[name].pattern


def _insert_fragments(pattern: str | list[str]) -> str:
    return _FRAGMENT.sub(lambda match: fragment(match[1]), "".join(pattern))


def _compile_form(row: dict[str, Any]) -> re.Pattern[str]:
    return re.compile(_insert_fragments(row["pattern"]), 0 if row.get("case") else re.I)


SENTENCES = {name: _compile_form(row) for name, row in _TABLE["sentence"].items()}
FORMS = {row["name"]: Form(_compile_form(row), row["needs"]) for row in _TABLE["choice"]}
"""The forms, in the order in which they are tried."""

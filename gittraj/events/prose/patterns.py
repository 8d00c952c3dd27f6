"""Loads what the rules of prose look for: words and phrases (``patterns.toml``), and the forms of a sentence
that contrasts the ``chosen`` with the ``other`` and says ``why`` (``forms.toml``); :mod:`.claims` decides."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Rules(dict[str, re.Pattern[str]]):
    """The patterns of a section, by name."""

    def find(self, text: str, *names: str) -> bool:
        """Whether the text matches one of these patterns."""
        return any(self[name].search(text) for name in names)

    def begins(self, text: str, *names: str) -> bool:
        return any(self[name].match(text) for name in names)


@cache
def _read_table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("gittraj.events.prose").joinpath(name).read_text("utf-8"))


def load(section: str) -> Rules:
    """The patterns of a section of the file."""
    return Rules({name: _compile(row) for name, row in _read_table("patterns.toml")[section].items()})


def _compile(row: dict[str, list[str] | str]) -> re.Pattern[str]:
    if verbose := row.get("verbose"):
        return re.compile(str(verbose), re.I | re.X)
    found = list(row.get("any", []))
    if words := row.get("words"):
        found.append(rf"\b(?:{'|'.join(words)})\b")
    if starts := row.get("starts"):
        found.append(rf"^(?:{'|'.join(starts)})\b")
    return re.compile("|".join(found), re.I)


PHRASES = load("forms")
_TABLE = _read_table("forms.toml")
_FRAGMENT = re.compile(r"<<(\w+)>>")


class Form(NamedTuple):
    """``needs``: the condition of :mod:`.claims` under which it is a choice."""

    pattern: re.Pattern[str]
    needs: str


def fragment(name: str) -> str:
    """A fragment that several forms share: one of the table's own, else one of the phrases."""
    found = _TABLE["fragment"].get(name)
    return _spell(found) if found else PHRASES[name].pattern


def _spell(pattern: str | list[str]) -> str:
    return _FRAGMENT.sub(lambda found: fragment(found[1]), "".join(pattern))


def _compile_form(row: dict[str, Any]) -> re.Pattern[str]:
    return re.compile(_spell(row["pattern"]), 0 if row.get("case") else re.I)


SENTENCES = {name: _compile_form(row) for name, row in _TABLE["sentence"].items()}
FORMS = {row["name"]: Form(_compile_form(row), row["needs"]) for row in _TABLE["choice"]}
"""The forms, in the order in which they are tried."""

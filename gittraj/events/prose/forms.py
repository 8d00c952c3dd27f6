"""The forms of a sentence that sets what was ``chosen`` against the ``other``, and says ``why``.

They are rows of ``forms.toml``; whether such a sentence is a choice is decided in :mod:`.claims`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from gittraj.events.prose.patterns import load, read_table

PHRASES = load("forms")
_TABLE = read_table("forms.toml")
_FRAGMENT = re.compile(r"<<(\w+)>>")


class Form(NamedTuple):
    """``needs``: the condition of :mod:`.claims` under which it is a choice."""

    pattern: re.Pattern[str]
    needs: str


def fragment(name: str) -> str:
    """A part of several forms: one of the table's own, else one of the phrases."""
    found = _TABLE["fragment"].get(name)
    return _spell(found) if found else PHRASES[name].pattern


def _spell(pattern: str | list[str]) -> str:
    return _FRAGMENT.sub(lambda found: fragment(found[1]), "".join(pattern))


def _compile(row: dict[str, Any]) -> re.Pattern[str]:
    return re.compile(_spell(row["pattern"]), 0 if row.get("case") else re.I)


SENTENCES = {name: _compile(row) for name, row in _TABLE["sentence"].items()}
FORMS = {row["name"]: Form(_compile(row), row["needs"]) for row in _TABLE["choice"]}
"""In the order in which they are tried."""

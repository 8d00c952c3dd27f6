"""The rules that are data: reads them from ``data/*.toml`` when they are first needed.

A column that a rule leaves out is as ``Row`` says. An unknown column or fragment is an error; the tests check
the rest (``tests/unit/redact/test_data.py``).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

FRAGMENTS = {
    "START": r"(?:^|\n)[ \t]{0,12}(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z[ ])?(?:\d{1,6}[\t→:][ \t]?|[+-])?"
    r"[ \t]{0,12}",
    "V": r"(?P<v>[^\s\"'`<>]{4,200})",
    "QV": r"[\"']?(?P<v>(?<=\")[^\"\n]{4,200}|(?<=')[^'\n]{4,200}|[^\s\"'`;]{4,200})[\"']?",
    "UUID": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "MIXED": r"(?=[^\s]{0,60}[\d_!#$%&*+])(?=[^\s]{0,60}[^\W\d_])",  # the value is no plain word
}
"""What ``<<NAME>>`` in a pattern stands for."""
_FRAGMENT = re.compile(r"<<([A-Z]+)>>")
WHOLE_TEXT = 0
"""A ``window``: the keyword names the file, so what the rule finds may be anywhere in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A rule. ``keywords`` are literals in lower case, one of which must stand in the text; the ``pattern``
    is searched for in its line and ``window`` lines more, and its group ``v`` is the value, if ``accept``
    (``decide.ACCEPT``) takes it. ``flags``: ``i`` ignores case. ``good`` and ``bad`` are texts with and
    without a secret, which is drawn (``examples``). ``since`` is the ruleset that brought it."""

    id: str
    keywords: tuple[str, ...]
    pattern: str
    good: tuple[str, ...]
    bad: tuple[str, ...] = ()
    kind: str = "secret"
    flags: str = ""
    accept: str = "named"
    window: int = 1
    source: str = ""
    since: str = ""


@cache
def rows(name: str) -> tuple[Row, ...]:
    """The rules of ``data/NAME.toml``. Raises TypeError for an unknown column, KeyError for a fragment."""
    text = files(__package__).joinpath("data", f"{name}.toml").read_text("utf-8")
    return tuple(_row(table) for table in tomllib.loads(text)["rule"])


def _row(table: dict[str, Any]) -> Row:
    columns: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in table.items()
    }
    row = Row(**columns)
    return replace(row, pattern=_FRAGMENT.sub(lambda found: FRAGMENTS[found[1]], row.pattern))

"""The rules that are data: reads them from ``data/*.toml`` when they are first needed.

A column that a rule omits has the default of ``LineRule``. An unknown column or fragment is an error; the
tests check the rest (``tests/unit/redact/test_data.py``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

_FRAGMENT = re.compile(r"<<([A-Z]+)>>")
WHOLE_TEXT = 0
"""A ``window``: the keyword identifies the file, so the pattern may match anywhere in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRule:
    """A rule. ``keywords`` are literals in lower case, one of which must be in the text; the ``pattern`` is
    searched for in its line and ``window`` more lines, and its group ``v`` is the value, if one of the judges
    in ``accept`` (``decide.JUDGES``) accepts it. ``then`` may follow directly, any number of times, with its
    own ``v``. ``flags``: ``i`` ignores case. ``good`` and ``bad`` are texts with and without a secret, which
    is drawn (``examples``). ``source`` says where the form is documented or was seen; ``since`` is the
    ruleset that added the rule."""

    id: str
    keywords: tuple[str, ...]
    pattern: str
    good: tuple[str, ...]
    bad: tuple[str, ...] = ()
    then: str = ""
    kind: str = "secret"
    flags: str = ""
    accept: str = "named"
    window: int = 1
    source: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """The form of a vendor's tokens: one of ``prefixes``, followed by ``pattern``; or without prefixes,
    ``pattern`` is for the whole token, and ``hint`` is a part of it that is quick to find. If the value does
    not begin the match, it is the group ``v``. ``accept``, ``source`` and ``since`` as in ``LineRule``;
    ``kind`` is shown in the placeholder, by default the id."""

    id: str
    pattern: str
    good: tuple[str, ...]
    prefixes: tuple[str, ...] = ()
    hint: str = ""
    accept: str = "drawn"
    bad: tuple[str, ...] = ()
    kind: str = ""
    source: str = ""
    since: str = ""


@cache
def line_rules() -> tuple[LineRule, ...]:
    """The rules of ``data/lines.toml``. Raises TypeError for an unknown column, KeyError for a fragment."""
    return tuple(line_rule(table) for table in tables("lines")["rule"])


@cache
def tokens() -> tuple[Token, ...]:
    """The forms of ``data/tokens.toml``. Raises TypeError for an unknown column."""
    return tuple(Token(**_columns(table)) for table in tables("tokens")["token"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a value is not a secret: patterns of the ``value``, of the text that ends ``before`` it and of the
    text that begins ``behind`` it. ``rules`` are prefixes of the ids of the rules that it overrules, or names
    of groups. ``reach``: how many characters before the value are read."""

    value: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    rules: tuple[str, ...] = ("unsure",)
    reach: int = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """The argument of a command that is a password: its ``number``, from 0, after ``words``."""

    words: tuple[str, ...]
    number: int


HOW = ("options", "glued", "either", "colon", "percent", "comma", "named")
"""The columns of ``[[command]]`` that list options, by how the value follows: as the next word or after ``=``
(``options``), attached (``glued``), in either way (``either``); after a user's name and a sign (``colon``,
``percent``, ``comma``); after ``NAME=``, if NAME names a secret (``named``)."""


@dataclass(frozen=True, slots=True)
class Takes:
    """The passwords that a command takes: ``options``, each with one of ``HOW``, and
    ``arguments``."""

    options: tuple[tuple[str, str], ...]
    arguments: tuple[Argument, ...] = ()

    @property
    def first(self) -> frozenset[str]:
        return frozenset(option[0] for option, _ in self.options)


@cache
def reasons() -> tuple[Reason, ...]:
    """The rows of ``data/public.toml``. Raises TypeError for an unknown column, KeyError for a fragment."""
    return tuple(map(reason, tables("public")["reason"]))


def reason(table: dict[str, Any]) -> Reason:
    columns: dict[str, Any] = {name: tuple(map(_expand, table[name])) for name in table.keys() - {"reach"}}
    return Reason(**table | columns)


@cache
def commands() -> tuple[tuple[str, Takes], ...]:
    """The names of commands in ``data/commands.toml``, each with what it takes. Raises ValueError for an
    unknown column."""
    found = []
    for table in tables("commands")["command"]:
        if unknown := table.keys() - {"names", *HOW}:
            raise ValueError(f"unknown columns of a command: {sorted(unknown)}")
        takes = Takes(tuple((option, how) for how in HOW for option in table.get(how, ())))
        found += [(name, takes) for name in table["names"]]
    for table in tables("commands")["argument"]:
        columns = _columns(table)
        name = columns.pop("command")
        found.append((name, Takes((), (Argument(**columns),))))
    return tuple(found)


def words(table: str, column: str) -> list[str]:
    """The words of a column of ``data/TABLE.toml``, in order."""
    found: str = tables(table)[column]
    return found.split()


class Patterns:
    """The patterns of a table of ``data/forms.toml``, each compiled when it is first used."""

    def __init__(self, table: str) -> None:
        self._table = table

    def fit(self, value: str, names: Iterable[str]) -> bool:
        """Whether one of the patterns with these names matches all of the value."""
        return any(getattr(self, name).fullmatch(value) for name in names)

    def __getattr__(self, name: str) -> re.Pattern[str]:
        found = tables("forms")[self._table][name]
        value = re.compile(found if isinstance(found, str) else "|".join(found))
        self.__dict__[name] = value  # the next access does not call __getattr__
        return value


patterns = cache(Patterns)


def alternatives(name: str) -> str:
    return "|".join(tables("forms")[name])


@cache
def tables(name: str) -> dict[str, Any]:
    """The content of ``data/NAME.toml``."""
    return tomllib.loads(files(__package__).joinpath("data", f"{name}.toml").read_text("utf-8"))


def _columns(table: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}


def line_rule(table: dict[str, Any]) -> LineRule:
    rule = LineRule(**_columns(table))
    return replace(rule, pattern=_expand(rule.pattern))


def _expand(pattern: str) -> str:
    return _FRAGMENT.sub(lambda found: str(tables("forms")["fragments"][found[1]]), pattern)

"""The names and patterns that a user adds to the rules, and the values that a user exempts.

A user's pattern runs like git-traj's own: at the literal that it begins with, and with every repeat bounded.
"""

from __future__ import annotations

import hmac
import math
import re
import warnings
from dataclasses import dataclass, field
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from ..errors import RedactionError
from .gitleaks import Gitleaks, RuleFile, read
from .page import Span
from .tokens import Rule

_WIDEST = 4096  # characters that a user's pattern may match
_MAX_WAYS = 4096  # ways in which the repeats of a user's pattern may divide a text
_MIN_ANCHOR = 3
_HASH = "hmac-sha256:"
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_SIMPLE = (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY, codes.CATEGORY)


@dataclass(frozen=True, slots=True)
class Options:
    """``pii``: also redact e-mail addresses and home folders. ``paranoid``: also every long random word.

    ``names`` are further names of secrets (``acme_door``), ``shapes`` further patterns, each beginning with
    three fixed characters and without an unbounded or nested repeat. ``allow``: values not to redact, each as
    ``hmac-sha256:`` and the keyed hash that ``allowance()`` returns, or as a pattern for the whole value.
    ``files``: rules and allowlists in gitleaks' form.

    :raises RedactionError: a pattern may take more than linear time, or its first three characters vary.
    """

    pii: bool = False
    paranoid: bool = False
    names: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    allow: tuple[str, ...] = field(default=(), repr=False)
    files: tuple[RuleFile, ...] = ()

    def __post_init__(self) -> None:
        for pattern in (*self.shapes, *(one for one in self.allow if not one.startswith(_HASH))):
            _require_linear(pattern)
        for shape in self.shapes:
            _anchor(shape)

    def rules(self) -> tuple[Rule, ...]:
        """The shapes as rules."""
        return tuple(
            Rule(id="own-shape", kind="secret", anchors=(_anchor(shape),), pattern=shape)
            for shape in self.shapes
        )

    def gitleaks(self) -> list[Gitleaks]:
        """The rule files, parsed."""
        return [read(file) for file in self.files]

    def allows(self, text: str, span: Span, key: bytes) -> bool:
        """Whether the user exempts the value at ``span``."""
        value = text[span.start : span.end]
        return any(one.allows(text, span.start, span.end) for one in self.gitleaks()) or any(
            hmac.compare_digest(one, allowance(value, key)) if one.startswith(_HASH) else _matches(one, value)
            for one in self.allow
        )


def allowance(value: str, key: bytes) -> str:
    """The entry for ``Options.allow`` that exempts ``value`` without revealing it: HMAC-SHA256, in hex."""
    return _HASH + hmac.digest(key, b"allow\0" + value.encode("utf-8", "surrogatepass"), "sha256").hex()


def _matches(pattern: str, value: str) -> bool:
    return len(value) <= _WIDEST and re.fullmatch(pattern, value) is not None


def _require_linear(pattern: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # "[[": a later Python will parse it differently
            parsed = parser.parse(pattern)
    except (re.error, Warning, OverflowError, RecursionError):
        raise RedactionError(f"invalid pattern: {pattern[:80]!r}") from None
    ways = _ways(parsed, repeated=False)
    if ways > _MAX_WAYS or parsed.getwidth()[1] > _WIDEST:
        raise RedactionError(
            f"this pattern could be slow: {pattern[:80]!r}; bound its repeats ([a-z]{{8,64}}), do not nest them"
        )


def _ways(parsed: Any, *, repeated: bool) -> float:
    """The number of ways in which the pattern's parts may divide a text; infinite for forbidden syntax."""
    ways = 1.0
    for code, argument in parsed:
        if code in _REPEATS:
            least, most, inner = argument
            if most is codes.MAXREPEAT or (repeated and most != least) or _ways(inner, repeated=True) > 1:
                return math.inf
            ways *= most - least + 1
        elif code is codes.SUBPATTERN:
            ways *= _ways(argument[3], repeated=repeated)
        elif code is codes.BRANCH:
            ways *= sum(_ways(one, repeated=repeated) for one in argument[1])
        elif code not in _SIMPLE and code is not codes.AT:
            return math.inf
    return ways


def _anchor(pattern: str) -> str:
    """The literal that the pattern begins with."""
    anchor = ""
    for code, argument in parser.parse(pattern):
        if code is not codes.LITERAL:
            break
        anchor += chr(argument)
    if len(anchor) < _MIN_ANCHOR:
        raise RedactionError(
            f"this pattern could match anywhere: {pattern[:80]!r}; begin it with 3 fixed characters"
        )
    return anchor

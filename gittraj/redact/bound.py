"""A name, and the text that binds a value to it: ``NAME=``, ``"name": ``, ``--name ``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .load import patterns, words
from .names import Grade, grade, kind
from .page import Hit, Page

_RE = patterns("assignments")
_LONGEST_NAME = 64

LINKS = frozenset(words("words", "links"))


@dataclass(frozen=True, slots=True)
class Bound:
    """A name at the position ``at`` with the grade ``level``, the character ``before`` it, and the text
    ``between`` it and its value. The groups of ``between``: ``close`` closes the name, ``op`` is the sign;
    ``pair``: name and value are values of one object, or in two elements; ``markup`` is the rest of a start
    tag; ``typed``: a variable's type; ``block`` opens a block, a list or the line below."""

    name: str
    at: int
    level: Grade
    between: re.Match[str]
    before: str

    @property
    def op(self) -> str | None:
        found: str | None = self.between["op"]
        return found

    @property
    def sign(self) -> str:
        return "=" if self.op is None else self.op.strip()

    @property
    def start(self) -> int:
        return self.between.end()


def bind(page: Page, hit: Hit) -> tuple[int, Bound | None]:
    """Return the end of the name at a hit (a word that may name a secret), 0 without an assignment; and its
    ``Bound``, if it has a grade."""
    if not (tail := _RE.tail.match(page.lower, hit[1])):
        return 0, None
    before = _RE.before_name.match(page.text[max(0, hit[0] - _LONGEST_NAME) : hit[0]][::-1])
    start = hit[0] - (before.end() if before else 0)
    return tail.end(), _bound(page.text, start, tail.end())


def _bound(text: str, start: int, end: int) -> Bound | None:
    name = text[start:end]
    between = _RE.between.match(text, end) if (level := grade(name)) else None
    if not between or (kind(name) != "password" and _RE.public.search(text, max(0, start - 14), start)):
        return None
    if not between["op"] and (name[-1:] == "." or text.endswith(("$", "${"), 0, start)):
        return None  # the end of a sentence; or a variable that is used, not assigned
    if name == "code" and text.startswith("<", start - 1):
        return None  # the element of HTML
    bound = Bound(name, start, level, between, text[max(0, start - 1) : start])
    # the port of a host, a member of a path
    in_path = bound.before in (":", "/") and not text.endswith("::", 0, start) and not between["close"]
    return None if in_path and bound.op == ":" and not begins_line(text, start) else bound


def begins_line(text: str, at: int) -> bool:
    near = max(0, at - 100)
    return (not near or "\n" in text[near:at]) and _RE.line_start.search(text, near, at) is not None

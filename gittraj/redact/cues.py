"""Finds the names and verbs that announce a secret in a sentence, comment or prompt, and their grades."""

from __future__ import annotations

import re

from .lazy import lazy
from .load import alternatives, patterns, words
from .names import ALPHABETIC, CJK, Grade, grade
from .page import Hit, Page

_RE = patterns("cues")


def _noun() -> str:
    alphabetic = "|".join(ALPHABETIC)  # an inflection may follow
    strong = "|".join(
        [alternatives("cue_strong"), rf"(?:{alphabetic})[^\W\d_]{{0,8}}", *CJK, alternatives("phrases")]
    )
    return rf"(?P<strong>{strong})(?![a-z0-9_-])|(?P<weak>{alternatives('cue_weak')})(?![a-z0-9_])"


NOUN = lazy(_noun)
_VERBS = frozenset(("log in", "logged in", "logging in", "sign in", "signed in", "unlock", "decrypt"))
LOGIN = frozenset(words("words", "logins"))


def cue_at(page: Page, hit: Hit) -> tuple[int, int, Grade]:
    """The name at a hit (a word that may name a secret), and its grade in a sentence."""
    lower, at = page.lower, hit[0]
    before = _RE.name_ahead.match(lower[max(0, at - 40) : at][::-1])
    start = at - (
        before.end() if before and lower[at] < "\u0900" else 0
    )  # scripts that put no blanks between words
    end = _RE.name_ahead.match(lower, hit[1]).end()  # type: ignore[union-attr]
    if start == at and (noun := NOUN.match(lower, at)):
        end, level = max(end, noun.end()), _level_of(lower, noun)
    elif start == at and end == hit[1] and lower[at:end] in _VERBS:
        level = Grade.STRONG
    else:
        level = _level_of_name(page.text[start:end])
    return start, end, Grade.NONE if level and _is_other(lower, start, end) else level


def _level_of(lower: str, noun: re.Match[str]) -> Grade:
    start = noun.start()
    if noun["strong"] or noun[0] in LOGIN:
        return Grade.STRONG
    if noun[0] == "pass":
        return Grade.STRONG if _RE.pass_of.search(lower, max(0, start - 12), start) else Grade.TOKEN
    of = _RE.of.search(lower, max(0, start - 24), start) if noun[0].endswith("key") else None
    return Grade.NONE if of and not grade(f"{of[1]}_{noun[0]}") else Grade.TOKEN


def _level_of_name(name: str) -> Grade:
    if name[-4:].lower() == "auth":
        return Grade.STRONG
    level = grade(name)
    if level < Grade.TOKEN and len(name) > 8 and name[-1:] == "s":
        level = grade(name[:-1])
    return Grade.NONE if level is Grade.WEAK else level


def _is_other(lower: str, start: int, end: int) -> bool:
    """Whether the name does not announce a secret: negated, public, or part of a path or a longer word."""
    return (
        lower.endswith(("public ", "public-", "public_", "fingerprint "), 0, start)
        or _RE.in_path.match(lower, end) is not None
        or _RE.refused.search(lower, max(0, start - 40), start) is not None
        or (start > 0 and lower[start - 1] in "/\\")
        or _RE.in_word.fullmatch(lower, max(0, start - 2), start) is not None
    )


def is_count(page: Page, at: int) -> bool:
    """Whether the number at ``at`` counts something, by what is before it in its line."""
    line = page.lower.rfind("\n", 0, at) + 1
    return _RE.counted.search(page.lower, max(line, at - 80), at) is not None

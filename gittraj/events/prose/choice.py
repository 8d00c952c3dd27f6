"""A choice, in words that make sense alone: its sides name things, and its reason is a clause."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from gittraj.events.prose.patterns import load


@dataclass(frozen=True, slots=True)
class Choice:
    """``quote``: the sentence word for word."""

    chosen: str
    rejected: tuple[str, ...]
    reason: str | None
    quote: str


_RULES, PHRASES = load("choice"), load("forms")


def clause(why: str, other: str, between: str) -> str | None:
    """``why`` with a subject, so that it can follow ``because``; None if it cannot. ``between``: the text
    between the ``other`` side and it."""
    why = _RULES["link"].sub("", why, count=1)
    what, _, cause = why.partition(" because ")
    if cause and not _RULES.begins(why, "purpose"):  # ``as the first day because ISO 8601 says so``
        why = what.rstrip(",") if PHRASES.find(what, "finite") else cause
    if relative := _RULES["relative"].match(why):
        why, between = why[relative.end() :], between.strip(" ,")
    bare, would = _RULES.begins(why, "verb"), _RULES.begins(why, "may")
    if bare and other and not between.strip() and (would or not relative):
        return f"{lowered(other)} {why}"
    if bare or relative:
        return None if would else f"it {why}"
    return why if _balanced(why) and not _RULES.begins(why, "dangling") else None


def lowered(side: str) -> str:
    """The side as it is written within a sentence."""
    return side[0].lower() + side[1:] if re.match(r"(?:An?|The|One|Another|[A-Z][a-z]+ing)\b", side) else side


def tidied(choice: Choice) -> Choice | None:
    """The choice without introductory words; None if a side is not a thing that can be named."""
    chosen = _RULES["frame"].sub("", choice.chosen)
    if any(_RULES["no_side"].match(side) or not _balanced(side) for side in (chosen, *choice.rejected)):
        return None
    if not choice.rejected and _RULES["left"].fullmatch(chosen):
        return None
    return replace(choice, chosen=chosen)


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")")

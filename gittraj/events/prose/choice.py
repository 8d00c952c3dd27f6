"""Rewrites a choice so that it makes sense alone: its two sides (chosen, rejected) name things, its reason is
a clause."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from gittraj.events.prose.patterns import PHRASES, load


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that a sentence states; ``quote`` is that sentence, word for word."""

    chosen: str
    rejected: tuple[str, ...]
    reason: str | None
    quote: str


_RULES = load("choice")


def make_clause(reason: str, other: str, between: str) -> str | None:
    """Return ``reason`` with a subject, so that it can follow ``because``; None if it cannot. ``between`` is
    the text between the rejected side, ``other``, and the reason."""
    reason = _select_cause(_RULES["link"].sub("", reason, count=1))
    relative = _RULES["relative"].match(reason)
    if relative:
        reason, between = reason[relative.end() :], between.strip(" ,")
    lacks_subject, is_conditional = _RULES.begins(reason, "verb"), _RULES.begins(reason, "may")
    if not (lacks_subject or relative):
        return reason if _is_clause(reason) else None
    if lacks_subject and _is_adjacent(other, between) and (is_conditional or not relative):
        return f"{lower_article(other)} {reason}"
    return None if is_conditional else f"it {reason}"


def _is_clause(reason: str) -> bool:
    return is_balanced(reason) and not _RULES.begins(reason, "dangling")


def _is_adjacent(other: str, between: str) -> bool:
    return bool(other) and not between.strip()


def _select_cause(reason: str) -> str:
    """Return the half of the reason that is a clause: of ``as the first day because ISO 8601 requires it``,
    the second."""
    statement, _, cause = reason.partition(" because ")
    if not cause or _RULES.begins(reason, "purpose"):
        return reason
    return statement.rstrip(",") if PHRASES.find(statement, "finite") else cause


def lower_article(side: str) -> str:
    """Return the side as it is written within a sentence: an article or gerund in lower case."""
    return side[0].lower() + side[1:] if re.match(r"(?:An?|The|One|Another|[A-Z][a-z]+ing)\b", side) else side


def tidy(choice: Choice) -> Choice | None:
    """Return the choice without introductory words; None if a side does not name a thing."""
    chosen = _RULES["frame"].sub("", choice.chosen)
    if any(_RULES["no_side"].match(side) or not is_balanced(side) for side in (chosen, *choice.rejected)):
        return None
    if not choice.rejected and _RULES["left"].fullmatch(chosen):
        return None
    return replace(choice, chosen=chosen)


def is_balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")

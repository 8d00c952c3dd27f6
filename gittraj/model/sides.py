"""Renders a decision as a short text: its two sides, which are the choice and the rejected options, and who
recorded it. No I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gittraj.model.header import Header
from gittraj.model.words import sure, taken_back

_REFUSAL = "not: "
_REFUSED = re.compile(rf"{_REFUSAL}|(?:(?:I|we)(?:'ve| have)? )?decided against ", re.I)
_REFUSES = re.compile(r"n't\b|\b(?:not|no|against|without|avoid|skip|reject|drop|refrain|ruled out)", re.I)
_SAYS = re.compile(r"\b(?:I|we)\b|^\w+(?:ed|ing) ", re.I)


def sides(decision: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the choice, and the rejected options that its text does not already name. The choice is empty if
    the decision only rejects something."""
    chosen, others = decision["chosen"], decision.get("alternatives") or []
    if refused := _REFUSED.match(chosen):
        return "", others or [chosen[refused.end() :]]
    return chosen, [other for other in others if not (other in chosen and _REFUSES.search(chosen))]


_PLACED = re.compile(r"(?:at|before|after|by|for|from|in|inside|on|to|with)\b", re.I)
"""The beginning of an option that says where or how: ``over in a property`` would not be English."""


def decided(decision: Header) -> str:
    """Render a decision as ``X over Y and Z``; as ``I did X rather than Y`` if one of them is a clause; or as
    ``not: Y``, or as ``I decided against Y``, as it was said."""
    chosen, others = sides(decision)
    rejected = " and ".join(others)
    clause = any(map(_SAYS.search, (chosen, *others))) or any(map(_PLACED.match, others))
    link = "rather than" if clause else "over"
    said = decision["chosen"]
    refusal = said if said and not said.startswith(_REFUSAL) else f"{_REFUSAL}{rejected}"
    return f"{chosen} {link} {rejected}" if chosen and others else chosen or refusal


_CAPITAL = re.compile(r"(?:An?|The|This|That|These|Those|It|Its|They|There|We|No|For|To|Due to)(?= [a-z])")
"""How a sentence may begin, other than with a name."""
_PURPOSE = re.compile(r"(?:for|to|due to|so(?! (?:many|much|few|little)\b))\b", re.I)


def because(reason: str) -> str:
    """Return the reason after the word ``because``, or alone if it is a purpose. The result is for the middle
    of a sentence: it begins with a capital letter only if that may belong to a name."""
    if _CAPITAL.match(reason):
        reason = reason[0].lower() + reason[1:]
    return reason if is_purpose(reason) else f"because {reason}"


def is_purpose(reason: str) -> bool:
    """Whether a reason begins like ``for the lookup`` or ``so that it ends``: ``because`` does not fit it."""
    return _PURPOSE.match(reason) is not None


def vouched(decision: Header) -> str | None:
    """Render who recorded a decision (unless it was the agent), how sure that is, and what reverted its
    commit, as far as that is known: ``inferred, 60% sure, reverted by 1f442bd``."""
    by = None if decision["by"] == "agent" else decision["by"]
    return ", ".join(filter(None, (by, sure(decision["confidence"]), taken_back(decision)))) or None

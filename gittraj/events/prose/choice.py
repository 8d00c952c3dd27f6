"""A choice, told in words that can stand for themselves: sides that are things, a reason that is a clause."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Choice:
    """``quote``: the sentence word for word."""

    chosen: str
    rejected: tuple[str, ...]
    reason: str | None
    quote: str


_MAY = r"(?:would|could|might)(?:n't)?\b"
_VERB = re.compile(
    rf"(?:{_MAY}|(?:can|cannot|can't|has|had|is|are|was|were|will|does|did|needs|needed|means|meant|makes|keeps"
    r"|gives|lets|saves|costs?|requires|breaks|broke|loses|lost|leaves|took|takes|pulled|ran|adds|allows)\b)"
)
_RELATIVE = re.compile(rf"which (?=\w+s\b|{_MAY}|had\b)", re.I)
_LINK = re.compile(r"(?:because|since|but|yet) (?!of\b|then\b)", re.I)
_DANGLING = re.compile(r"(?:that|and|but|or|than|which)\b(?! said\b)", re.I)
_NO_SIDE = re.compile(r"(?:the (?:\w+ )?alternative|it|which|there|you|they)\b", re.I)
_LEFT = re.compile(r"(?:left|kept) (?:it|that|this|them)\b.{0,8}", re.I)


def clause(why: str, other: str, between: str) -> str | None:
    """``why`` with a subject, so that it can stand after ``because``; None if it cannot. ``between``: what
    stands between the other side and it."""
    why = _LINK.sub("", why, count=1)
    if relative := _RELATIVE.match(why):
        why, between = why[relative.end() :], between.strip(" ,")
    follows = other and not between.strip()
    if _VERB.match(why):
        if follows and (not relative or re.match(_MAY, why)):
            return f"{lowered(other)} {why}"
        return None if re.match(_MAY, why) else f"it {why}"
    if relative:
        return f"it {why}"
    return None if _DANGLING.match(why) or not _balanced(why) else why


def lowered(side: str) -> str:
    """As it stands within a sentence."""
    return side[0].lower() + side[1:] if re.match(r"(?:An?|The|One|Another|[A-Z][a-z]+ing)\b", side) else side


def tidied(choice: Choice) -> Choice | None:
    """None if a side is no thing that can be told."""
    chosen = re.sub(r"(?<=\w) it is\.?$", "", choice.chosen)
    if any(_NO_SIDE.match(side) or not _balanced(side) for side in (chosen, *choice.rejected)):
        return None
    if not choice.rejected and _LEFT.fullmatch(chosen):
        return None
    return replace(choice, chosen=chosen)


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")")

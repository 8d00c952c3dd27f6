"""What an agent's own words say of choices and doubts, found by rules.

Cautious: a sentence that names what was taken *and* what was not is a decision; a sentence that states
a doubt is a caveat, word for word. All of it is marked ``inferred`` or quoted, never as stated. Only
what the agent said aloud is read; thinking may be sealed, and what is drawn from it would leak it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gittraj.model import Decision

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.S)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WHY = r"(?:\s*[,;:(—–-]*\s*(?:since|because|as|so that|due to|to avoid|which would)\s+(?P<why>.+?))?"
_CHOICE = re.compile(
    r"\b(?:I|we)(?:['’](?:ll|ve|m)|\s+(?:will|have|am|shall))?\s+(?:going to\s+)?"
    r"(?:use|used|using|go with|going with|went with|chose|choose|chosen|pick|picked|prefer|preferred|"
    r"decided on|decided to use|opt for|opted for|keep|kept)\s+"
    r"(?P<chosen>[^.;]{2,160}?),?\s+(?:instead of|rather than|over|and not|but not|not)\s+"
    r"(?P<other>[^.;]{2,160}?)" + _WHY + r"\s*[.!]?$",
    re.I,
)
_REJECTION = re.compile(
    r"\b(?:I|we)(?:['’]ve|\s+have)?\s+(?:rejected|ruled out|decided against|discarded)\s+"
    r"(?P<other>[^.;]{2,160}?)(?:\s+(?:in favou?r of|for)\s+(?P<chosen>[^.;,]{2,160}?))"
    + _WHY
    + r"\s*[.!]?$",
    re.I,
)
_DOUBT = re.compile(
    r"\b(?:I(?:['’]m| am) (?:not (?:sure|certain)|unsure|uncertain)|(?:not|never|haven['’]t(?: been)?) "
    r"(?:yet )?(?:tested|verified|run)|untested|unverified|could ?n[o'’]t (?:test|verify|run|reproduce)|"
    r"I(?:['’]m| am)? assum(?:e|ed|ing)|may (?:still )?break|might (?:still )?break|worth double-checking|"
    r"please (?:double-check|verify)|not confident|low confidence)\b",
    re.I,
)
_LIMIT = 400


def infer_decisions(messages: Iterable[str], *, most: int = 5) -> tuple[Decision, ...]:
    """Choices that name what was not taken, ``by`` inferred, at most ``most``."""
    found: dict[tuple[str, str], Decision] = {}
    for sentence in _sentences(messages):
        match = _CHOICE.search(sentence) or _REJECTION.search(sentence)
        if match:
            chosen, other = match["chosen"].strip(" ,"), match["other"].strip(" ,")
            why = (match["why"] or "").strip(" .)") or None
            found.setdefault(
                (chosen, other), Decision(chosen=chosen, alternatives=(other,), reasoning=why, by="inferred")
            )
    return tuple(found.values())[:most]


def find_caveats(messages: Iterable[str], *, most: int = 5) -> tuple[str, ...]:
    """Sentences that state a doubt, word for word, at most ``most``."""
    doubts = (s for s in _sentences(messages) if _DOUBT.search(s))
    return tuple(dict.fromkeys(doubts))[:most]


def _sentences(messages: Iterable[str]) -> Iterator[str]:
    for message in messages:
        for sentence in _SENTENCE.split(_FENCE.sub("\n", message)):
            stripped = sentence.strip().lstrip("-*•> ")
            if 8 <= len(stripped) <= _LIMIT:
                yield stripped

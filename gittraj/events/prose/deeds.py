"""Decides whether a sentence says that something was chosen or done, for the rules that
read its neighbour."""

from __future__ import annotations

import re

from gittraj.events.prose.patterns import PHRASES, SENTENCES, load
from gittraj.events.prose.statements import SIDE_LIMIT

_RULES = load("choices")
_FRAGMENT = 6  # words, at most, of a fragment
_NAMED = re.compile(r"(?!(?i:tests?|build|lint|ci|status|docs)\b)[^:]+(?:: | [–—] )")


def states_choice(text: str) -> bool:
    """Whether a sentence says by a word of choice what was chosen."""
    chosen = SENTENCES["taken"].match(text) or text.endswith(" it is")
    return bool(chosen) and not _RULES.find(text, "open")


def _is_fragment(text: str) -> bool:
    """Whether this is ``Engine: Pagefind``, which names the choice without a verb."""
    return len(text.split()) <= _FRAGMENT and bool(_NAMED.match(text)) and not text.endswith("?")


def states_deed(text: str) -> bool:
    """Whether a sentence says what was done, or how it is now."""
    if _RULES.find(text, "open", "fault", "denied"):
        return False
    if _is_fragment(text):
        return not _RULES.find(text, "no_deed")
    described = _RULES.begins(text, "no_deed") and not text.startswith("The ")
    if described or len(text) > SIDE_LIMIT or text.endswith(":"):
        return False
    return PHRASES.find(text, "done", "state") or states_choice(text) or _RULES.begins(text, "making")

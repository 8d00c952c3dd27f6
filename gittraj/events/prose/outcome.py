"""What came out of the work, and why it was done so, in the agent's own sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gittraj.events.prose.choices import Choice
from gittraj.events.prose.markdown import Sentence, plain, read_sentences

_CHEER = re.compile(
    r"^(?:[\w']+ ?){1,4}!$|^(?:done|perfect|great|excellent|sure|certainly|ok(?:ay)?|thought)[.!:]?$", re.I
)
_CAME_OUT = re.compile(
    r"\b(?:successfully|complete[d]?|committed|finished|implemented|created|added|updated|fixed|replaced|"
    r"removed|moved|mended|wrote|written|"
    r"renamed|refactored|converted|resolved|organi[sz]ed|verified|passe?[sd]?|passing|works?|"
    r"working|builds?|succeeds?|"
    r"succeeded|clean|green|now|are in|is in|runs?|reports? nothing|shows? no|fell|dropped|went "
    r"from|shrank|finish(?:es)?|parses?|copied|"
    r"recovere?d|should (?:now )?(?:fix|work)|sufficient|is at|lands?|arrive|answers?|survive|"
    r"gets?|validates?|returns?|prints)\b",
    re.I,
)
_NOT_YET = re.compile(
    r"^(?:let me|let's|now (?:i|let)|i'll|i will|i need|i should|we need|next|first|if |would "
    r"you|do you|you can|to |the issue|the problem|"
    r"the error|looking|i see|i can see|but |however|note\b|after |when |yes\b|no\b)|\?$|:$(?<!done:)",
    re.I,
)
_CAUSE = re.compile(
    r"\b(?:because|since|so that|in order to|due to|the (?:root )?cause|root cause|key insight|"
    r"the (?:issue|problem|reason|crash|bug) "
    r"(?:is|was|came|comes)|this (?:ensures|enables|allows|keeps|avoids|makes|means|removes)|"
    r"which (?:ensures|keeps|avoids)|to avoid|to keep|"
    r"was what|is why|came from|as (?:the|it|only|a)\b|for better|so the|approach)\b",
    re.I,
)
_NO_CAUSE = re.compile(r"^(?:let me|i'll|i need|now |next|if |you )|\?$", re.I)
_WHY = re.compile(r"^why\b|\b(?:rationale|reasoning|root cause|cause)\b", re.I)


def find_result(messages: Sequence[str]) -> str | None:
    """The sentence of the last message, or of the one before, that tells what came out; None if none does."""
    for message in reversed(messages[-2:]):
        sentences = [s for s in read_sentences(message) if _may_tell(s)]
        paragraphs = [s for s in sentences if s.kind == "paragraph"]
        for sentence in (*paragraphs, *(s for s in sentences if s.kind == "item")):
            if _CAME_OUT.search(sentence.text):
                return plain(sentence.quote)
    return None


def _may_tell(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.kind not in ("paragraph", "item") or len(text) < 8 or _CHEER.match(text):
        return False
    return not _NOT_YET.search(text) or (
        text.endswith(":") and re.match(r"done|i've|we've", text, re.I) is not None
    )


def find_reason(messages: Sequence[str], choices: Sequence[Choice]) -> str | None:
    """A choice with its reason, else a sentence that states a cause, else a choice; else None."""
    reasoned = next((choice.quote for choice in choices if choice.reason), None)
    if reasoned:
        return plain(reasoned)
    for message in reversed(messages):
        sentences = [
            s for s in read_sentences(message) if s.kind in ("paragraph", "item") and len(s.text) > 20
        ]
        for sentence in sentences:
            if _CAUSE.search(sentence.text) and not _NO_CAUSE.search(sentence.text):
                return plain(sentence.quote)
        under = next((s for s in sentences if _WHY.search(s.section)), None)
        if under:
            return plain(under.quote)
    return plain(choices[0].quote) if choices else None

"""What came out of the work, and why it was done so, in the agent's own sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gittraj.events.prose.choices import Choice
from gittraj.events.prose.markdown import Sentence, plain, read_sentences
from gittraj.events.prose.patterns import load

_RULES = load("outcome")


def find_result(messages: Sequence[str]) -> str | None:
    """The sentence of the last message, or of the one before, that tells what came out; None if none does."""
    for message in reversed(messages[-2:]):
        sentences = [s for s in read_sentences(message) if _may_tell(s)]
        paragraphs = [s for s in sentences if s.kind == "paragraph"]
        for sentence in (*paragraphs, *(s for s in sentences if s.kind == "item")):
            if _RULES["came_out"].search(sentence.text):
                return plain(sentence.quote)
    return None


def _may_tell(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.kind not in ("paragraph", "item") or len(text) < 8 or _RULES["cheer"].match(text):
        return False
    return not _RULES["not_yet"].search(text) or (
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
            if _RULES["cause"].search(sentence.text) and not _RULES["no_cause"].search(sentence.text):
                return plain(sentence.quote)
        under = next((s for s in sentences if _RULES["why"].search(s.section)), None)
        if under:
            return plain(under.quote)
    return plain(choices[0].quote) if choices else None

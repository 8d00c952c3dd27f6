"""Parses the summarizer's answer, and keeps what the events confirm. Pure.

The answer is untrusted: a decision or doubt is refused if it names an event that does not exist, or quotes
words that are not in that event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gittraj.errors import TrajError
from gittraj.events.part_summary import shorten
from gittraj.formats.base import coerce
from gittraj.frozen import dataclass
from gittraj.model.values import AnyEvent, Decision
from gittraj.summarizer.request import DECISIONS, DOUBTS, WORDS, text_of

SUMMARY_LIMIT = 1_200
_TEXT_LIMIT = 400
_QUOTE_LIMIT = 1_000
_WORDS_LEAST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """``doubts``: event ids and quotes; ``refused``: how many decisions and doubts were left out."""

    summary: str
    decisions: tuple[Decision, ...]
    doubts: tuple[tuple[str, str], ...]
    refused: int


def understand(text: str, events: Sequence[AnyEvent], *, by: str) -> Understood:
    """Parse an answer. Raises TrajError if it does not have the form that the request asks for."""
    answer = _find_json(text)
    summary = coerce.string(answer.get("summary"))
    if not summary.strip():
        raise TrajError("the answer has no summary")
    words = {event.id: text_of(event) for event in events if isinstance(event, WORDS)}
    decisions = [_decision(coerce.mapping(i), words, by) for i in coerce.sequence(answer.get("decisions"))]
    doubts = [_quote(coerce.mapping(item), words) for item in coerce.sequence(answer.get("doubts"))]
    kept = tuple(d for d in decisions if d)[:DECISIONS], tuple(d for d in doubts if d)[:DOUBTS]
    return Understood(
        summary=_short(summary, SUMMARY_LIMIT),
        decisions=kept[0],
        doubts=kept[1],
        refused=len(decisions) + len(doubts) - len(kept[0]) - len(kept[1]),
    )


def _find_json(text: str) -> Mapping[str, Any]:
    """The JSON object in an answer, which models like to wrap in words and fences."""
    first, last = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[first : last + 1])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise TrajError("the answer is not the JSON that was asked for")
    return value


def _quote(item: Mapping[str, Any], words: Mapping[str, str]) -> tuple[str, str] | None:
    """The event's id and the quote as the event has it; the model's white space need not match."""
    event, quote = coerce.string(item.get("event")), coerce.string(item.get("quote"))
    if len(quote) > _QUOTE_LIMIT:
        return None
    parts = quote.split()
    found = re.search(r"\s+".join(map(re.escape, parts)), words.get(event, ""))
    return (event, found[0]) if found and len(parts) >= _WORDS_LEAST else None


def _decision(item: Mapping[str, Any], words: Mapping[str, str], by: str) -> Decision | None:
    found, chosen = _quote(item, words), coerce.string(item.get("chosen"))
    if found is None or not chosen.strip():
        return None
    return Decision(
        chosen=_short(chosen),
        by=by,
        alternatives=tuple(map(_short, coerce.texts(item.get("alternatives"))[:DECISIONS])),
        reasoning=_short(coerce.string(item.get("reasoning"))) or None,
        event=found[0],
        quote=found[1],
    )


def _short(text: str, limit: int = _TEXT_LIMIT) -> str:
    return shorten(" ".join(text.split()), limit)

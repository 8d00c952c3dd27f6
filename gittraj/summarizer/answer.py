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
_QUOTE_MIN_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The parsed answer. ``doubts`` are pairs of an event's id and a quote from it; ``refused`` is the number
    of decisions and doubts that were left out."""

    summary: str
    decisions: tuple[Decision, ...]
    doubts: tuple[tuple[str, str], ...]
    refused: int


def understand(text: str, events: Sequence[AnyEvent], *, by: str) -> Understood:
    """Parse an answer. Raises TrajError if it does not have the form that the request asks for."""
    answer = _find_json(text)
    summary = coerce.string(answer.get("summary"))
    if not summary.strip():
        raise TrajError("the summarizer's answer has no summary")
    words = {event.id: text_of(event) for event in events if isinstance(event, WORDS)}
    decisions = [_decision(coerce.mapping(i), words, by) for i in coerce.sequence(answer.get("decisions"))]
    doubts = [_quote(coerce.mapping(item), words) for item in coerce.sequence(answer.get("doubts"))]
    valid_decisions = tuple(filter(None, decisions))[:DECISIONS]
    valid_doubts = tuple(filter(None, doubts))[:DOUBTS]
    return Understood(
        summary=_short(summary, SUMMARY_LIMIT),
        decisions=valid_decisions,
        doubts=valid_doubts,
        refused=len(decisions) + len(doubts) - len(valid_decisions) - len(valid_doubts),
    )


def _find_json(text: str) -> Mapping[str, Any]:
    """Parse the JSON object in an answer, around which models like to put words and fences."""
    first, last = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[first : last + 1])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise TrajError("the answer is not the JSON that was asked for")
    return value


def _quote(item: Mapping[str, Any], words: Mapping[str, str]) -> tuple[str, str] | None:
    """Return an event's id and the quote as the event has it; white space may differ. None if absent."""
    event, quote = coerce.string(item.get("event")), coerce.string(item.get("quote"))
    if len(quote) > _QUOTE_LIMIT:
        return None
    parts = quote.split()
    match = re.search(r"\s+".join(map(re.escape, parts)), words.get(event, ""))
    return (event, match[0]) if match and len(parts) >= _QUOTE_MIN_WORDS else None


def _decision(item: Mapping[str, Any], words: Mapping[str, str], by: str) -> Decision | None:
    quote, chosen = _quote(item, words), coerce.string(item.get("chosen"))
    if quote is None or not chosen.strip():
        return None
    return Decision(
        chosen=_short(chosen),
        by=by,
        alternatives=tuple(map(_short, coerce.texts(item.get("alternatives"))[:DECISIONS])),
        reasoning=_short(coerce.string(item.get("reasoning"))) or None,
        event=quote[0],
        quote=quote[1],
    )


def _short(text: str, limit: int = _TEXT_LIMIT) -> str:
    return shorten(" ".join(text.split()), limit)

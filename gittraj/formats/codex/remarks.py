"""What the program itself says in a rollout: errors, undone turns, reviews by other agents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.codex.record import Record
from gittraj.model.session_items import Entry
from gittraj.model.values import Decided, Decision, NoteEvent

_JUDGED = {"approved": "approved", "denied": "declined"}


def remarks(record: Record) -> Iterator[Entry]:
    """The entries of an ``event_msg`` that is neither of the model nor of a human."""
    payload = record.payload
    match payload.get("type"):
        case "error" | "stream_error":
            text = coerce.text(payload.get("message")) or "error"
            yield record.entry(NoteEvent(**record.common(), content=text, kind="error"))
        case "thread_rolled_back":
            text = f"{coerce.count(payload.get('num_turns'))} turns rolled back"
            yield record.entry(NoteEvent(**record.common(), content=text, kind="note"))
        case "entered_review_mode":
            asked = coerce.text(payload.get("user_facing_hint")) or coerce.text(payload.get("prompt"))
            text = f"Review: {asked}" if asked else "Review"
            yield record.entry(NoteEvent(**record.common(0, "review"), content=text, kind="note"))
        case "exited_review_mode":
            yield from _findings(record, coerce.mapping(payload.get("review_output")))
        case "guardian_assessment":
            yield from _judgement(record)


def _findings(record: Record, review: dict[str, Any]) -> Iterator[Entry]:
    ordinal = 0
    for ordinal, finding in enumerate(coerce.objects(review.get("findings")), 1):
        place = coerce.mapping(finding.get("code_location"))
        line = coerce.number(coerce.mapping(place.get("line_range")).get("start"))
        path = coerce.text(place.get("absolute_file_path"))
        where = f"{path}:{line}" if path and line else path
        parts = [coerce.text(finding.get("title")), where, coerce.text(finding.get("body"))]
        text = "\n".join(part for part in parts if part)
        common = record.common(ordinal - 1, "review")
        yield record.entry(NoteEvent(**common, content=text, kind="finding"), paths=(path,) if path else ())
    parts = [coerce.text(review.get(name)) for name in ("overall_correctness", "overall_explanation")]
    text = "\n".join(part for part in parts if part) or "Review ended"
    yield record.entry(NoteEvent(**record.common(ordinal, "review"), content=text, kind="note"))


def _judgement(record: Record) -> Iterator[Entry]:
    """What another model, set to watch over this one, decided on a call."""
    payload = record.payload
    judged = _JUDGED.get(str(payload.get("status")))
    if judged is None:
        return
    action = coerce.mapping(payload.get("action"))
    what = coerce.text(action.get("command")) or coerce.text(action.get("tool_name"))
    what = what or coerce.text(action.get("type")) or "an action"
    decision = Decision(
        chosen=f"{judged} {what}", by="agent", reasoning=coerce.text(payload.get("rationale"))
    )
    yield record.entry(Decided(**record.common(0, "guardian"), decision=decision))

"""A record of a rollout, and what the program itself says in one: errors, undone turns, reviews by others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gittraj.formats.base import coerce
from gittraj.model.session_items import Entry
from gittraj.model.values import AnyEvent, Decided, Decision, NoteEvent

_FIRST = frozenset(("id", "timestamp"))
_FIRST_TELLS = frozenset(("instructions", "git"))


class Record(NamedTuple):  # one for each record of a log: a dataclass takes three times as long to make
    """A record with what every event of it has. ``owner`` is the session that it was copied from."""

    number: int
    kind: str
    payload: dict[str, Any]
    time: Any
    start: int
    end: int
    owner: str | None

    def common(self, ordinal: int = 0, *tags: str) -> dict[str, Any]:
        """The fields of the event that block ``ordinal`` becomes."""
        source = coerce.text(self.payload.get("id")) if self.kind == "response_item" else None
        return {
            "id": f"{source or f'n{self.number}'}:{ordinal}",
            "ts": coerce.stamp(self.time),
            "tags": tags,
        }

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, session=self.owner, **known)


def opened(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind and payload of a record; the oldest form has no envelope."""
    if "payload" in value:
        return coerce.text(value.get("type")) or "", coerce.mapping(value["payload"])
    if is_bare(value):
        return "session_meta", value
    return ("response_item" if "type" in value else ""), value


def is_bare(value: dict[str, Any]) -> bool:
    """Whether this is the first line of the oldest form, whose records have no envelope."""
    return "type" not in value and value.keys() >= _FIRST and not _FIRST_TELLS.isdisjoint(value)


# ---------------------------------------------------------------- what the program says

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

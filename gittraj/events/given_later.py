"""Reads statements about a part that were added after it was stored: corrections, a model's summary. Pure.

The statements are notes with a tag; their content is in ``raw``, which is untrusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gittraj.errors import FormatError
from gittraj.frozen import dataclass
from gittraj.model.codec import from_json, to_json
from gittraj.model.values import AnyEvent, CaveatSource, Decision, NoteEvent, Summary

STRUCK = "struck"
"""The tag of a person's note that a statement is wrong, and the key in ``raw`` of the statement's id."""
SUMMARY = "model-summary"
"""The tag of a model's summary, and the key in ``raw`` of the summary's decisions and doubts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSummary:
    """A model's summary of a part. ``doubts`` are quotes, with their ``sources``; ``why`` is the quote of the
    first decision that has a reason."""

    summary: Summary | None = None
    decisions: tuple[Decision, ...] = ()
    doubts: tuple[str, ...] = ()
    sources: tuple[CaveatSource, ...] = ()

    @property
    def why(self) -> str | None:
        return next((d.quote for d in self.decisions if d.reasoning), None)


def struck(events: Sequence[AnyEvent]) -> Iterator[str]:
    """Yield the ids of the statements that a person marked as wrong."""
    for event in events:
        if isinstance(event, NoteEvent) and STRUCK in event.tags and isinstance(event.raw, dict):
            yield str(event.raw.get(STRUCK))


def write_model_summary(decisions: Sequence[Decision], doubts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the ``raw`` of a model's summary; each doubt is an event's id and a quote."""
    stated = [{"event": event, "quote": quote} for event, quote in doubts]
    return {SUMMARY: {"decisions": [to_json(d) for d in decisions], "doubts": stated}}


def model_summary(events: Sequence[AnyEvent]) -> ModelSummary:
    """Return the first summary by a model among the events, credited to the model that the event names."""
    for event in events:
        if isinstance(event, NoteEvent) and (data := _find_data(event)) is not None:
            return _read(event, data)
    return ModelSummary()


def _read(event: NoteEvent, data: dict[str, Any]) -> ModelSummary:
    by = f"model:{event.model or 'unknown'}"
    doubts = [d for d in _select_dicts(data.get("doubts")) if d.get("event") and d.get("quote")]
    return ModelSummary(
        summary=Summary(text=event.content, by=by),
        decisions=tuple(_read_decisions(data.get("decisions"), by)),
        doubts=tuple(str(d["quote"]) for d in doubts),
        sources=tuple(CaveatSource(event=str(d["event"]), by=by) for d in doubts),
    )


def _find_data(event: NoteEvent) -> dict[str, Any] | None:
    data = event.raw.get(SUMMARY) if isinstance(event.raw, dict) and SUMMARY in event.tags else None
    return data if isinstance(data, dict) else None


def _read_decisions(values: Any, by: str) -> Iterator[Decision]:
    for each in _select_dicts(values):
        try:
            yield from_json(Decision, {**each, "by": by})
        except FormatError:
            continue


def _select_dicts(values: Any) -> list[dict[str, Any]]:
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []

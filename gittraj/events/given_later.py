"""Statements about a part that were added after it was stored: corrections, and a model's summary. Pure.

These are notes with a tag; their content is in ``raw``, which is untrusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gittraj.errors import FormatError
from gittraj.frozen import dataclass
from gittraj.model.codec import from_json, to_json
from gittraj.model.values import AnyEvent, CaveatSource, Decision, NoteEvent, Summary

STRUCK = "struck"
"""The tag of a person's note that a statement is wrong, and the key of the statement's id in ``raw``."""
SUMMARY = "model-summary"
"""The tag of a model's summary, and the key of its decisions and doubts in ``raw``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSummary:
    """``doubts``: their words; ``why``: the words of the first decision that has a reason."""

    summary: Summary | None = None
    decisions: tuple[Decision, ...] = ()
    doubts: tuple[str, ...] = ()
    sources: tuple[CaveatSource, ...] = ()

    @property
    def why(self) -> str | None:
        return next((d.quote for d in self.decisions if d.reasoning), None)


def struck(events: Sequence[AnyEvent]) -> Iterator[str]:
    """The ids of the statements that a person said are wrong."""
    for event in events:
        if isinstance(event, NoteEvent) and STRUCK in event.tags and isinstance(event.raw, dict):
            yield str(event.raw.get(STRUCK))


def write_model_summary(decisions: Sequence[Decision], doubts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The ``raw`` of a model's summary; a doubt is an event's id and a quote."""
    stated = [{"event": event, "quote": quote} for event, quote in doubts]
    return {SUMMARY: {"decisions": [to_json(d) for d in decisions], "doubts": stated}}


def model_summary(events: Sequence[AnyEvent]) -> ModelSummary:
    """The first model's summary among the events, credited to the model that it names."""
    notes = ((event, _said(event)) for event in events if isinstance(event, NoteEvent))
    event, said = next(((event, said) for event, said in notes if said is not None), (None, {}))
    if event is None:
        return ModelSummary()
    by = f"model:{event.model or 'unknown'}"
    doubts = [d for d in _dicts(said.get("doubts")) if d.get("event") and d.get("quote")]
    return ModelSummary(
        summary=Summary(text=event.content, by=by),
        decisions=tuple(_decisions(said.get("decisions"), by)),
        doubts=tuple(str(d["quote"]) for d in doubts),
        sources=tuple(CaveatSource(event=str(d["event"]), by=by) for d in doubts),
    )


def _said(event: NoteEvent) -> dict[str, Any] | None:
    said = event.raw.get(SUMMARY) if isinstance(event.raw, dict) and SUMMARY in event.tags else None
    return said if isinstance(said, dict) else None


def _decisions(found: Any, by: str) -> Iterator[Decision]:
    for each in _dicts(found):
        try:
            yield from_json(Decision, {**each, "by": by})
        except FormatError:
            continue


def _dicts(found: Any) -> list[dict[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

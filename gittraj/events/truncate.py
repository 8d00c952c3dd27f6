"""Limits events and records to the size that is stored: cuts long texts, and long lists, whose full length is
noted. Only for redacted values, since half a secret would not be recognised. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gittraj.events.part_summary import shorten
from gittraj.model.codec import SEGMENT_LIMIT, dump, event_to_json, to_json
from gittraj.model.texts import map_texts
from gittraj.model.values import AnyEvent, Record, Retrospective, ToolResult

RECORD_LIMIT = 8_000
"""The maximum number of bytes of a record without its seals."""
TEXT_LIMIT = 256 * 1024
"""Characters to which each text of an event is cut if the event would not fit into a segment."""


def measure(event: AnyEvent) -> AnyEvent:
    """Add size and hash to an artifact: those of the redacted text, never of the original."""
    if event.artifact is None or event.artifact.sha256:
        return event
    body = event.content.encode("utf-8", "replace")
    measured = replace(event.artifact, bytes=len(body), sha256=hashlib.sha256(body).hexdigest())
    return replace(event, artifact=measured)


def cap(event: AnyEvent) -> AnyEvent:
    """Return the (redacted) event, with the middle of long texts cut out so that it fits into a segment."""
    limit = TEXT_LIMIT
    whole = event
    while limit > 64 and len(dump(event_to_json(event))) >= SEGMENT_LIMIT:
        event = map_texts(whole, partial(_cut_out_middle, limit))
        limit //= 2
    if event is not whole and isinstance(event, ToolResult):
        event = replace(event, truncated=True)
    return event


def select(events: Sequence[AnyEvent], room: int | None) -> Sequence[int]:
    """Return the indexes of the events that fit into ``room`` bytes of a segment (None: all). Early events
    come first, and results of calls last: they are the largest and explain the least."""
    if room is None:
        return range(len(events))
    kept = []
    for at in sorted(range(len(events)), key=lambda at: isinstance(events[at], ToolResult)):
        size = len(dump(event_to_json(events[at]))) + 1
        if size <= room:
            room -= size
            kept.append(at)
    return sorted(kept)


def _cut_out_middle(limit: int, text: str, _: str | None) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def fit(record: Record) -> Record:
    """Return a record of at most ``RECORD_LIMIT`` bytes: long texts and lists are cut, and ``cut`` has the
    full lengths of the lists."""
    full, most, letters = record, 100, 2_000
    while len(dump(to_json(record))) > RECORD_LIMIT and most > 0:
        most, letters = most // 2, max(letters // 2, 100)
        figures = full.figures
        texts = (
            figures.prompt,
            figures.summary,
            figures.decisions[: most // 5],
            figures.caveats[: most // 5],
            (figures.result, figures.why),
        )
        whole = replace(full.whole, retrospective=_first_of_each(full.whole.retrospective, most // 5))
        shortened = map_texts((*texts, whole), partial(_cut_end, letters))
        prompt, summary, decisions, caveats, (result, why), whole = shortened
        short = replace(
            figures,
            prompt=prompt,
            summary=summary,
            files=figures.files[:most],
            decisions=decisions,
            caveats=caveats,
            caveat_sources=figures.caveat_sources[: len(caveats)],
            result=result,
            why=why,
        )
        record = replace(full, figures=short, whole=whole, also=full.also[: max(most, 5)])
        lists = {"also": (full.also, record.also)} | {
            name: (getattr(figures, name), getattr(short, name)) for name in ("files", "decisions", "caveats")
        }
        if before := full.whole.retrospective:
            after = record.whole.retrospective
            lists |= {name: (getattr(before, name), getattr(after, name)) for name in _LISTS}
        record = replace(record, cut={n: len(was) for n, (was, now) in lists.items() if len(now) < len(was)})
    return record


_LISTS = ("challenges", "learnings", "suggestions")


def _first_of_each(retrospective: Retrospective | None, most: int) -> Retrospective | None:
    if retrospective is None:
        return None
    lists: dict[str, Any] = {name: getattr(retrospective, name)[:most] for name in _LISTS}
    return replace(retrospective, **lists)


def _cut_end(letters: int, text: str, _: str | None) -> str:
    return shorten(text, letters)

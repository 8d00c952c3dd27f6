"""A session of a commit, with the events that are recorded there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import chain

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.values import AnyEvent, Record, SegmentRef
from gittraj.query.show.chapters import Segments


@dataclass(slots=True)
class Part:
    """Events that were recorded together, in the log's order; ``prompt`` is their record's (None for an
    earlier part, whose record is on another commit), ``records`` brought them to this commit."""

    events: list[AnyEvent]
    prompt: str | None
    records: list[Record]


@dataclass(slots=True)
class Session:
    """A trajectory on a commit, with its events from the segments there."""

    header: Header
    records: Sequence[Record]
    parts: list[Part] = field(default_factory=list)

    def read(self, segments: Segments) -> None:
        """Its parts there, and those of ``also``, each event once, in the log's order."""
        groups: dict[tuple[SegmentRef, ...], list[Record]] = {}
        for record in self.records:
            if record.segments:
                groups.setdefault(record.segments, []).append(record)
        own = {ref for refs in groups for ref in refs}
        for record in self.records:
            for ref in record.also:
                if ref not in own:
                    groups.setdefault((ref,), []).append(record)
        known: set[str] = set()
        for refs in sorted(groups, key=lambda refs: refs[0].name):  # names begin with a position in the log
            found = segments.read(self.header["id"], refs)
            events = [event for event in found if event.id not in known]
            known.update(event.id for event in events)
            prompt = groups[refs][0].figures.prompt if refs[0] in own else None
            self.parts.append(Part(events, prompt, groups[refs]))

    @property
    def events(self) -> Iterator[AnyEvent]:
        return chain.from_iterable(part.events for part in self.parts)

"""Reads a session of a commit, with the events that are recorded on the commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.values import AnyEvent, Record, SegmentRef
from gittraj.query.show.chapters import Segments


@dataclass(frozen=True, slots=True)
class Part:
    """Events that were recorded together, in the log's order. ``records`` are the commit's records that name
    their segments; ``prompt`` is that of the first record (None for an earlier part, which has its own record
    on another commit)."""

    events: list[AnyEvent]
    prompt: str | None
    records: list[Record]


@dataclass(frozen=True, slots=True)
class Session:
    """A trajectory on a commit, with its events from the segments there."""

    header: Header
    parts: list[Part]

    @property
    def events(self) -> Iterator[AnyEvent]:
        return chain.from_iterable(part.events for part in self.parts)


def read_session(header: Header, records: Sequence[Record], segments: Segments) -> Session:
    """Read a session with its parts on the commit, and the earlier parts that ``also`` names, each event
    once, in the log's order."""
    own = {ref for record in records for ref in record.segments}
    groups: dict[tuple[SegmentRef, ...], list[Record]] = {}
    for record in records:
        for refs in (record.segments, *zip({*record.also} - own, strict=True)):  # a part for each in ``also``
            groups.setdefault(refs, []).append(record)
    session, known = Session(header, []), set[str]()
    for refs in sorted(filter(None, groups), key=lambda refs: refs[0].name):  # a name begins with a position
        events = [event for event in segments.read(header["id"], refs) if event.id not in known]
        known.update(event.id for event in events)
        prompt = groups[refs][0].figures.prompt if refs[0] in own else None
        session.parts.append(Part(events, prompt, groups[refs]))
    return session

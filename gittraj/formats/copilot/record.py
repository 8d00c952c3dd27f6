"""A record of Copilot's event stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.session_items import Entry
from gittraj.model.values import AnyEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record of the log with the fields that all its events share."""

    id: str
    kind: str
    data: dict[str, Any]
    ts: str | None
    start: int
    end: int

    def common(self, ordinal: int = 0, *tags: str) -> dict[str, Any]:
        """The fields of the event that part ``ordinal`` of the record becomes."""
        parent = coerce.text(self.data.get("parentToolCallId"))
        tags = ("sidechain", *tags) if parent else tags
        return {"id": f"{self.id}:{ordinal}", "ts": self.ts, "tags": tags, "parent": parent}

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, **known)

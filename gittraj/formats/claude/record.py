"""A record of Claude Code, from a session file or from the program's output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gittraj.model.session_items import Entry
from gittraj.model.values import AnyEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every event of the record has in common.

    ``detail`` is the structured twin of its tool result. ``sidechain`` says that it belongs to an agent
    that a call of this log started (``parent`` is that call's event id), ``subagent`` that it belongs to
    any started agent. ``foreign`` is the session that it names, where that is another than the log's.
    """

    value: dict[str, Any]
    content: list[dict[str, Any]]
    id: str
    ts: str | None
    end: int
    folder: str | None = None
    detail: Any = None
    sidechain: bool = False
    subagent: bool = False
    foreign: str | None = None
    parent: str | None = None

    def common(self, ordinal: int, *tags: str) -> dict[str, Any]:
        """The fields of the event that block ``ordinal`` becomes."""
        if self.sidechain:
            tags = ("sidechain", *tags)
        return {"id": f"{self.id}:{ordinal}", "ts": self.ts, "tags": tags, "parent": self.parent}

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, session=self.foreign, **known)

"""A record of a rollout, apart from what is made of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from gittraj.formats.base import coerce
from gittraj.model.session_items import Entry
from gittraj.model.values import AnyEvent

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

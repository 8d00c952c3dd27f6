"""The base of readers of logs that only grow, above all the position in a log: how many events were returned,
and which facts were reported.

All state that a reader keeps beyond one turn is in :class:`Position`, or in the cursor that the reader passes
to :meth:`Position.mark`, as JSON, so that resuming from a mark and reading in one go give the same items. A
cursor is stored unencrypted and must not contain text of the log: only a short hash of each fact is kept,
except for the names that readers need again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from gittraj.formats.base import coerce
from gittraj.formats.base.lines import Fragment, Lines, Skim
from gittraj.model.session_items import START, Cursor, Damage, Entry, Fact, Item, Mark
from gittraj.model.values import AnyEvent

VERSION = 2
"""The version of a cursor's state. It also distinguishes a mark at a log's start from an unused cursor."""

_KEPT = frozenset(("agent", "folder", "model", "parent_kind", "session"))
"""Facts whose value readers need later: names and paths."""


def facts(**known: str | float | None) -> Iterator[Fact]:
    """The facts of a log that is read whole, without those that are unknown: None or empty."""
    yield from (Fact(name=name, value=value) for name, value in known.items() if value not in (None, ""))


class Position:
    """``ordinal``: the number of events so far; ``facts``: the values that were reported so far, by name,
    hashed except those of :data:`_KEPT`."""

    def __init__(self, lines: Lines, cursor: Cursor = START) -> None:
        self._lines = lines
        self._from = cursor
        self.ordinal = cursor.ordinal
        self.facts: dict[str, str] = dict(cursor.state.get("facts", {}))

    def report(self, name: str, value: str | None) -> Iterator[Fact]:
        """Yield the fact, unless ``value`` is empty or was the last one reported under this name."""
        if not value:
            return
        kept = value if name in _KEPT else short(value)
        if self.facts.get(name) != kept:
            self.facts[name] = kept
            yield Fact(name=name, value=value)

    def report_once(self, name: str, value: str | None) -> Iterator[Fact]:
        """Yield the fact, unless ``value`` is empty or a fact of that name was reported."""
        if name not in self.facts:
            yield from self.report(name, value)

    def report_fields(self, record: Mapping[str, Any], fields: Mapping[str, str]) -> Iterator[Fact]:
        """Yield facts from the texts of a record; ``fields`` maps a fact's name to the record's key."""
        for name, key in fields.items():
            yield from self.report(name, coerce.text(record.get(key)))

    def foreign(self, session: str | None) -> str | None:
        """``session``, which a record names, if it is not the log's own; else None."""
        return session if session != self.facts.get("session") else None

    def cursor(self, offset: int, state: Mapping[str, Any]) -> Cursor:
        """A cursor to resume from; ``offset`` must be in the line that was read last."""
        return Cursor(
            offset=offset,
            ordinal=self.ordinal,
            print=self._lines.print(offset) if offset else "",
            state={"v": VERSION, "facts": dict(self.facts), **state},
        )

    def mark(self, cursor: Cursor) -> Iterator[Mark]:
        """Yield a mark at the cursor, unless reading started there."""
        if cursor != self._from:
            yield Mark(cursor=cursor)

    def count(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield ``items`` and count the events among them."""
        for item in items:
            if isinstance(item, Entry):
                self.ordinal += 1
            yield item


def short(text: str) -> str:
    """A hash that distinguishes texts and reveals nothing about them."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The fields that the events of one record of a log have in common. ``session`` is the session that the
    record names, if it is not the log's."""

    id: str
    ts: str | None
    end: int
    session: str | None = None
    tags: tuple[str, ...] = ()
    parent: str | None = None

    def common(self, ordinal: int | str = 0, *tags: str) -> dict[str, Any]:
        """The common fields, for the event from block ``ordinal`` of the record."""
        own = f"{self.id}:{ordinal}"
        return {"id": own, "ts": self.ts, "tags": (*self.tags, *tags), "parent": self.parent}

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, session=self.session, **known)


class LogReader:
    """Reads a log that only grows, one record at a time. A format's reader turns a record into items, or
    replaces ``items`` if one record is not enough. ``skim`` is that of ``Lines``."""

    trusted: ClassVar[frozenset[str]]
    """The keys that every record has (:class:`Lines`)."""

    def __init__(
        self, stream: BinaryIO, session: str | None, cursor: Cursor, *, skim: Skim | None = None
    ) -> None:
        self._lines = Lines(stream, cursor, trusted=self.trusted, skim=skim)
        self._position = Position(self._lines, cursor)
        self._file_session = session  # the session id from the file's name; of a subagent's file, the stem
        self._number: int = cursor.state.get("record", 0)
        """The number of records that were read."""

    def items(self) -> Iterator[Item]:
        for fragment in self._lines:
            if isinstance(fragment, Damage):
                yield fragment
            else:
                yield from self._position.count(self._record(fragment))
                self._number += 1
        yield from self._position.count(self._rest())

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        raise NotImplementedError

    def _rest(self) -> Iterable[Item]:
        """The items that were held back for later records, at the end of the log."""
        return ()

    def _mark(self, fragment: Fragment, state: Mapping[str, Any]) -> Iterator[Mark]:
        """Yield a mark: reading may start again before this record, with ``state``."""
        yield from self._position.mark(self._position.cursor(fragment.start, state))


def read_with(reader: Callable[[BinaryIO, str | None, Cursor], LogReader]) -> Callable[..., Iterator[Item]]:
    """Make the ``read`` of a format. ``session``, from the file's name, is used if the log has no id.

    It raises :class:`~gittraj.errors.FormatError` if the bytes before ``cursor`` have changed.
    """

    def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
        return reader(stream, session, cursor).items()

    return read

"""What readers of logs that only grow share, above all the position in one: how many events were returned,
which facts were reported.

Everything that a reader remembers beyond one turn is here or in the cursor that it passes to
:meth:`Position.mark`, as JSON, so that resuming from a mark and reading in one go give the same items. A
cursor is stored unencrypted and must not contain text of the log: of a fact only a short hash is kept, except
for the names that readers need again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from gittraj.formats.base import coerce
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.model.session_items import Cursor, Damage, Entry, Fact, Item, Mark
from gittraj.model.values import AnyEvent

VERSION = 2
"""Version of a cursor's state. It also distinguishes a mark at the start of a log from an unused cursor."""

_KEPT = frozenset(("agent", "folder", "model", "parent_kind", "session"))
"""Facts whose value readers need later: names and paths."""
_START = Cursor()


def facts(**known: str | float | None) -> Iterator[Fact]:
    """The facts of a log that is read whole, without what is not known."""
    yield from (Fact(name=name, value=value) for name, value in known.items() if value not in (None, ""))


class Position:
    """``facts``: those reported so far, by name; a hash for all but :data:`_KEPT`."""

    def __init__(self, lines: Lines, cursor: Cursor) -> None:
        self._lines = lines
        self._from = cursor
        self.ordinal = cursor.ordinal
        self.facts: dict[str, str] = dict(cursor.state.get("facts", {}))

    def report(self, name: str, value: str | None) -> Iterator[Fact]:
        """The fact, unless ``value`` is empty or was reported last."""
        if not value:
            return
        kept = value if name in _KEPT else short(value)
        if self.facts.get(name) != kept:
            self.facts[name] = kept
            yield Fact(name=name, value=value)

    def report_once(self, name: str, value: str | None) -> Iterator[Fact]:
        """The fact, unless ``value`` is empty or a fact of that name was reported."""
        if name not in self.facts:
            yield from self.report(name, value)

    def report_fields(self, record: Mapping[str, Any], fields: Mapping[str, str]) -> Iterator[Fact]:
        """Facts from the texts of a record; ``fields`` are their names by those of the facts."""
        for name, key in fields.items():
            yield from self.report(name, coerce.text(record.get(key)))

    def foreign(self, session: str | None) -> str | None:
        """The session that a record names, if that is another than the log's."""
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
        """The mark, unless reading started there."""
        if cursor != self._from:
            yield Mark(cursor=cursor)

    def count(self, items: Iterable[Item]) -> Iterator[Item]:
        """``items``; the events among them are counted."""
        for item in items:
            if isinstance(item, Entry):
                self.ordinal += 1
            yield item


def short(text: str) -> str:
    """A hash that distinguishes texts and reveals nothing of them."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the events of one record of a log have in common. ``session`` is the one that it names, where that
    is another than the log's."""

    id: str
    ts: str | None
    end: int
    session: str | None = None
    tags: tuple[str, ...] = ()
    parent: str | None = None

    def common(self, ordinal: int | str = 0, *tags: str) -> dict[str, Any]:
        """The fields of the event that block ``ordinal`` of the record becomes."""
        own = f"{self.id}:{ordinal}"
        return {"id": own, "ts": self.ts, "tags": (*self.tags, *tags), "parent": self.parent}

    def entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self.end, session=self.session, **known)


class LogReader:
    """Reads a log that only grows, a record at a time. A format's reader says what a record's items are."""

    trusted: ClassVar[frozenset[str]]
    """The keys that every record has (:class:`Lines`)."""

    def __init__(self, stream: BinaryIO, session: str | None, cursor: Cursor) -> None:
        self._lines = Lines(stream, cursor, trusted=self.trusted, skim=self._skim)
        self._position = Position(self._lines, cursor)
        self._name = session
        self._number: int = cursor.state.get("record", 0)
        """How many records were read."""

    def items(self) -> Iterator[Item]:
        for fragment in self._lines:
            if isinstance(fragment, Damage):
                yield fragment
            else:
                yield from self._position.count(self._record(fragment))
                self._number += 1
        yield from self._position.count(self._rest())

    def _skim(self, raw: bytes) -> dict[str, Any] | None:
        """What stands for a line's object, where that need not be decoded."""
        return None

    def _record(self, fragment: Fragment) -> Iterator[Item]:
        raise NotImplementedError

    def _rest(self) -> Iterable[Item]:
        """What waited for records that did not come."""
        return ()

    def _mark(self, fragment: Fragment, state: Mapping[str, Any]) -> Iterator[Mark]:
        """Reading may start again before this record, with ``state``."""
        yield from self._position.mark(self._position.cursor(fragment.start, state))


def read_with(reader: Callable[[BinaryIO, str | None, Cursor], LogReader]) -> Callable[..., Iterator[Item]]:
    """The ``read`` of a format. ``session``, which the file's name gives, replaces an id that the log misses.

    Raises :class:`~gittraj.errors.FormatError` if the log before ``cursor`` is another one.
    """

    def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START) -> Iterator[Item]:
        return reader(stream, session, cursor).items()

    return read

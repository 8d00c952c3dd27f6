"""Where a reader stands in a log: how many events it gave, and which facts it told already.

All that a reader keeps beyond one turn lies here or in what it hands to :meth:`Place.mark`, as JSON,
so that reading on from a mark and reading through give the same items. It is stored in the clear: nothing
in it may be a text of the log. Of what was told only a short hash is kept, but for names that readers ask
for again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gittraj.formats.base.lines import Lines
from gittraj.model.session_items import Cursor, Entry, Fact, Item, Mark

VERSION = 2
"""Of the state in a cursor. It also tells a mark at the start of a log from a cursor never used."""


_ASKED = frozenset(("agent", "folder", "model", "parent_kind", "session"))
"""Facts whose value a reader needs later: names and paths."""


class Place:
    """``facts``: those that were told, by name; the value only of :data:`_ASKED`."""

    def __init__(self, lines: Lines, cursor: Cursor) -> None:
        self._lines = lines
        self._from = cursor
        self.ordinal = cursor.ordinal
        self.facts: dict[str, str] = dict(cursor.state.get("facts", {}))

    def learn(self, name: str, value: str | None) -> Iterator[Fact]:
        """The fact, if it is known and new."""
        if not value:
            return
        kept = value if name in _ASKED else short(value)
        if self.facts.get(name) != kept:
            self.facts[name] = kept
            yield Fact(name=name, value=value)

    def learn_once(self, name: str, value: str | None) -> Iterator[Fact]:
        """The fact, if it is known and none of that name was told."""
        if name not in self.facts:
            yield from self.learn(name, value)

    def cursor(self, offset: int, state: Mapping[str, Any]) -> Cursor:
        """A place to start again from: ``offset`` lies in the line that was read last."""
        return Cursor(
            offset=offset,
            ordinal=self.ordinal,
            print=self._lines.print(offset) if offset else "",
            state={"v": VERSION, "facts": dict(self.facts), **state},
        )

    def mark(self, cursor: Cursor) -> Iterator[Mark]:
        """The mark, unless reading started from it."""
        if cursor != self._from:
            yield Mark(cursor=cursor)

    def count(self, items: Iterable[Item]) -> Iterator[Item]:
        """``items``, counting the events among them."""
        for item in items:
            if isinstance(item, Entry):
                self.ordinal += 1
            yield item


def short(text: str) -> str:
    """What tells a text from another one and says nothing of it."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()

"""A reader's position in a log: how many events it has returned, and which facts it has reported.

Everything that a reader remembers beyond one turn is here or in the cursor that it passes to
:meth:`Position.mark`, as JSON, so that resuming from a mark and reading in one go give the same items. A
cursor is stored unencrypted and must not contain text of the log: of a fact only a short hash is kept, except
for the names that readers need again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gittraj.formats.base.lines import Lines
from gittraj.model.session_items import Cursor, Entry, Fact, Item, Mark

VERSION = 2
"""Version of a cursor's state. It also distinguishes a mark at the start of a log from an unused cursor."""

_KEPT = frozenset(("agent", "folder", "model", "parent_kind", "session"))
"""Facts whose value readers need later: names and paths."""


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

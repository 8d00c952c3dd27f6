"""Reads a session that is one JSON document.

A truncated document is closed after its last complete element, so that what was written before is not lost;
for a file that is not JSON at all, only the damage is returned. To recognise a document's format, the
document's beginning is enough.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from gittraj.formats import HEAD
from gittraj.formats.base import lines
from gittraj.model.session_items import START, Cursor, Damage, Entry, Fact, Item
from gittraj.model.values import AnyEvent

LIMIT = 512 * 1024 * 1024
"""The maximum number of bytes of one document; it is read into memory."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+("?)|[\[\]{},]', re.DOTALL)
_CLOSERS = {"[": "]", "{": "}"}
Items = Callable[[Any, str | None, int], Iterator[Item]]


def reader(items: Items) -> Callable[..., Iterator[Item]]:
    """Make the ``read`` of a format whose files are read whole. ``items`` gets the document, the session id
    from the file's name, and the number of bytes read; the document's damage follows its items."""

    def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
        value, damage = load(stream)
        yield from items(value, session, stream.tell() if stream.seekable() else 0)
        if damage:
            yield damage

    return read


def load(stream: BinaryIO) -> tuple[Any, Damage | None]:
    """The value of a document, and its damage; ``None`` as value when nothing can be read."""
    if stream.seekable():  # the reading of the head may have moved the position
        stream.seek(0)
    data = stream.read(LIMIT + 1)
    if len(data) > LIMIT:
        return None, Damage(at=LIMIT, why=f"a document longer than {LIMIT} bytes")
    text = data.decode("utf-8-sig", "replace").strip(" \t\r\n\0")
    if not text:
        return None, Damage(at=0, why="empty")
    try:
        return lines.decode(text), None
    except (ValueError, RecursionError):
        pass
    end, closers = _last_element(text)
    try:
        value = lines.decode(text[:end] + closers) if end else None
    except (ValueError, RecursionError):
        value = None
    at = len(text[:end].encode())
    return value, Damage(at=at, why="not JSON from here on" if value is not None else "not JSON")


def as_log(records: Iterable[Any]) -> BinaryIO:
    """The records of a document as a log, one on each line."""
    return io.BytesIO(b"".join(json.dumps(record).encode() + b"\n" for record in records))


def _last_element(text: str) -> tuple[int, str]:
    """The end of the last complete element of an open list or object, and the brackets that close what is
    open there. After that element more may be opened, but nothing is closed: so the final ``stack`` begins
    with these brackets."""
    stack: list[str] = []
    end = depth = 0
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark[0] == '"' and not match[1]:
            break  # truncated inside a text
        if mark in _CLOSERS:
            stack.append(_CLOSERS[mark])
        elif mark == ",":
            end, depth = match.start(), len(stack)
        elif mark in "]}":
            if not stack or stack[-1] != mark:
                break
            stack.pop()
            end, depth = match.end(), len(stack)
    return end, "".join(reversed(stack[:depth]))


class Reading:
    """The base of readers of documents: all events have the document's end as their own."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._known: dict[str, str] = {}

    def _learn(self, **facts: str | None) -> Iterator[Fact]:
        """Yield the facts that are new."""
        for name, value in facts.items():
            if value and self._known.get(name) != value:
                self._known[name] = value
                yield Fact(name=name, value=value)

    def _entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self._end, **known)


def load_beside(file: Path, label: str) -> tuple[Any, Damage | None]:
    """:func:`load` a file that another program may be writing; ``label`` names the file in its damage."""
    try:
        with file.open("rb") as stream:
            value, damage = load(stream)
    except OSError as error:
        return None, Damage(at=0, why=f"{label}: {error.strerror}")
    return value, replace(damage, why=f"{label}: {damage.why}") if damage else None


# ---------------------------------------------------------------- the beginning of a file


def read_head(path: Path) -> bytes:
    """The first bytes of the file; empty if there is no regular file: a pipe may never answer."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except (OSError, ValueError):
        return b""


@lru_cache(maxsize=2)
def peek(head: bytes) -> Any:
    """The value that begins with ``head``, which may be truncated anywhere; ``None`` if it is not JSON.
    Cached, as every format examines the same file: callers must not change it."""
    return load(io.BytesIO(head))[0]

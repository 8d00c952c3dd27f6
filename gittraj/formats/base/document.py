"""A session that is one JSON document: read whole, or as far as it goes when it was cut.

A document that was cut is closed after its last complete element, so that what was written before is not
lost; what is not JSON at all gives no value and the reason. To recognise a format, the beginning is enough.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from gittraj.formats.base import lines
from gittraj.model.session_items import Cursor, Damage, Entry, Fact, Item
from gittraj.model.values import AnyEvent

LIMIT = 512 * 1024 * 1024
"""Bytes of one document; it is read into memory."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+("?)|[\[\]{},]', re.DOTALL)
_CLOSERS = {"[": "]", "{": "}"}
_START = Cursor()
Items = Callable[[Any, str | None, int], Iterator[Item]]


def reader(items: Items) -> Callable[..., Iterator[Item]]:
    """The ``read`` of a format whose files are read whole: ``items`` of the document, of the session id that
    the file's name gives, and of the number of bytes read; then what is wrong with the document."""

    def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START) -> Iterator[Item]:
        value, damage = load(stream)
        yield from items(value, session, stream.tell() if stream.seekable() else 0)
        if damage:
            yield damage

    return read


def load(stream: BinaryIO) -> tuple[Any, Damage | None]:
    """The value of a document, and what is wrong with it; ``None`` as value when nothing can be read."""
    if stream.seekable():  # whoever looked at the head may have moved it
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


def _last_element(text: str) -> tuple[int, str]:
    """Where the last complete element of an open list or object ends, and what closes those open there.

    After it more may have been opened, but nothing closed: the last stack still begins with the one there.
    """
    stack: list[str] = []
    end = depth = 0
    for match in _TOKEN.finditer(text):
        sign = match[0]
        if sign[0] == '"' and not match[1]:
            break  # cut inside a text
        if sign in _CLOSERS:
            stack.append(_CLOSERS[sign])
        elif sign == ",":
            end, depth = match.start(), len(stack)
        elif sign in "]}":
            if not stack or stack[-1] != sign:
                break
            stack.pop()
            end, depth = match.end(), len(stack)
    return end, "".join(reversed(stack[:depth]))


class Reading:
    """Reads a session whose events all end where it does."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._known: dict[str, str] = {}

    def _learn(self, **facts: str | None) -> Iterator[Fact]:
        """Those that are new."""
        for name, value in facts.items():
            if value and self._known.get(name) != value:
                self._known[name] = value
                yield Fact(name=name, value=value)

    def _entry(self, event: AnyEvent, **known: Any) -> Entry:
        return Entry(event=event, end=self._end, **known)


def load_beside(file: Path, label: str) -> tuple[Any, Damage | None]:
    """``load`` of a file that another program may be writing; the damage says that it is ``label``'s."""
    try:
        with file.open("rb") as stream:
            value, damage = load(stream)
    except OSError as error:
        return None, Damage(at=0, why=f"{label}: {error.strerror}")
    return value, replace(damage, why=f"{label}: {damage.why}") if damage else None


# ---------------------------------------------------------------- the beginning of a file

HEAD = 65536
"""Bytes of a file that decide on its format."""


def read_head(path: Path) -> bytes:
    """The first bytes of the file; none where there is no file to read. A pipe may never answer."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except (OSError, ValueError):
        return b""


@lru_cache(maxsize=2)
def peek(head: bytes) -> Any:
    """The value that begins with ``head``, which may be cut anywhere; ``None`` if it is not JSON. Every
    format asks for that of the same file, and changes nothing of it."""
    return load(io.BytesIO(head))[0]

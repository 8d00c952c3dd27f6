"""A log that no reader knows, kept as it is: a later version may read it again (``repair --reread``).

This format is never detected: a user has to ask for it. The lines are stored in events of the type ``raw``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from gittraj.formats.base import coerce
from gittraj.formats.base.position import facts
from gittraj.model.session_items import START, Cursor, Damage, Entry, Item
from gittraj.model.values import Foreign

name = agent = "raw"
_MOST = 8 * 1024 * 1024
"""The maximum number of bytes of a log that are kept."""
_EACH = 200_000
"""The maximum number of bytes of one event; a longer line is split at a space, if it has one."""
_SHAPE = 50
"""The number of lines whose lengths identify a log."""


def detect(head: bytes) -> bool:
    return False


def read(stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
    """Yield the log as events of at most ``_EACH`` bytes. A binary file has no events."""
    body = stream.read(_MOST)
    if b"\0" in body:
        yield Damage(at=body.index(b"\0"), why="a binary file")
        return
    lines = body.splitlines(keepends=True)
    shape = [[len(line)] for line in lines[:_SHAPE]]
    session_id = session or coerce.shape_id(name, shape)
    yield from facts(session=session_id, title="A log that no reader knew")
    for number, (end, text) in enumerate(_chunks(lines)):
        yield Entry(event=Foreign(id=f"raw:{number}", type="raw", content=text), end=end)
    if stream.read(1):
        yield Damage(at=len(body), why=f"more than {_MOST} bytes")


def _chunks(lines: list[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the end of each chunk as a byte offset, and the chunk's text: as many whole lines as fit."""
    end, chunk = 0, b""
    for fragment in (fragment for line in lines for fragment in _divided(line)):
        if chunk and len(chunk) + len(fragment) > _EACH:
            yield end, chunk.decode("utf-8", "replace")
            chunk = b""
        chunk += fragment
        end += len(fragment)
    if chunk:
        yield end, chunk.decode("utf-8", "replace")


def _divided(line: bytes) -> Iterator[bytes]:
    at = 0
    while len(line) - at > _EACH:
        cut = line.rfind(b" ", at, at + _EACH) + 1 or at + _EACH
        yield line[at:cut]
        at = cut
    yield line[at:]

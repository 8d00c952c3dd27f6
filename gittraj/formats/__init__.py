"""One reader per log format: bytes of a session in, items of :mod:`gittraj.log` out.

A reader decides by content, streams, and never raises over what a log holds. It does not know
repositories, commits or notes, never opens another file, and writes nothing. A new format is one
module, one line here, one test.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from gittraj.formats import claude_code, codex
from gittraj.log import Cursor, Item

HEAD = 65536
"""Bytes of a file's beginning that ``detect`` wants to see."""
_START = Cursor()


class Reader(Protocol):
    """``name`` is the format's, ``agent`` the name of the agent that writes it."""

    name: str
    agent: str

    def detect(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` (about :data:`HEAD` bytes) has this format."""
        ...

    def read(
        self, stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START
    ) -> Iterator[Item]:
        """The items of a log from ``cursor`` on, in its order.

        ``session`` is the session id that the file's name gives. Before every human prompt comes a
        :class:`~gittraj.log.Mark`: reading from its cursor gives exactly the items after it.

        Raises:
            FormatError: the bytes before the cursor are not those that it was made for.
        """
        ...


FORMATS: dict[str, Reader] = {reader.name: reader for reader in (claude_code, codex)}


def detect(head: bytes) -> Reader | None:
    """The reader of a file that begins with ``head``."""
    return next((reader for reader in FORMATS.values() if reader.detect(head)), None)

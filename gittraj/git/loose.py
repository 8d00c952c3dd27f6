"""Reads loose objects, because libgit2 never returns from reading a truncated one, as left by a power
failure.

It must not search any other folder, nor notice objects that are written later: libgit2 finds those.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from gittraj.git.encoding import KINDS, ObjectFormat, object_id

_HEAD = 64
"""The maximum number of bytes of an object's header."""


class TooLargeError(ValueError):
    """An object has more bytes than its reader accepts."""


class LooseObjects:
    """The loose objects that were in ``folder`` (``objects`` of the common git directory) when first read."""

    def __init__(self, folder: Path, form: ObjectFormat) -> None:
        self._folder = folder
        self._form = form
        self._names: dict[str, frozenset[str]] = {}  # listings, so that a packed object costs no system call

    def read(self, oid: str, limit: int) -> tuple[str, bytes] | None:
        """Kind and content; None if it is missing. Raises ValueError if it is damaged, TooLargeError for more
        bytes than ``limit``."""
        prefix, name = oid[:2], oid[2:]
        if prefix not in self._names:
            self._names[prefix] = _list(self._folder / prefix)
        if name not in self._names[prefix]:
            return None
        try:
            packed = (self._folder / prefix / name).read_bytes()
        except OSError:
            return None  # packed meanwhile
        try:
            unpacking = zlib.decompressobj()
            head, _, data = unpacking.decompress(packed, limit + _HEAD + 1).partition(b"\0")
        except zlib.error as error:
            raise ValueError(f"object {oid} is damaged: {error}") from error
        if len(data) > limit:
            raise TooLargeError(f"object {oid} is larger than {limit} bytes")
        if not unpacking.eof:
            raise ValueError(f"object {oid} is damaged")
        kind = head.partition(b" ")[0].decode("ascii", "replace")
        if kind not in KINDS or object_id(kind, data, self._form) != oid:
            raise ValueError(f"object {oid} is damaged")
        return kind, data


def _list(folder: Path) -> frozenset[str]:
    try:
        return frozenset(path.name for path in folder.iterdir())
    except OSError:
        return frozenset()

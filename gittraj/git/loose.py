"""Loose objects, read here: libgit2 never ends on one that was cut short, as a power failure leaves it.

It must not look for objects elsewhere than in the one folder, nor follow what is written there later: those
are libgit2's to find.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from gittraj.git.encoding import KINDS, ObjectFormat, object_id

_HEAD = 64
"""Bytes that stand before the content, at most."""


class TooLargeError(ValueError):
    """An object has more bytes than its reader takes."""


class LooseObjects:
    """Those that lay in ``folder`` (``objects`` of the common git directory) when first asked for."""

    def __init__(self, folder: Path, form: ObjectFormat) -> None:
        self._folder = folder
        self._form = form
        self._names: dict[str, frozenset[str]] = {}  # a listing each, so that what is packed costs no call

    def read(self, oid: str, limit: int) -> tuple[str, bytes] | None:
        """Kind and content; None for what is not here. Raises ValueError for what is damaged, TooLargeError
        for more bytes than ``limit``."""
        place, name = oid[:2], oid[2:]
        if place not in self._names:
            self._names[place] = _list(self._folder / place)
        if name not in self._names[place]:
            return None
        try:
            packed = (self._folder / place / name).read_bytes()
        except OSError:
            return None  # packed meanwhile
        try:
            unpacking = zlib.decompressobj()
            head, _, data = unpacking.decompress(packed, limit + _HEAD + 1).partition(b"\0")
        except zlib.error as error:
            raise ValueError(f"{oid} is damaged: {error}") from error
        if len(data) > limit:
            raise TooLargeError(f"{oid} is larger than {limit} bytes")
        if not unpacking.eof:
            raise ValueError(f"{oid} is damaged")
        kind = head.partition(b" ")[0].decode("ascii", "replace")
        if kind not in KINDS or object_id(kind, data, self._form) != oid:
            raise ValueError(f"{oid} is damaged")
        return kind, data


def _list(folder: Path) -> frozenset[str]:
    try:
        return frozenset(path.name for path in folder.iterdir())
    except OSError:
        return frozenset()

"""Reads JSON Lines as agents really write them.

Two objects on one line, a byte order mark, NULs, bytes that are not UTF-8, lone surrogates, a last
line still being written: everything that can be read is read, the rest is reported as
:class:`~gittraj.model.session_items.Damage`, and no content ever raises. This module knows no agent.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, BinaryIO

from gittraj.errors import FormatError
from gittraj.model.json_form import without_surrogates
from gittraj.model.session_items import START, Cursor, Damage

LIMIT = 64 * 1024 * 1024
"""The most bytes of one line; a longer one is skipped as damage, so that memory stays bounded."""
WINDOW = 4096
"""The bytes before a cursor that identify the log."""
_SALVAGE = 32
"""How often to try to find an object in a broken line; each try may scan the whole line."""
_LONGEST_NUMBER = 4000
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\0"
_GAP = re.compile(r"[\s\0]*")


def _finite(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


def _short_integer(digits: str) -> int | None:
    return int(digits) if len(digits) < _LONGEST_NUMBER else None


# A number without a JSON form (NaN, an overflow) becomes null: it could never be written out again. With
# ``_PATIENT``, which also reads broken lines, so does an integer that is too long for ``int``.
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=_finite)
_PATIENT = json.JSONDecoder(
    strict=False, parse_constant=lambda _: None, parse_float=_finite, parse_int=_short_integer
)


def decode(text: str) -> Any:
    """The JSON value of ``text``, without lone surrogates. Raises ValueError or RecursionError."""
    value = _DECODER.decode(text)
    return _scrub(value) if "\\ud" in text or "\\uD" in text else value


@dataclass(frozen=True, slots=True)
class Fragment:
    """One object of the log, and the byte offsets of its record's start and end (without the newline)."""

    value: dict[str, Any]
    start: int
    end: int


Skim = Callable[[bytes], dict[str, Any] | None]
"""Gets a line; returns an object that replaces the line's own, which is not decoded then, or None."""


class Lines:
    """The objects of a log in its order, from ``cursor`` on, with one line in memory at a time.

    ``trusted`` are the keys that every record has: after a broken fragment of a line, an object without them
    belongs to that fragment and is not a record. Raises :class:`FormatError` on iteration if the 4 kB before
    the cursor are not those that the cursor was made for.
    """

    def __init__(
        self,
        stream: BinaryIO,
        cursor: Cursor = START,
        *,
        trusted: frozenset[str],
        skim: Skim | None = None,
    ) -> None:
        self._stream = stream
        self._cursor = cursor
        self._trusted = trusted
        self._skim = skim
        self._offset = cursor.offset
        self._before = b""
        self._line = b""

    def __iter__(self) -> Iterator[Fragment | Damage]:
        self._before = self._find_cursor()
        while raw := self._stream.readline(LIMIT):
            self._line = raw
            if len(raw) == LIMIT and not raw.endswith(b"\n"):
                yield from self._skip()
                continue
            yield from self._read(raw)
            self._advance(raw)

    def print(self, offset: int) -> str:
        """A hash of the bytes before ``offset``, which must be in the line that was read last."""
        return _print(self._before + self._line[: offset - self._offset])

    def object_at(self, offset: int) -> dict[str, Any]:
        """The object of the earlier record that began at ``offset``; empty if no object begins there."""
        if not self._stream.seekable():
            return {}
        here = self._stream.tell()
        self._stream.seek(offset)
        raw = self._stream.readline(LIMIT)
        self._stream.seek(here)
        line = raw.removeprefix(_BOM).lstrip(_BLANK).decode("utf-8", "surrogateescape")
        try:
            value = _scrub(_PATIENT.raw_decode(line)[0])
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def _find_cursor(self) -> bytes:
        offset = self._cursor.offset
        if not offset:
            if self._stream.seekable():  # the reading of the head may have moved the position
                self._stream.seek(0)
            return b""
        self._stream.seek(max(0, offset - WINDOW))
        before = self._stream.read(min(WINDOW, offset))
        if _print(before) != self._cursor.print:
            raise FormatError(
                f"the session log was rewritten before byte {offset}", hint="read it again from its start"
            )
        return before

    def _advance(self, raw: bytes) -> None:
        self._before = raw[-WINDOW:] if len(raw) >= WINDOW else (self._before + raw)[-WINDOW:]
        self._offset += len(raw)

    def _skip(self) -> Iterator[Damage]:
        start = self._offset
        while self._line and not self._line.endswith(b"\n"):
            self._advance(self._line)
            self._line = self._stream.readline(LIMIT)
        if self._line:
            self._advance(self._line)
            yield Damage(at=start, why=f"a line longer than {LIMIT} bytes")

    def _read(self, raw: bytes) -> Iterator[Fragment | Damage]:
        if self._skim is not None and (skimmed := self._skim(raw)) is not None:
            yield Fragment(skimmed, self._offset, self._offset + len(raw) - 1)
            return
        body = raw[len(_BOM) :] if not self._offset and raw.startswith(_BOM) else raw
        body = body.strip(_BLANK)
        if not body:
            return
        try:
            value = decode(body.decode())
        except (ValueError, RecursionError):  # a UnicodeDecodeError is a ValueError, too
            yield from self._salvage(raw)
            return
        if isinstance(value, dict):
            yield Fragment(value, self._offset, self._offset + len(raw.rstrip(_BLANK)))
        elif raw.endswith(b"\n"):
            yield Damage(at=self._offset, why="no object")

    def _salvage(self, raw: bytes) -> Iterator[Fragment | Damage]:
        # surrogateescape keeps undecodable bytes, so that positions can be converted back to offsets
        line = raw.decode("utf-8", "surrogateescape")
        intact = len(line)
        # ``broken`` is where an unreadable fragment begins; it equals ``intact`` if there is none
        start, broken = 0, intact
        for position, value, stop in _values(line, int(not self._offset and raw.startswith(_BOM))):
            if stop is None:
                if not raw.endswith(b"\n"):
                    return  # still being written
                broken = min(broken, position)
            elif isinstance(value, dict) and (broken == intact or self._trusted <= value.keys()):
                if broken < intact:
                    yield self._damage(line, broken)
                    start, broken = position, intact
                yield Fragment(value, self._at(line, start), self._at(line, stop))
                start = _gap(line, stop)
        if broken < intact:
            yield self._damage(line, broken)

    def _at(self, line: str, position: int) -> int:
        return self._offset + len(line[:position].encode("utf-8", "surrogateescape"))

    def _damage(self, line: str, position: int) -> Damage:
        return Damage(at=self._at(line, position), why="not JSON")


@lru_cache(maxsize=2)
def head(data: bytes, limit: int = 50) -> list[dict[str, Any]]:
    """The first objects in ``data``, the beginning of a file, which may be truncated anywhere. Cached, as
    every format examines the same file: callers must not change them."""
    objects: list[dict[str, Any]] = []
    for line in data.removeprefix(_BOM).split(b"\n"):
        text = line.strip(_BLANK)
        if not text.startswith(b"{"):  # like most lines of a document
            continue
        try:
            value = decode(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            objects.append(value)
        if len(objects) == limit:
            break
    return objects


def detector(
    is_record: Callable[[dict[str, Any]], bool], *, cut: re.Pattern[bytes] | None = None, first: int = 50
) -> Callable[[bytes], bool]:
    """Make a format's ``detect``, which examines the beginning of a log: one of its first objects (at most
    ``first``) must be a record. If none is complete, as the first line is cut off, ``cut`` must match."""

    def detect(data: bytes) -> bool:
        objects = head(data, first)
        return any(map(is_record, objects)) if objects or cut is None else cut.match(data) is not None

    return detect


def _values(line: str, position: int) -> Iterator[tuple[int, Any, int | None]]:
    """Yield the JSON values of a broken line: the position of each, the value, its end. At a position where
    none can be read, the end is None, and the next object is searched for, :data:`_SALVAGE` times at most."""
    tries = 0
    while tries < _SALVAGE and (position := _gap(line, position)) < len(line):
        try:
            value, stop = _PATIENT.raw_decode(line, position)
            value = _scrub(value)
        except (ValueError, RecursionError):
            yield position, None, None
            tries += 1
            position = line.find('{"', position + 1)
            if position < 0:
                return
        else:
            yield position, value, stop
            position = stop


def _gap(line: str, position: int) -> int:
    """The position after white space and NULs."""
    match = _GAP.match(line, position)
    return match.end() if match else position


def _scrub(value: Any) -> Any:
    """``value`` with every lone surrogate as U+FFFD."""
    written = json.dumps(value, ensure_ascii=False)
    scrubbed = without_surrogates(written)
    return value if scrubbed == written else json.loads(scrubbed)


def _print(before: bytes) -> str:
    return hashlib.sha256(before[-WINDOW:]).hexdigest()[:32]

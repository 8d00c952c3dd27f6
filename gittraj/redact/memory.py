"""A cache of the results for each text: the logs of agents repeat most of their text.

A result depends on the text alone, so all trajectories share it. The oldest is dropped first.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T")
_MOST = 8 << 20  # bytes in each of two generations
_ENTRY = 200  # bytes that an entry takes besides its text
_SHORT = 128  # characters: a longer text is kept as its hash


class Memory(Generic[T]):
    def __init__(self) -> None:
        self._new: dict[str | bytes, T] = {}
        self._old: dict[str | bytes, T] = {}
        self._size = 0

    def get(self, text: str) -> T | None:
        key = _key(text)
        found = self._new.get(key)
        if found is None and (found := self._old.pop(key, None)) is not None:
            self.put(text, found)
        return found

    def put(self, text: str, found: T) -> None:
        if self._size > _MOST:
            self._old, self._new, self._size = self._new, {}, 0
        self._new[_key(text)] = found
        self._size += _ENTRY + min(len(text), _SHORT)


def _key(text: str) -> str | bytes:
    if len(text) <= _SHORT:
        return text
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

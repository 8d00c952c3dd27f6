"""A cache of the result for each text, because agents' logs repeat most of their text.

A result depends on the text alone, so all trajectories share it. The oldest is dropped first.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_MAX_SIZE = 8 << 20  # bytes in each of two generations
_ENTRY = 200  # bytes of an entry in addition to its text
_SHORT = 128  # characters: a longer text is kept as its hash


class Memory(Generic[T]):
    """Caches a result for each text and ``how`` it was read."""

    def __init__(self) -> None:
        self._new: dict[Any, T] = {}
        self._old: dict[Any, T] = {}
        self._size = 0

    def get(self, text: str, *how: object) -> T | None:
        key = (_short(text), *how)
        result = self._new.get(key)
        if result is None and (result := self._old.pop(key, None)) is not None:
            self.put(result, text, *how)
        return result

    def put(self, result: T, text: str, *how: object) -> None:
        if self._size > _MAX_SIZE:
            self._old, self._new, self._size = self._new, {}, 0
        self._new[_short(text), *how] = result
        self._size += _ENTRY + min(len(text), _SHORT)


def _short(text: str) -> str | bytes:
    if len(text) <= _SHORT:
        return text
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

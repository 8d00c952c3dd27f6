"""Remembers which words can't be part of a match: each word is examined once, for all texts.

Most words of a text were in earlier texts, so this makes a scan fast. The result for a word must depend on
the word alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

_LONGEST = 512  # characters: longer words don't come twice
_MOST = 8 << 20  # characters that are kept


class Vocabulary:
    """Separates words that can be part of a match (telling) from the others (dull). ``told`` gets many words,
    one per line, and yields at least one position in each telling word."""

    def __init__(self, told: Callable[[str], Iterable[int]]) -> None:
        self._told = told
        self._dull: set[str] = set()
        self._telling: set[str] = set()
        self._size = 0

    def telling(self, words: Set[str]) -> list[str]:
        """The words that may be part of a match, in order."""
        left = words - self._dull
        known = left & self._telling
        new = left - known
        if not new:
            return sorted(known)
        lines = "\n".join(new)
        telling = set()
        start = end = -1
        for at in self._told(lines):
            if not start <= at < end:  # one word may tell many times
                start = lines.rfind("\n", 0, at) + 1
                end = lines.find("\n", at)
                end = end if end >= 0 else len(lines)
                telling.add(lines[start:end])
        if self._size > _MOST:
            self._dull.clear()
            self._telling.clear()
            self._size = 0
        self._dull.update([word for word in new - telling if len(word) <= _LONGEST])
        self._telling.update([word for word in telling if len(word) <= _LONGEST])
        self._size += len(lines) + 60 * len(new)
        return sorted(known | telling)

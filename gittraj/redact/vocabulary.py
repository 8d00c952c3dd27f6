"""Which words can't be part of anything that a rule looks for: judged once per word, kept for all texts.

Most of a text is words that were met before, so this is what makes a scan fast. A judgement must depend on
the word alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

_LONGEST = 512  # characters: longer words don't come twice
_MOST = 8 << 20  # characters that are kept


class Vocabulary:
    """Sorts words into dull ones and telling ones. ``told`` says of many words, one per line, where there may
    be something: places in the words that tell, at least one in each."""

    def __init__(self, told: Callable[[str], Iterable[int]]) -> None:
        self._told = told
        self._dull: set[str] = set()
        self._telling: set[str] = set()
        self._size = 0

    def telling(self, words: Set[str]) -> list[str]:
        """The words that may be part of something, in order."""
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

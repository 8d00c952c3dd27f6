"""Words that are where a secret would be, and in every text about one, but are not secrets."""

from __future__ import annotations

from .load import words

DULL = frozenset(words("words", "dull"))
STOP = frozenset(words("words", "stop"))
DESCRIBES = frozenset(words("words", "describes"))
SUFFIXES = tuple(words("words", "suffixes"))

"""Words that stand where a secret would, and in every text about one: none of them is one."""

from __future__ import annotations

from .load import words

DULL = frozenset(words("words", "dull"))
STOP = frozenset(words("words", "stop"))
DESCRIBES = frozenset(words("words", "describes"))
SUFFIXES = tuple(words("words", "suffixes"))

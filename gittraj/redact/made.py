"""Recognises words that people and generators make up as passwords, by their form alone.

Whether such a word is a password depends on its name and its position (``values``, ``decide``).
"""

from __future__ import annotations

import re

from .load import patterns, words
from .randomness import likelihood

_RE = patterns("values")
# Words that are often in the position of a secret, or in text about one, but are not secrets.
DULL = frozenset(words("words", "dull"))
STOP = frozenset(words("words", "stop"))
DESCRIBES = frozenset(words("words", "describes"))
_SUFFIXES = tuple(words("words", "suffixes"))
UNSPOKEN = -5.9  # no word of the languages that were tried has less


def is_phrase(value: str) -> bool:
    """Whether ``value`` is a passphrase: four or more words, or three and a number, almost none of them a word of
    programs or sentences."""
    if not _RE.phrase.fullmatch(value):
        return False
    words = re.findall(r"[a-z]{3,}", value.lower())
    dull = len((DULL | DESCRIBES).intersection(words))
    return dull <= (len(words) > 4 or value[-1].isdigit()) and STOP.isdisjoint(words) and len({*words}) > 1


def is_chosen(value: str) -> bool:
    """Whether a word of only letters is one that people choose as a password: a keyboard walk, upper and
    lower case mixed unlike in names, several words run together or joined by hyphens."""
    if _RE.hyphenated.fullmatch(value):
        return _are_chosen([word for word in value.split("-") if word.isalpha()])
    if not value.isalpha() or not value.isascii() or len(value) < 6 or value.lower() in DULL:
        return False
    if _RE.walks.fullmatch(value):
        return True
    return _is_unspoken(value) if value.islower() else _has_odd_capitals(value)


def _are_chosen(words: list[str]) -> bool:
    if len(words) < 3 or len(DULL.intersection(words)) > (len(words) > 3):
        return False
    return STOP.isdisjoint(words) and (len(words) > 3 or DESCRIBES.isdisjoint(words))


def _is_unspoken(value: str) -> bool:
    if len(value) >= 12 and not value.endswith(_SUFFIXES):
        return True
    return len(value) >= 8 and likelihood(value) < UNSPOKEN


def _has_odd_capitals(value: str) -> bool:
    pieces = _RE.letters.findall(value)
    odd = len(value) <= 2.6 * len(pieces) or (len(pieces) > 2 and likelihood(value) < -5)
    return odd and not value.isupper() and (len(value) > 6 or value[0].islower())


def is_worded(value: str) -> bool:
    """Whether ``value`` is words and a number joined by dots, without words of programs or sentences."""
    return (
        bool(_RE.worded.fullmatch(value))
        and (DULL | DESCRIBES | STOP | _PARTS).isdisjoint(re.findall(r"[a-z]+", value))
        and not value.startswith(_TERMS)
    )


_PARTS = frozenset(words("words", "numbered"))
_TERMS = ("sha", "utf", "base", "latin", "python", "java", "node", "linux")


def is_joined(value: str) -> bool:
    """Whether ``value`` is words, joined as in ``Two.words_And``, with a number at the end."""
    return _RE.joined.fullmatch(value) is not None
